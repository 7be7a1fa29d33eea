import { KEY, queryOf, type SampleRequest, type Value } from '../request';

/** For Python's `requests`. */
export function python(request: SampleRequest): string {
  const query = queryOf(request);
  const headers: [string, Value][] = request.keyIn === 'header' ? [['X-API-Key', KEY]] : [];
  const { content } = request;
  if (content?.kind === 'bytes') headers.push(['Content-Type', content.contentType]);
  const usesEnvironment = [...query, ...headers].some(([, value]) => typeof value !== 'string');
  const lines = [`"${request.address}"`];
  if (headers.length > 0) lines.push(`headers=${dictionary(headers)}`);
  if (query.length > 0) lines.push(`params=${dictionary(query)}`);
  if (content?.kind === 'json') lines.push(`json=${literal(content.value)}`);
  if (content?.kind === 'bytes') lines.push(`data=open("${content.file}", "rb")`);
  if (content?.kind === 'form') {
    const files = content.fields.flatMap((field) =>
      'file' in field ? [`"${field.name}": open("${field.file}", "rb")`] : [],
    );
    const values = content.fields.flatMap((field) =>
      'file' in field ? [] : [[field.name, field.value] as [string, Value]],
    );
    // A form without a file would not be multipart.
    lines.push(`files={${files.join(', ')}}`);
    if (values.length > 0) lines.push(`data=${dictionary(values)}`);
  }
  const call = `requests.${request.method.toLowerCase()}(\n${lines.map((line) => `    ${line},\n`).join('')})`;
  return [
    ...(usesEnvironment ? ['import os'] : []),
    'import requests',
    '',
    `answer = ${call}`,
    'answer.raise_for_status()',
    {
      json: 'print(answer.json())',
      picture: 'open("answer.png", "wb").write(answer.content)',
      nothing: 'print(answer.status_code)',
    }[request.answers],
  ].join('\n');
}

function dictionary(entries: [string, Value][]): string {
  const inner = entries.map(([name, value]) => {
    return `"${name}": ${typeof value === 'string' ? JSON.stringify(value) : `os.environ["${value.env}"]`}`;
  });
  return `{${inner.join(', ')}}`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, inner]) => `"${name}": ${literal(inner)}`)
      .join(', ')}}`;
  }
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
}
