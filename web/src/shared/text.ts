/** A value as text: strings as they are, everything else as JSON. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
