import { hasFile, queryText, type SampleRequest } from '../request';

const BOUNDARY = 'kaisatsu-boundary';
// JSON and Java escape the same way.
const quoted = (text: string) => JSON.stringify(text);
const environment = (name: string) => `System.getenv("${name}")`;

/** For the client of Java 11 and later. */
export function java(request: SampleRequest): string {
  const { content } = request;
  const file = hasFile(content);
  const imports = [
    ...(content?.kind === 'form' ? ['java.io.ByteArrayOutputStream'] : []),
    'java.net.URI',
    'java.net.http.HttpClient',
    'java.net.http.HttpRequest',
    'java.net.http.HttpResponse',
    ...(file || request.answers === 'picture' ? ['java.nio.file.Path'] : []),
    ...(content?.kind === 'form' && file ? ['java.nio.file.Files'] : []),
  ].sort();
  const lines = content?.kind === 'form' ? form(content.fields) : [];
  lines.push(
    `HttpRequest request = HttpRequest.newBuilder(URI.create(${address(request)}))`,
    ...(request.keyIn === 'header' ? [`    .header("X-API-Key", ${environment('KAISATSU_KEY')})`] : []),
    ...contentType(content),
    `    ${method(request)}`,
    '    .build();',
  );
  const handler =
    request.answers === 'picture' ? 'BodyHandlers.ofFile(Path.of("answer.png"))' : 'BodyHandlers.ofString()';
  const type = request.answers === 'picture' ? 'Path' : 'String';
  lines.push(
    'HttpClient client = HttpClient.newHttpClient();',
    `HttpResponse<${type}> answer = client.send(request, HttpResponse.${handler});`,
    'System.out.println(answer.statusCode() + " " + answer.body());',
  );
  return [
    ...imports.map((name) => `import ${name};`),
    '',
    'public class Sample {',
    '    public static void main(String[] arguments) throws Exception {',
    ...lines.map((line) => `        ${line}`),
    '    }',
    '}',
  ].join('\n');
}

/** An expression: texts and variables of the environment, joined by `+`. */
function address(request: SampleRequest): string {
  const parts = (request.address + queryText(request, (name) => `\0${name}\0`)).split('\0');
  const terms = parts.map((part, at) => (at % 2 === 1 ? environment(part) : part === '' ? '' : quoted(part)));
  return terms.filter((term) => term !== '').join(' + ');
}

function contentType(content: SampleRequest['content']): string[] {
  if (!content) return [];
  const type = {
    json: 'application/json',
    form: `multipart/form-data; boundary=${BOUNDARY}`,
    bytes: content.kind === 'bytes' ? content.contentType : '',
  }[content.kind];
  return [`    .header("Content-Type", "${type}")`];
}

function method({ method: name, content }: SampleRequest): string {
  const of = (text: string) => `HttpRequest.BodyPublishers.${text}`;
  if (!content) return name === 'GET' ? '.GET()' : `.method("${name}", ${of('noBody()')})`;
  if (content.kind === 'json') return `.POST(${of(`ofString(${quoted(JSON.stringify(content.value))})`)})`;
  if (content.kind === 'bytes') return `.POST(${of(`ofFile(Path.of("${content.file}"))`)})`;
  return `.POST(${of('ofByteArray(body.toByteArray())')})`;
}

function form(fields: { name: string; value?: string; file?: string }[]): string[] {
  const lines = ['ByteArrayOutputStream body = new ByteArrayOutputStream();'];
  for (const { name, value, file } of fields) {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
    if (file === undefined) {
      lines.push(`body.write(${quoted(`${head}\r\n\r\n${value ?? ''}\r\n`)}.getBytes("UTF-8"));`);
    } else {
      lines.push(
        `body.write(${quoted(`${head}; filename="${file}"\r\n\r\n`)}.getBytes("UTF-8"));`,
        `body.write(Files.readAllBytes(Path.of("${file}")));`,
        String.raw`body.write("\r\n".getBytes("UTF-8"));`,
      );
    }
  }
  return [...lines, `body.write(${quoted(`--${BOUNDARY}--\r\n`)}.getBytes("UTF-8"));`];
}
