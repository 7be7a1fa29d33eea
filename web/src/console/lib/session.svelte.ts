import { api, attachSession, type Account, type Session } from '$/lib/console';
import { t } from '$/lib/i18n.svelte';
import { forgetPasses } from '$/lib/public';
import { href, router } from '$/lib/router.svelte';
import { toasts } from '$/lib/toasts.svelte';

/** The signed-in account and the configuration of the server. */
class SessionState {
  #now = $state.raw<Session | null>(null);
  #setCsrf = attachSession({
    account: () => this.account?.id,
    lost: () => this.#lost(),
    renewed: (session) => this.#renewed(session),
  });

  get known() {
    return this.#now !== null;
  }
  get account(): Account | null {
    return this.#now?.account ?? null;
  }
  get isOperator() {
    return this.#now?.account?.role === 'operator';
  }
  get registration() {
    return this.#now?.registration ?? 'closed';
  }
  get empty() {
    return this.#now?.empty ?? false;
  }
  get mail() {
    return this.#now?.mail ?? false;
  }

  /** The configuration of the server. Must not be read unless `known`. */
  get server(): Session['server'] {
    if (!this.#now) throw new Error('the session is not known yet');
    return this.#now.server;
  }

  /** Stores a session returned by the API. */
  take(session: Session) {
    if (session.account?.id !== this.#now?.account?.id) forgetPasses();
    this.#setCsrf(session.csrf);
    this.#now = session;
  }

  async refresh() {
    this.take(await api.get('session'));
  }

  async signIn(email: string, password: string) {
    this.take(await api.post('session', { body: { email, password } }));
  }

  async signOut() {
    await api.delete('session');
    this.#forget();
    // Immediately, before anything stores the current page as the one to return to: another person may sign in next.
    router.go(href('signIn'));
    await this.refresh();
  }

  /** The session has ended elsewhere. Signing in again returns to the current page. */
  #lost() {
    if (!this.#now?.account) return;
    const here = router.here;
    this.#forget();
    if (!router.isPublic) router.go(href('signIn', { next: here, ended: true }), { replace: true });
  }

  /**
   * Another tab has signed in. If it is a different account, the page is remounted, so the message is shown as a toast.
   */
  #renewed(session: Session) {
    const before = this.account?.id;
    this.take(session);
    if (session.account && session.account.id !== before) toasts.show(t.common.errors.otherAccount, 'bad');
  }

  #forget() {
    forgetPasses();
    this.#setCsrf(null);
    if (this.#now) this.#now = { ...this.#now, account: null, csrf: null };
  }
}

export const session = new SessionState();

/** The page to open after signing in. Only paths of the console are accepted, never other sites. */
export function placeAfterSignIn(): string {
  const next = router.query.get('next') ?? '';
  return /^\/console\/(?!\/)/.test(next) && !next.startsWith(href('signIn')) ? next : href('overview');
}
