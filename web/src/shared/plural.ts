/** A count with its English noun: `1 station`, `1,204 stations`. Japanese nouns have no plural. */
export const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
