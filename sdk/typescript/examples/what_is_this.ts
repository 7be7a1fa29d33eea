// What is this, and what is where in the picture?
import { openAsBlob } from 'node:fs';
import { argv, env } from 'node:process';
import { Kaisatsu } from 'kaisatsu-client';

const kaisatsu = new Kaisatsu({ baseUrl: env.KAISATSU_URL!, key: env.KAISATSU_KEY! });
const image = await openAsBlob(argv[2]!); // in a page: a File of an <input type="file">

const { candidates } = await kaisatsu.recognition.classify({ image, language: 'en' });
for (const best of candidates.slice(0, 1)) {
  console.log(`${best.tag}: ${Math.round(best.score * 100)}%`);
}
const things = await kaisatsu.recognition.detect({ image, minScore: 0.5 });
for (const { tag, xMin, yMin, xMax, yMax } of things.candidates) {
  const [left, top, right, bottom] = [xMin, yMin, xMax, yMax].map(Math.round);
  console.log(`${tag} from ${left}, ${top} to ${right}, ${bottom}`);
}
