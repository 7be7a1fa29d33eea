import { expect, test } from 'vitest';
import { embedCode } from './embed';

test('what is embedded is quoted as HTML', () => {
  const code = embedCode('https://maps.example/map/tokyo?language=en#line=1&at=1,2,3', '東京 "<b>"');
  expect(code).toContain('src="https://maps.example/map/tokyo?language=en#line=1&amp;at=1,2,3"');
  expect(code).toContain('title="東京 &quot;&lt;b>&quot;"');
});
