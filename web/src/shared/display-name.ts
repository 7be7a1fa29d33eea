/** Something on a map that has a Japanese name and may have an English one. */
export type Named = { name: string; translation?: string };

/** The name to show: the translation for readers of English, if there is one. */
export const displayName = ({ name, translation }: Named, inJapanese: boolean) => (!inJapanese && translation) || name;
