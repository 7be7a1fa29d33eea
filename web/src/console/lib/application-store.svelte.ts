import { api, type Application } from '$/lib/console';
import { readSetting, writeSetting } from '$/lib/settings';
import { PublicApi } from '$/lib/public';
import { session } from '$/lib/session.svelte';

/** The applications of the signed-in account, and the one whose identity the pages of the public API use. */
class ApplicationStore {
  #list = $state.raw<Application[] | null>(null);
  #accountId = $state<string>();
  #selectedId = $state(readSetting('application'));
  #linkedId = $state<string | null>(null);
  #loading: Promise<Application[]> | null = null;

  /** Null until loaded, and after another account has signed in. */
  get list() {
    return this.#accountId === session.account?.id ? this.#list : null;
  }
  get current(): Application | null {
    const usable = (this.list ?? []).filter((one) => one.disabledAt === null);
    const find = (id: string | null) => usable.find((one) => one.id === id);
    return find(this.#linkedId) ?? find(this.#selectedId) ?? usable[0] ?? null;
  }
  /** The public API as the current application, or null if there is none. */
  get api(): PublicApi | null {
    return this.current ? new PublicApi(this.current.id, session.server.routeService) : null;
  }

  select(id: string) {
    [this.#selectedId, this.#linkedId] = [id, null];
    writeSetting('application', id);
  }

  /**
   * Uses the application that a link refers to until another one is selected. Ignored if the account does not own it.
   */
  selectLinked(id: string | null) {
    if (id !== null) this.#linkedId = id;
  }

  /** Loads the applications. Concurrent calls share one request. */
  load(): Promise<Application[]> {
    this.#loading ??= api
      .get('applications')
      .then(({ applications }) => {
        this.#accountId = session.account?.id;
        return (this.#list = applications);
      })
      .finally(() => (this.#loading = null));
    return this.#loading;
  }
}

export const applicationStore = new ApplicationStore();
