import type { WantedImage } from './calls';

/** So that nothing in a text ends the quotes around it in a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** More than this is better sent from a file. */
export const INLINE = 20;

/** The request of createDataSet as lines for a shell, with the key and the token in variables. */
export function curlOf(user: string, name: string, images: WantedImage[]): string {
  const base = `${location.origin}/imageRecognition/v1/userCategory`;
  const body =
    images.length > INLINE
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

/** Hands a file to the person; the address of the blob is let go once the browser has taken it. */
export function saveFile(name: string, blob: Blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A name for a file out of what somebody calls a dataset. */
export const fileName = (name: string, ending: string) =>
  `${
    name
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'dataset'
  }.${ending}`;
