import { saveLink } from '$/lib/save';
import type { ImageSource } from './dataset-api';

/** Quotes a text for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** Longer lists are sent from a file. */
export const MAX_INLINE_IMAGES = 20;

/** The createDataSet request as shell commands, with the key and the token in variables. */
export function curlOf(user: string, name: string, images: ImageSource[]): string {
  const base = `${location.origin}/imageRecognition/v1/userCategory`;
  const body =
    images.length > MAX_INLINE_IMAGES
      ? '@dataset.json'
      : quoted(
          JSON.stringify({ name, images }, null, 1)
            .replace(/\n\s+/g, ' ')
            .replace(/\n/g, ' ')
            .replaceAll('}, {', '},\n  {'),
        );
  return [
    `TOKEN=$(curl -s --json ${quoted(JSON.stringify({ userId: user }))} \\\n  "${base}/getToken?APIKEY=$KAISATSU_KEY" | jq -r .token)`,
    `curl --json ${body} \\\n  "${base}/createDataSet?APIKEY=$KAISATSU_KEY&token=$TOKEN"`,
  ].join('\n\n');
}

/** Downloads a file. The object URL is revoked after the browser has read it. */
export function saveFile(name: string, blob: Blob) {
  const url = URL.createObjectURL(blob);
  saveLink(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Derives a file name from the name of a dataset. */
export const fileName = (name: string, ending: string) =>
  `${
    name
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'dataset'
  }.${ending}`;
