// Results as plain JSON, and their comparison with what the story expects.

export type Json = unknown;

export function plain(value: unknown): Json {
  if (value === undefined) return null;
  if (typeof value === 'object' && value !== null && 'content' in value && value.content instanceof Blob) {
    return { contentType: (value as unknown as { contentType: string }).contentType, size: value.content.size };
  }
  return JSON.parse(JSON.stringify(value)) as Json;
}

export function lookup(value: Json, path: string): Json {
  if (path === '' || value === null || value === undefined) return value ?? null;
  const dot = path.indexOf('.');
  const [first, rest] = dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
  if (Array.isArray(value)) {
    if (first === '*') return value.map((inner) => lookup(inner, rest));
    return first === 'length' ? value.length : lookup(value[Number(first)], rest);
  }
  return typeof value === 'object' ? lookup((value as Record<string, Json>)[first], rest) : null;
}

/** What of a result, an error or a request is not as expected. */
export function differences(value: Json, expected: Record<string, Json>, saved: Map<string, Json>): string[] {
  return Object.entries(expected)
    .filter(([path, what]) => !holds(lookup(value, path), what, value, saved))
    .map(
      ([path, what]) =>
        `${path || 'the result'} is ${JSON.stringify(lookup(value, path))}, not ${JSON.stringify(what)}`,
    );
}

function holds(found: Json, what: Json, whole: Json, saved: Map<string, Json>): boolean {
  if (typeof what === 'string' && what.startsWith('$$')) return found === lookup(whole, what.slice(2));
  if (typeof what === 'string' && what.startsWith('$')) return found === saved.get(what.slice(1));
  if (typeof what !== 'object' || what === null) return found === what;
  const [[matcher, operand]] = Object.entries(what) as [[string, never]];
  const number = typeof found === 'number' ? found : NaN;
  switch (matcher) {
    case 'exists':
      return (found !== null) === operand;
    case 'atLeast':
      return number >= operand;
    case 'atMost':
      return number <= operand;
    case 'near':
      return Math.abs(number - operand[0]) <= operand[1];
    case 'contains':
      return typeof found === 'string' && (operand as string).split('|').some((part) => found.includes(part));
    case 'includes':
      return Array.isArray(found) && found.some((one) => holds(one, operand, whole, saved));
    case 'oneOf':
      return (operand as Json[]).includes(found);
    default:
      throw new Error(`unknown matcher ${matcher}`);
  }
}
