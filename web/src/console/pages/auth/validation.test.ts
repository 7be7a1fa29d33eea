import { expect, test } from 'vitest';
import { t } from '$/lib/i18n.svelte';
import { emailProblem, newPasswordProblem } from './validation';

test('an address has something on both sides of one @', () => {
  expect(emailProblem(' hana@example.org ')).toBeNull();
  expect(emailProblem(' ')).toBe(t.auth.emailMissing);
  for (const odd of ['hana', '@example.org', 'hana@', 'a@b@c', 'a b@c'])
    expect(emailProblem(odd)).toBe(t.auth.emailOdd);
});

test('a new password has 10 to 200 characters and is not the address', () => {
  expect(newPasswordProblem('correct horse')).toBeNull();
  expect(newPasswordProblem('')).toBe(t.auth.passwordMissing);
  expect(newPasswordProblem('123456789')).toBe(t.auth.passwordShort(9));
  expect(newPasswordProblem('x'.repeat(201))).toBe(t.auth.passwordLong);
  expect(newPasswordProblem('Hana@Example.org', ' hana@example.org')).toBe(t.auth.passwordIsEmail);
  // Characters are counted, not UTF-16 units.
  expect(newPasswordProblem('😀'.repeat(9))).toBe(t.auth.passwordShort(9));
});
