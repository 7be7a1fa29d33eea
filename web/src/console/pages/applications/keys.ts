import { t } from '$/lib/i18n.svelte';
import type { Application, Key } from '$/lib/console';
import { CONSOLE } from './usage/usage';

/**
 * The names of keys in charts: their hints. Keys with equal hints are followed by their ids, because names must be
 * unique.
 */
export function keyNames(keys: Key[]): Map<string, string> {
  const hints = new Map<string, number>();
  for (const key of keys) hints.set(key.hint, (hints.get(key.hint) ?? 0) + 1);
  const names = keys.map((key): [string, string] => [
    key.id,
    (hints.get(key.hint) ?? 0) > 1 ? `…${key.hint} (${key.id})` : `…${key.hint}`,
  ]);
  return new Map([...names, [CONSOLE, t.applications.usage.console]]);
}

/** When any of the keys was last used, or null if none was. */
export function lastUse(application: Application): string | null {
  return application.keys.reduce<string | null>(
    (latest, { lastUsedAt }) => (lastUsedAt !== null && (latest === null || lastUsedAt > latest) ? lastUsedAt : latest),
    null,
  );
}

/**
 * The state of the key itself. The server reports the keys of a disabled application as disabled, although they work
 * again once it is enabled.
 */
export function ownState(key: Key): Key['state'] {
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()) return 'expired';
  return key.disabledAt === null ? 'active' : 'disabled';
}

const SOON = 7 * 86_400_000;
/** Whether a key ends within a week, because it was replaced or was created for a time. */
export const expiresSoon = (key: Key) => key.expiresAt !== null && Date.parse(key.expiresAt) - Date.now() < SOON;

export const activeKeys = (application: Application) => application.keys.filter((key) => ownState(key) === 'active');

/** The used share of today's quota, or null without a limit. */
export function quotaShare({ perDay, usedToday }: Application['quota']): number | null {
  return perDay === null ? null : Math.min(1, usedToday / perDay);
}
export const quotaTone = (share: number | null) =>
  share === null || share < 0.8 ? 'accent' : share < 1 ? 'warn' : 'bad';
