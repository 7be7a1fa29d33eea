// Recognises a picture and says which candidate was right and which was wrong.
import { openAsBlob } from 'node:fs';
import { argv, env } from 'node:process';
import { Kaisatsu } from 'kaisatsu-client';

const kaisatsu = new Kaisatsu({ baseUrl: env.KAISATSU_URL!, key: env.KAISATSU_KEY! });
const image = await openAsBlob(argv[2]!);
const right = argv[3]!;

const { recognitionId, candidates } = await kaisatsu.recognition.classify({ image });
for (const { itemId, tag } of candidates) {
  const isValid = tag === right;
  const comment = isValid ? {} : { comment: `it is ${right}` };
  await kaisatsu.recognition.feedbackToCandidate({ recognitionId, itemId, isValid, ...comment });
  console.log(`${tag}: ${isValid ? 'right' : 'wrong'}`);
}
const now = await kaisatsu.recognition.classify({ image });
for (const { tag, score } of now.candidates) {
  console.log(`now ${tag}: ${score.toFixed(3)}`);
}
