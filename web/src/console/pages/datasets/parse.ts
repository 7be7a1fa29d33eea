import { countCharacters, MAX_TAG_LENGTH, MAX_URL_LENGTH } from './dataset-api';

export type ListFormat = 'spaces' | 'csv' | 'tsv';
export type Problem = 'noTag' | 'noUrl' | 'notHttp' | 'credentials' | 'urlLong' | 'tagLong' | 'control';
export type Row = { line: number; url: string; tag: string };
export type Parsed = {
  format: ListFormat;
  rows: Row[];
  problems: { line: number; problem: Problem; text: string }[];
  repeated: { line: number; before: number }[];
};

/** The fields of a CSV or TSV line. Fields may be quoted, and quotes in them are doubled. */
function fields(line: string, separator: string): string[] {
  const found: string[] = [];
  let [field, quoted] = ['', false];
  for (let at = 0; at < line.length; at++) {
    const sign = line[at];
    if (quoted) {
      if (sign !== '"') field += sign;
      else if (line[at + 1] === '"') [field, at] = [`${field}"`, at + 1];
      else quoted = false;
    } else if (sign === '"' && field.trim() === '') [field, quoted] = ['', true];
    else if (sign === separator) {
      found.push(field.trim());
      field = '';
    } else field += sign;
  }
  return [...found, field.trim()];
}

const HEADER = /^(url|address|image|imageurl|image_url|tag|label|class)$/i;
const isAddress = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** URLs may contain commas: the list is CSV only if a comma precedes any space in every line. */
export function formatOf(lines: string[]): ListFormat {
  const dataLines = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  if (dataLines.some((line) => line.includes('\t'))) return 'tsv';
  const csv = (line: string) =>
    line.startsWith('"') || /^[a-z]+:\/\/[^\s,]+\s*,/i.test(line) || /,\s*"?[a-z]+:\/\//i.test(line);
  const first = dataLines[0];
  const header = first !== undefined && first.includes(',') && fields(first, ',').every((field) => HEADER.test(field));
  const rest = header ? dataLines.slice(1) : dataLines;
  return header || (rest.length > 0 && rest.every(csv)) ? 'csv' : 'spaces';
}

/** The URL and the tag of a line, in either order. */
function pair(line: string, format: ListFormat): [url: string, tag: string] {
  const [one = '', two = ''] =
    format === 'spaces'
      ? [/^\S+/.exec(line)?.[0], line.replace(/^\S+\s*/, '').trim()]
      : fields(line, format === 'csv' ? ',' : '\t');
  return !isAddress(one) && isAddress(two) ? [two, one] : [one, two];
}

function problemOf(url: string, tag: string): Problem | null {
  if (url === '' || !URL.canParse(url)) return 'noUrl';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'notHttp';
  if (username || password) return 'credentials';
  if (countCharacters(url) > MAX_URL_LENGTH) return 'urlLong';
  if (tag === '') return 'noTag';
  if (countCharacters(tag) > MAX_TAG_LENGTH) return 'tagLong';
  return /\p{Cc}/u.test(tag) ? 'control' : null;
}

/** Parses a list of URLs and tags, one per line. Empty lines, comments (#) and a header line are skipped. */
export function parseList(text: string): Parsed {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const format = formatOf(lines);
  const parsed: Parsed = { format, rows: [], problems: [], repeated: [] };
  const seen = new Map<string, number>();
  let first = true;
  for (const [at, raw] of lines.entries()) {
    const line = format === 'tsv' ? raw.replace(/[ \r]+$/, '') : raw.trim();
    if (line.trim() === '' || line.startsWith('#')) continue;
    const isHeader =
      first && format !== 'spaces' && fields(line, format === 'csv' ? ',' : '\t').every((field) => HEADER.test(field));
    first = false;
    if (isHeader) continue;
    const [url, tag] = pair(line, format);
    const problem = problemOf(url, tag);
    if (problem) parsed.problems.push({ line: at + 1, problem, text: line });
    else {
      const before = seen.get(url);
      if (before !== undefined) parsed.repeated.push({ line: at + 1, before });
      else seen.set(url, at + 1);
      parsed.rows.push({ line: at + 1, url, tag });
    }
  }
  return parsed;
}

/** The text without the given lines, counted from one. */
export function withoutLines(text: string, gone: ReadonlySet<number>): string {
  return text
    .split(/\r\n|\r|\n/)
    .filter((_, at) => !gone.has(at + 1))
    .join('\n');
}

/** The start and end of a line in a text. */
export function placeOfLine(text: string, line: number): [from: number, to: number] {
  const lines = text.split('\n');
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return [from, from + (lines[line - 1]?.length ?? 0)];
}
