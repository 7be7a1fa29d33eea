import { session } from '$/lib/session.svelte';

export type IssuedKey = {
  application: { id: string; name: string };
  secret: string;
  /**
   * The first key of a new application, an additional key, or the replacement of a key that expires (null:
   * immediately).
   */
  origin: { kind: 'first' } | { kind: 'another' } | { kind: 'rotated'; hint: string; ends: string | null };
};

let shown = $state.raw<(IssuedKey & { accountId: string | undefined }) | null>(null);

/**
 * The key that is being shown. Kept outside the page: users who go back before copying it see it again until they close
 * it, sign out or reload the console.
 */
export const issuedKey = {
  get current(): IssuedKey | null {
    return shown && shown.accountId === session.account?.id ? shown : null;
  },
  show(key: IssuedKey) {
    shown = { ...key, accountId: session.account?.id };
  },
  clear() {
    shown = null;
  },
};
