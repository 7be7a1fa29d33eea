/** The languages of the SDKs, by their folder in `sdk/`. */
export const LANGUAGES = {
  python: 'Python',
  typescript: 'TypeScript',
  java: 'Java',
  android: 'Kotlin',
  swift: 'Swift',
} as const;
export type SdkLanguage = keyof typeof LANGUAGES;
export const EXAMPLES = ['aroundMe', 'whatIsThis', 'teach', 'correct'] as const;
export type Example = (typeof EXAMPLES)[number];

// The very files that the tests of the SDKs run. Each is loaded when it is shown.
const files = import.meta.glob<string>('../../../../../sdk/*/examples/**/*.{py,ts,java,kt,swift}', {
  query: '?raw',
  import: 'default',
});

/** `around_me.py`, `AroundMe.java` and `around_me/main.swift` are one example. */
const keyOf = (path: string) => {
  const [, language, name] = /sdk\/(\w+)\/examples\/(\w+)(?:\.\w+|\/main\.swift)$/.exec(path) ?? [];
  return language && name ? `${language}/${name.replaceAll('_', '').toLowerCase()}` : '';
};
const byKey = new Map(Object.entries(files).map(([path, load]) => [keyOf(path), load]));

/** The source of an example. */
export async function exampleOf(language: SdkLanguage, example: Example): Promise<string> {
  const load = byKey.get(`${language}/${example.toLowerCase()}`);
  if (!load) throw new Error(`there is no example ${example} in ${language}`);
  return (await load()).trimEnd();
}
