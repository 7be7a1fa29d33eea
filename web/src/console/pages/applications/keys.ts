import { t } from '$/lib/i18n.svelte';
import type { Application, Key } from '$/lib/console';
import { CONSOLE } from './usage/usage';

/**
 * How keys are called in charts: by their hints. Two keys that end alike get their ids too, since each name has to be
 * one key's.
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

/** When one of its keys was last used; null when none ever was. */
export function lastUse(application: Application): string | null {
  return application.keys.reduce<string | null>(
    (latest, { lastUsedAt }) => (lastUsedAt !== null && (latest === null || lastUsedAt > latest) ? lastUsedAt : latest),
    null,
  );
}

/**
 * What a key is by itself: the server calls those of a disabled application disabled too, but they come back with it.
 */
export function ownState(key: Key): Key['state'] {
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()) return 'expired';
  return key.disabledAt === null ? 'active' : 'disabled';
}

export const activeKeys = (application: Application) => application.keys.filter((key) => ownState(key) === 'active');

/** The part of today's quota that is used; null without a limit. */
export function quotaShare({ perDay, usedToday }: Application['quota']): number | null {
  return perDay === null ? null : Math.min(1, usedToday / perDay);
}
export const quotaTone = (share: number | null) =>
  share === null || share < 0.8 ? 'accent' : share < 1 ? 'warn' : 'bad';
