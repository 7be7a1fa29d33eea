import { expect, test } from 'vitest';
import { asCurl, asUrl } from './request';

const base = 'https://maps.example/route_service/v1/railmapDetail';

test('the address names a variable in place of the key, and encodes values', () => {
  expect(asUrl(base, { id: 'tokyo', stationName: '高円寺', gcs: 'wgs84' })).toBe(
    `${base}?APIKEY=$KAISATSU_KEY&id=tokyo&stationName=%E9%AB%98%E5%86%86%E5%AF%BA&gcs=wgs84`,
  );
});

test('the command has a line for each kind of parameter', () => {
  expect(asCurl(base, { id: 'tokyo', x: 1, y: 2, width: 3, height: 4, gcs: 'tokyo' })).toBe(
    `curl -G '${base}' \\\n  -d "APIKEY=$KAISATSU_KEY" -d id=tokyo \\\n` +
      '  -d x=1 -d y=2 -d width=3 -d height=4 \\\n  -d gcs=tokyo',
  );
});

test('what a shell could misread is quoted', () => {
  expect(asCurl(base, { id: 'tokyo', stationName: "a'b; rm", gcs: 'wgs84' })).toContain(
    "--data-urlencode 'stationName=a'\\''b; rm'",
  );
});
