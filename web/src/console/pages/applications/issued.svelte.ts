import { session } from '$/lib/session.svelte';

export type Issued = {
  application: { id: string; name: string };
  secret: string;
  /**
   * The first key of a new application, an additional key, or the replacement of a key that expires (null:
   * immediately).
   */
  why: { kind: 'first' } | { kind: 'another' } | { kind: 'rotated'; hint: string; ends: string | null };
};

let waiting = $state.raw<(Issued & { of: string | undefined }) | null>(null);

/**
 * The key that is being shown. Kept outside the page: users who go back before copying it see it again until they close
 * it, sign out or reload the console.
 */
export const issued = {
  get now(): Issued | null {
    return waiting && waiting.of === session.account?.id ? waiting : null;
  },
  show(key: Issued) {
    waiting = { ...key, of: session.account?.id };
  },
  forget() {
    waiting = null;
  },
};
