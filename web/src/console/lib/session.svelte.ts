import { api, attachSession, type Account, type Session } from '$/lib/console';
import { t } from '$/lib/i18n.svelte';
import { forgetPasses } from '$/lib/public';
import { href, router } from '$/lib/router.svelte';
import { toasts } from '$/lib/toasts.svelte';

/** Who is signed in, and what the server is like. */
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

  /** What the server is like; only read where `known`. */
  get server(): Session['server'] {
    if (!this.#now) throw new Error('the session is not known yet');
    return this.#now.server;
  }

  /** Takes a session that a call answered with. */
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
    // At once, before anything asks where to come back to: who signs in next may be somebody else.
    router.go(href('signIn'));
    await this.refresh();
  }

  /** The session has ended elsewhere; what one was looking at is shown again after signing in. */
  #lost() {
    if (!this.#now?.account) return;
    const here = router.here;
    this.#forget();
    if (!router.isPublic) router.go(href('signIn', { next: here, ended: true }), { replace: true });
  }

  /**
   * Another tab has signed in. As somebody else: then what is shown here is put up anew, and words on the page itself
   * would go with it.
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

/** Where to go after signing in: only a path of the console itself, never another site. */
export function placeAfterSignIn(): string {
  const next = router.query.get('next') ?? '';
  return /^\/console\/(?!\/)/.test(next) && !next.startsWith(href('signIn')) ? next : href('overview');
}
