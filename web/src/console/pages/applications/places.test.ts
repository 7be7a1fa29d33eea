import { expect, test } from 'vitest';
import { isPlace, placesIn } from './places';

test.each([
  'https://maps.example.org',
  'https://Maps.example.org',
  'http://localhost:5173',
  'https://[2001:db8::1]:8443',
  '192.0.2.10',
  '10.0.0.0/8',
  '2001:db8::/48',
  '::1',
])('%s is a place', (text) => expect(isPlace(text)).toBe(true));

test.each([
  'maps.example.org',
  'https://maps.example.org/',
  'https://maps.example.org/path',
  'https://maps.example.org:443',
  'https://user@maps.example.org',
  'ftp://maps.example.org',
  'https://',
  '192.0.2.256',
  '192.0.2.010',
  '192.0.2',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '2001:db8::/129',
  '2001:db8:::1',
])('%s is none', (text) => expect(isPlace(text)).toBe(false));

test('places are separated by lines or commas', () =>
  expect(placesIn(' https://a.example\n\n10.0.0.0/8, ::1 ,\n')).toEqual(['https://a.example', '10.0.0.0/8', '::1']));
