import { t } from '$/lib/i18n.svelte';

/** Trims the spaces that phone keyboards add, as the server does. */
export const trimEmail = (email: string) => email.trim();

export function emailProblem(email: string): string | null {
  if (trimEmail(email) === '') return t.auth.emailMissing;
  return /^[^\s@]+@[^\s@]+$/.test(trimEmail(email)) ? null : t.auth.emailOdd;
}

/** The rules of the server, which counts characters and not UTF-16 code units. */
export function newPasswordProblem(password: string, email = ''): string | null {
  const length = [...password].length;
  if (length === 0) return t.auth.passwordMissing;
  if (length < 10) return t.auth.passwordShort(length);
  if (length > 200) return t.auth.passwordLong;
  return email !== '' && password.toLowerCase() === trimEmail(email).toLowerCase() ? t.auth.passwordIsEmail : null;
}
