import { queryText, type SampleRequest } from '../request';

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function curl(request: SampleRequest): string {
  const parts = ['curl'];
  if (request.method !== 'GET' && !(request.method === 'POST' && request.content)) parts.push(`-X ${request.method}`);
  if (request.keyIn === 'header') parts.push('-H "X-API-Key: $KAISATSU_KEY"');
  const { content } = request;
  if (content?.kind === 'json') {
    parts.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(content.value))}`);
  } else if (content?.kind === 'form') {
    for (const field of content.fields) {
      // `--form-string` takes a value that begins with @ or < as it is.
      if ('file' in field) parts.push(`-F ${field.name}=@${field.file}`);
      else parts.push(`--form-string ${quoted(`${field.name}=${field.value}`)}`);
    }
  } else if (content) {
    parts.push(`-H 'Content-Type: ${content.contentType}'`, `--data-binary @${content.file}`);
  }
  if (request.answers === 'picture') parts.push('-o answer.png');
  parts.push(`"${request.address}${queryText(request, (name) => `$${name}`)}"`);
  return parts.length <= 2 ? parts.join(' ') : parts.join(' \\\n  ');
}
