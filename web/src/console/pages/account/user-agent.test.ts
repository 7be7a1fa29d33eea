import { expect, test } from 'vitest';
import { parseUserAgent } from './user-agent';

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/140.0.0.0`, 'Edge', 'Windows'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${chrome}`, 'Chrome', 'Linux'],
  [`Mozilla/5.0 (Linux; Android 15) ${chrome}`, 'Chrome', 'Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox', 'macOS'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/1 Safari/604.1', 'Safari', 'iPhone'],
  ['curl/8.14.1', 'curl', null],
  ['something else', null, null],
])('%.60s', (agent, browser, system) => expect(parseUserAgent(agent)).toEqual({ browser, system }));
