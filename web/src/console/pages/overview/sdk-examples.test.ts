import { expect, test } from 'vitest';
import { exampleOf, EXAMPLES, LANGUAGES, type SdkLanguage } from './sdk-examples';

test.each(Object.keys(LANGUAGES) as SdkLanguage[])('%s has every example', async (language) => {
  for (const example of EXAMPLES) expect(await exampleOf(language, example)).toContain('KAISATSU_');
});
