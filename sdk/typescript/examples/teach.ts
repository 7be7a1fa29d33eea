// Teaches three things by the pictures of a folder, disc-1.png and so on, and asks about another picture.
import { openAsBlob } from 'node:fs';
import { argv, env } from 'node:process';
import { Kaisatsu } from 'kaisatsu-client';

const folder = argv[2]!;
const kaisatsu = new Kaisatsu({ baseUrl: env.KAISATSU_URL!, key: env.KAISATSU_KEY! });
// On your server. A page has a restricted key, and gets the token of its user from your server.
const { token } = await kaisatsu.datasets.getToken({ userId: 'alice' });

const images = [];
for (const tag of ['disc', 'stripes', 'checks']) {
  for (const number of [1, 2, 3, 4]) {
    const image = await openAsBlob(`${folder}/${tag}-${number}.png`);
    const { imageId } = await kaisatsu.images.upload({ token, image, tag });
    images.push({ imageId, tag });
  }
}
const { dataSetId } = await kaisatsu.datasets.create({ token, name: 'shapes', images });
await kaisatsu.datasets.waitUntilReady({
  token,
  dataSetId,
  onProgress: ({ state, progress }) => console.log(`${state}: ${progress.done} of ${progress.total}`),
});

const image = await openAsBlob(`${folder}/stripes-5.png`);
const answer = await kaisatsu.recognition.classify({ image, dataSetId, token });
console.log(`It is ${answer.candidates[0]?.tag}`);
await kaisatsu.datasets.delete({ token, dataSetId });
