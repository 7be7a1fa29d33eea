import { api, type Application } from '$/lib/console';
import { readSetting, writeSetting } from '$/lib/settings';
import { PublicApi } from '$/lib/public';
import { session } from '$/lib/session.svelte';

/** The applications of the signed-in account, and the one whose identity the pages of the public API use. */
class Chosen {
  #list = $state.raw<Application[] | null>(null);
  #of = $state<string>();
  #id = $state(readSetting('application'));
  #linked = $state<string | null>(null);
  #loading: Promise<Application[]> | null = null;

  /** Null until loaded, and after another account has signed in. */
  get list() {
    return this.#of === session.account?.id ? this.#list : null;
  }
  get application(): Application | null {
    const usable = (this.list ?? []).filter((one) => one.disabledAt === null);
    const named = (id: string | null) => usable.find((one) => one.id === id);
    return named(this.#linked) ?? named(this.#id) ?? usable[0] ?? null;
  }
  /** The public API as the current application, or null if there is none. */
  get api(): PublicApi | null {
    return this.application ? new PublicApi(this.application.id, session.server.routeService) : null;
  }

  choose(id: string) {
    [this.#id, this.#linked] = [id, null];
    writeSetting('application', id);
  }

  /**
   * Uses the application that a link refers to until another one is selected. Ignored if the account does not own it.
   */
  follow(id: string | null) {
    if (id !== null) this.#linked = id;
  }

  /** Loads the applications. Concurrent calls share one request. */
  load(): Promise<Application[]> {
    this.#loading ??= api
      .get('applications')
      .then(({ applications }) => {
        this.#of = session.account?.id;
        return (this.#list = applications);
      })
      .finally(() => (this.#loading = null));
    return this.#loading;
  }
}

export const chosen = new Chosen();
