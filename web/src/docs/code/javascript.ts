import { KEY, hasFile, queryOf, type SampleRequest, type Value } from '../request';

const quoted = (text: string) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;

/** For Node.js; in a page, the file is one of an `<input type="file">`. */
export function javascript(request: SampleRequest): string {
  const query = queryOf(request);
  const { content } = request;
  const file = hasFile(content);
  const imports = [...(file ? ['openAsBlob'] : []), ...(request.answers === 'picture' ? ['writeFileSync'] : [])];
  const lines = imports.length > 0 ? [`import { ${imports.join(', ')} } from 'node:fs';`, ''] : [];
  lines.push(`const address = new URL('${request.address}');`);
  if (query.length > 0) lines.push(`address.search = new URLSearchParams(${object(query)});`);
  const options: string[] = request.method === 'GET' ? [] : [`method: '${request.method}'`];
  const headers: [string, Value][] = request.keyIn === 'header' ? [['X-API-Key', KEY]] : [];
  if (content?.kind === 'json') headers.push(['Content-Type', 'application/json']);
  if (content?.kind === 'bytes') headers.push(['Content-Type', content.contentType]);
  if (headers.length > 0) options.push(`headers: ${object(headers)}`);
  if (content?.kind === 'json') options.push(`body: JSON.stringify(${JSON.stringify(content.value)})`);
  if (content?.kind === 'bytes') options.push(`body: await openAsBlob('${content.file}')`);
  if (content?.kind === 'form') {
    lines.push('const body = new FormData();');
    for (const field of content.fields) {
      if ('file' in field)
        lines.push(`body.append('${field.name}', await openAsBlob('${field.file}'), '${field.file}');`);
      else lines.push(`body.append('${field.name}', ${quoted(field.value)});`);
    }
    options.push('body');
  }
  const given = options.length > 0 ? `, {\n${options.map((option) => `  ${option},\n`).join('')}}` : '';
  lines.push(`const answer = await fetch(address${given});`, 'if (!answer.ok) throw new Error(await answer.text());');
  lines.push(
    {
      json: 'console.log(await answer.json());',
      picture: `writeFileSync('answer.png', Buffer.from(await answer.arrayBuffer()));`,
      nothing: 'console.log(answer.status);',
    }[request.answers],
  );
  return lines.join('\n');
}

function object(entries: [string, Value][]): string {
  const inner = entries.map(([name, value]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
    return `${key}: ${typeof value === 'string' ? quoted(value) : `process.env.${value.env}`}`;
  });
  return `{ ${inner.join(', ')} }`;
}
