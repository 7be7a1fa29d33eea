import { KEY, queryOf, type SampleRequest, type Value } from '../request';

const BOUNDARY = 'kaisatsu-boundary';
// Swift has no escapes of four digits, and JSON.stringify makes them of control characters alone.
const quoted = (text: string) => JSON.stringify(text).replace(/\\u([0-9a-f]{4})/g, String.raw`\u{$1}`);
const environment = (name: string) => `ProcessInfo.processInfo.environment["${name}"]!`;
const written = (value: Value) => (typeof value === 'string' ? quoted(value) : environment(value.env));

/** For Foundation. */
export function swift(request: SampleRequest): string {
  const query = queryOf(request);
  const { content } = request;
  const lines = [
    'import Foundation',
    '#if canImport(FoundationNetworking)',
    '  import FoundationNetworking  // on Linux',
    '#endif',
    '',
    `${query.length > 0 ? 'var' : 'let'} address = URLComponents(string: "${request.address}")!`,
  ];
  if (query.length > 0) {
    lines.push(
      'address.queryItems = [',
      ...query.map(([name, value]) => `  URLQueryItem(name: "${name}", value: ${written(value)}),`),
      ']',
    );
  }
  lines.push(`var request = URLRequest(url: address.url!)`, `request.httpMethod = "${request.method}"`);
  if (request.keyIn === 'header') lines.push(`request.setValue(${written(KEY)}, forHTTPHeaderField: "X-API-Key")`);
  const type = (name: string) => `request.setValue("${name}", forHTTPHeaderField: "Content-Type")`;
  if (content?.kind === 'json') {
    lines.push(type('application/json'), `request.httpBody = Data(${quoted(JSON.stringify(content.value))}.utf8)`);
  } else if (content?.kind === 'bytes') {
    lines.push(
      type(content.contentType),
      `request.httpBody = try Data(contentsOf: URL(fileURLWithPath: "${content.file}"))`,
    );
  } else if (content?.kind === 'form') {
    lines.push(type(`multipart/form-data; boundary=${BOUNDARY}`), ...form(content.fields), 'request.httpBody = body');
  }
  lines.push(
    'let (data, answer) = try await URLSession.shared.data(for: request)',
    request.answers === 'picture'
      ? 'try data.write(to: URL(fileURLWithPath: "answer.png"))'
      : 'print((answer as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))',
  );
  return lines.join('\n');
}

function form(fields: { name: string; value?: string; file?: string }[]): string[] {
  const lines = ['var body = Data()'];
  for (const { name, value, file } of fields) {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
    if (file === undefined) {
      lines.push(`body.append(Data(${quoted(`${head}\r\n\r\n${value ?? ''}\r\n`)}.utf8))`);
    } else {
      lines.push(
        `body.append(Data(${quoted(`${head}; filename="${file}"\r\n\r\n`)}.utf8))`,
        `body.append(try Data(contentsOf: URL(fileURLWithPath: "${file}")))`,
        String.raw`body.append(Data("\r\n".utf8))`,
      );
    }
  }
  return [...lines, `body.append(Data(${quoted(`--${BOUNDARY}--\r\n`)}.utf8))`];
}
