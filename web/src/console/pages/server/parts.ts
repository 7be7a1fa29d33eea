import type { ServerPart } from '$/lib/console';

/** The colour of each state. */
export const TONES = { ok: 'good', off: 'plain', starting: 'info', degraded: 'warn', failing: 'bad' } as const;

export const needsAttention = (part: ServerPart) => part.state === 'degraded' || part.state === 'failing';

const ORDER = ['ok', 'off', 'starting', 'degraded', 'failing'] as const;

/** The worst state of several parts. */
export function worst(parts: ServerPart[]): ServerPart['state'] {
  const ranks = parts.map((part) => ORDER.indexOf(part.state));
  return ORDER[Math.max(0, ...ranks)] ?? 'ok';
}
