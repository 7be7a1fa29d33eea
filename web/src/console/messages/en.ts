import { common } from './en/common';
import { auth } from './en/auth';
import { overview } from './en/overview';
import { applications } from './en/applications';
import { maps } from './en/maps';
import { recognition } from './en/recognition';
import { datasets } from './en/datasets';
import { feedback } from './en/feedback';
import { account } from './en/account';
import { operator } from './en/operator';

/** All words, by page. The Japanese ones have the type of these: a missing word does not compile. */
export const en = { common, auth, overview, applications, maps, recognition, datasets, feedback, account, operator };

export type Messages = typeof en;
