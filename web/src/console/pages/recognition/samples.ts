import cat from './samples/cat.jpg?url';
import coffee from './samples/coffee.jpg?url';
import sign from './samples/sign.png?url';

/** Pictures to try. `samples/README.md` says where they come from. */
export const SAMPLES = [
  { id: 'coffee', url: coffee, name: 'coffee.jpg', type: 'image/jpeg' },
  { id: 'cat', url: cat, name: 'cat.jpg', type: 'image/jpeg' },
  { id: 'sign', url: sign, name: 'sign.png', type: 'image/png' },
] as const;
export type Sample = (typeof SAMPLES)[number];

/** A sample as a file to be sent. */
export async function sampleFile({ url, name, type }: Sample): Promise<File> {
  return new File([await (await fetch(url)).blob()], name, { type });
}
