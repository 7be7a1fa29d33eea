import { api, attachSession, type Account, type Session } from '$/lib/console';
import { t } from '$/lib/i18n.svelte';
import { clearPasses } from '$/lib/public';
import { href, router } from '$/lib/router.svelte';
import { toasts } from '$/lib/toasts.svelte';

/** The signed-in account and the configuration of the server. */
class SessionState {
  #session = $state.raw<Session | null>(null);
  #setCsrf = attachSession({
    accountId: () => this.account?.id,
    onEnded: () => this.#onEnded(),
    onRenewed: (session) => this.#onRenewed(session),
  });

  get loaded() {
    return this.#session !== null;
  }
  get account(): Account | null {
    return this.#session?.account ?? null;
  }
  get isOperator() {
    return this.#session?.account?.role === 'operator';
  }
  get registration() {
    return this.#session?.registration ?? 'closed';
  }
  get hasNoAccounts() {
    return this.#session?.empty ?? false;
  }
  get sendsMail() {
    return this.#session?.mail ?? false;
  }

  /** The configuration of the server. Must not be read unless `loaded`. */
  get server(): Session['server'] {
    if (!this.#session) throw new Error('the session is not known yet');
    return this.#session.server;
  }

  /** Stores a session returned by the API. */
  update(session: Session) {
    if (session.account?.id !== this.#session?.account?.id) clearPasses();
    this.#setCsrf(session.csrf);
    this.#session = session;
  }

  async refresh() {
    this.update(await api.get('session'));
  }

  async signIn(email: string, password: string) {
    this.update(await api.post('session', { body: { email, password } }));
  }

  async signOut() {
    await api.delete('session');
    this.#clear();
    // Immediately, before anything stores the current page as the one to return to: another person may sign in next.
    router.navigate(href('signIn'));
    await this.refresh();
  }

  /** The session has ended elsewhere. Signing in again returns to the current page. */
  #onEnded() {
    if (!this.#session?.account) return;
    const path = router.currentPath;
    this.#clear();
    if (!router.isPublic) router.navigate(href('signIn', { next: path, ended: true }), { replace: true });
  }

  /**
   * Another tab has signed in. If it is a different account, the page is remounted, so the message is shown as a toast.
   */
  #onRenewed(session: Session) {
    const before = this.account?.id;
    this.update(session);
    if (session.account && session.account.id !== before) toasts.show(t.common.errors.otherAccount, 'bad');
  }

  #clear() {
    clearPasses();
    this.#setCsrf(null);
    if (this.#session) this.#session = { ...this.#session, account: null, csrf: null };
  }
}

export const session = new SessionState();

/** A path of the console, as links carry it; null for other sites. */
export const consolePath = (text: string | null) => (text !== null && /^\/console\/(?!\/)/.test(text) ? text : null);

/** The page to open after signing in. Only paths of the console are accepted, never other sites. */
export function pathAfterSignIn(): string {
  const next = consolePath(router.query.get('next'));
  return next !== null && !next.startsWith(href('signIn')) ? next : href('overview');
}
