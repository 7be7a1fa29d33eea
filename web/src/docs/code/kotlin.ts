import { KEY, hasFile, queryOf, type SampleRequest, type Value } from '../request';

// Kotlin fills `$name` in, also in plain strings.
const quoted = (text: string) => JSON.stringify(text).replaceAll('$', String.raw`\$`);
const written = (value: Value) => (typeof value === 'string' ? quoted(value) : `System.getenv("${value.env}")`);

/** For OkHttp, the client of Android. */
export function kotlin(request: SampleRequest): string {
  const query = queryOf(request);
  const { content } = request;
  const imports = ['okhttp3.HttpUrl.Companion.toHttpUrl', 'okhttp3.OkHttpClient', 'okhttp3.Request'];
  const file = hasFile(content);
  if (file || request.answers === 'picture') imports.push('java.io.File');
  if (file) imports.push('okhttp3.RequestBody.Companion.asRequestBody');
  if (content?.kind === 'form') imports.push('okhttp3.MultipartBody');
  if (content?.kind === 'json' || content?.kind === 'bytes') imports.push('okhttp3.MediaType.Companion.toMediaType');
  const bare = !content && request.method === 'POST';
  if (content?.kind === 'json' || bare) imports.push('okhttp3.RequestBody.Companion.toRequestBody');
  const lines = [
    `val address = "${request.address}".toHttpUrl().newBuilder()`,
    ...query.map(([name, value]) => `    .addQueryParameter("${name}", ${written(value)})`),
    '    .build()',
  ];
  if (content?.kind === 'json') {
    lines.push(`val body = ${quoted(JSON.stringify(content.value))}.toRequestBody("application/json".toMediaType())`);
  } else if (content?.kind === 'bytes') {
    lines.push(`val body = File("${content.file}").asRequestBody("${content.contentType}".toMediaType())`);
  } else if (content?.kind === 'form') {
    lines.push('val body = MultipartBody.Builder().setType(MultipartBody.FORM)');
    for (const field of content.fields) {
      const rest = 'file' in field ? `"${field.file}", File("${field.file}").asRequestBody()` : quoted(field.value);
      lines.push(`    .addFormDataPart("${field.name}", ${rest})`);
    }
    lines.push('    .build()');
  }
  lines.push(
    'val request = Request.Builder().url(address)',
    ...(request.keyIn === 'header' ? [`    .header("X-API-Key", ${written(KEY)})`] : []),
    ...(content
      ? ['    .post(body)']
      : ({ GET: [], POST: ['    .post("".toRequestBody())'], DELETE: ['    .delete()'] }[request.method] ?? [])),
    '    .build()',
    'OkHttpClient().newCall(request).execute().use { answer ->',
    request.answers === 'picture'
      ? '    File("answer.png").writeBytes(answer.body!!.bytes())'
      : '    println("${answer.code} ${answer.body?.string()}")',
    '}',
  );
  return [
    ...imports.sort().map((name) => `import ${name}`),
    '',
    'fun main() {',
    ...lines.map((line) => `    ${line}`),
    '}',
  ].join('\n');
}
