import { vi } from 'vitest';

// Unit tests use the English messages. The real module reads the language of the browser.
vi.mock('$/lib/i18n.svelte', async () => {
  const { en } = await import('$/messages/en');
  return { i18n: { language: 'en', messages: en }, t: en };
});
