import { session } from '$/lib/session.svelte';

export type Issued = {
  application: { id: string; name: string };
  secret: string;
  /**
   * The first key of an application that was just made; another one; or the successor of a key that ends (null: at
   * once).
   */
  why: { kind: 'first' } | { kind: 'another' } | { kind: 'rotated'; hint: string; ends: string | null };
};

let waiting = $state.raw<(Issued & { of: string | undefined }) | null>(null);

/**
 * The secret that is being shown. It outlives the page: who leaves by the back button before copying finds it again on
 * coming
 * back, as long as nobody has closed it, signed out or loaded the console anew.
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
