// Programs that send a request, in six languages.
import type { SampleRequest } from '../request';
import { curl } from './curl';
import { java } from './java';
import { javascript } from './javascript';
import { kotlin } from './kotlin';
import { python } from './python';
import { swift } from './swift';

export const LANGUAGES: { name: string; write: (request: SampleRequest) => string }[] = [
  { name: 'curl', write: curl },
  { name: 'Python', write: python },
  { name: 'JavaScript', write: javascript },
  { name: 'Java', write: java },
  { name: 'Swift', write: swift },
  { name: 'Kotlin', write: kotlin },
];
