import { vi } from 'vitest';

// Unit tests see the console in English. The real module reads the language of a browser.
vi.mock('$/lib/i18n.svelte', async () => {
  const { en } = await import('$/messages/en');
  return { i18n: { language: 'en', words: en }, t: en };
});
