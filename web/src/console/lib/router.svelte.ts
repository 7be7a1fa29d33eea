import { tick } from 'svelte';

/** The path below /console of every page. `:name` is a parameter, which the page receives as a property. */
export const ROUTES = {
  overview: '/',
  applications: '/applications',
  application: '/applications/:id',
  maps: '/maps',
  map: '/maps/:id',
  recognition: '/recognition',
  datasets: '/datasets',
  dataset: '/datasets/:id',
  collections: '/collections',
  collection: '/collections/:name',
  catalogue: '/catalogue',
  feedback: '/feedback',
  account: '/account',
  operator: '/operator',
  server: '/server',
  signIn: '/sign-in',
  register: '/register',
  forgot: '/forgot',
  reset: '/reset',
  confirm: '/confirm',
} as const;

export type RouteName = keyof typeof ROUTES;
type Names<P extends string> = P extends `${infer A}/${infer B}`
  ? Names<A> | Names<B>
  : P extends `:${infer N}`
    ? N
    : never;
export type Params<R extends RouteName> = Record<Names<(typeof ROUTES)[R]>, string>;
export type Query = Record<string, string | number | boolean | null | undefined>;
type Rest<R extends RouteName> = keyof Params<R> extends never ? [query?: Query] : [params: Params<R>, query?: Query];

const BASE = '/console';
/** Pages that do not require an account. */
const PUBLIC: readonly string[] = ['signIn', 'register', 'forgot', 'reset', 'confirm'] satisfies RouteName[];

function withQuery(path: string, query: Query | undefined): string {
  const entries = Object.entries(query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== '' && value !== false,
  );
  return entries.length === 0
    ? path
    : `${path}?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}

/** The URL of a page: `href('application', { id }, { tab: 'usage' })`, `href('maps')`. */
export function href<R extends RouteName>(name: R, ...rest: Rest<R>): string {
  const path: string = ROUTES[name];
  const wanted = path.includes(':');
  const params = (wanted ? rest[0] : {}) as Record<string, string>;
  const query = wanted ? rest[1] : rest[0];
  return withQuery(BASE + path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? '')), query);
}

export type Match = { name: RouteName | 'notFound'; params: Record<string, string> };

function match(pathname: string): Match {
  const parts = pathname.slice(BASE.length).split('/').filter(Boolean);
  next: for (const [name, pattern] of Object.entries(ROUTES)) {
    const wanted = pattern.split('/').filter(Boolean);
    if (wanted.length !== parts.length) continue;
    const params: Record<string, string> = {};
    for (const [at, want] of wanted.entries()) {
      const part = parts[at] ?? '';
      if (want.startsWith(':')) {
        try {
          params[want.slice(1)] = decodeURIComponent(part);
        } catch {
          continue next;
        }
      } else if (want !== part) continue next;
    }
    return { name: name as RouteName, params };
  }
  return { name: 'notFound', params: {} };
}

type HistoryState = { key: string };
const scrolls = new Map<string, number>();
const newKey = () => Math.random().toString(36).slice(2);

class Router {
  #url = $state.raw(new URL(location.href));
  #match = $derived(match(this.#url.pathname));
  /** The scroll position of the next page, and whether its title takes the focus. */
  #afterMount: { scroll: number; focus: boolean } | null = null;
  #key = '';

  get name() {
    return this.#match.name;
  }
  get params() {
    return this.#match.params;
  }
  get query() {
    return this.#url.searchParams;
  }
  /** Path and query, for returning to this page. */
  get currentPath() {
    return this.#url.pathname + this.#url.search;
  }
  /** Identifies the page. The query is not part of it. */
  get pageKey() {
    return this.#url.pathname;
  }
  get isPublic() {
    return PUBLIC.includes(this.#match.name);
  }

  /** Navigates to a URL below /console. */
  navigate(url: string, options: { replace?: boolean } = {}) {
    const target = new URL(url, location.href);
    const same = target.pathname === this.#url.pathname;
    scrolls.set(this.#key, scrollY);
    if (!options.replace) this.#key = newKey();
    const state: HistoryState = { key: this.#key };
    if (options.replace) history.replaceState(state, '', target);
    else history.pushState(state, '', target);
    this.#afterMount = same ? null : { scroll: 0, focus: true };
    this.#url = target;
  }

  /**
   * Changes query parameters, for filters and tabs. Null, empty and false values are removed. Replaces the history
   * entry unless asked to push one.
   */
  setQuery(patch: Query, options: { push?: boolean } = {}) {
    const query = { ...Object.fromEntries(this.#url.searchParams), ...patch };
    this.navigate(withQuery(this.#url.pathname, query), { replace: !options.push });
  }

  /** Called when a page has been mounted. */
  async onPageMounted() {
    const afterMount = this.#afterMount;
    this.#afterMount = null;
    await tick();
    if (!afterMount) return;
    if (afterMount.focus) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    // Pages load their content after mounting, so wait until the page is tall enough to scroll.
    for (let frame = 0; frame < 40; frame++) {
      scrollTo(0, afterMount.scroll);
      if (scrollY >= afterMount.scroll - 1) break;
      await new Promise(requestAnimationFrame);
    }
  }

  start() {
    history.scrollRestoration = 'manual';
    this.#key = (history.state as HistoryState | null)?.key ?? newKey();
    history.replaceState({ key: this.#key } satisfies HistoryState, '');
    addEventListener('popstate', (event) => {
      const url = new URL(location.href);
      scrolls.set(this.#key, scrollY);
      this.#key = (event.state as HistoryState | null)?.key ?? newKey();
      this.#afterMount =
        url.pathname === this.#url.pathname ? null : { scroll: scrolls.get(this.#key) ?? 0, focus: true };
      this.#url = url;
    });
    // Handles clicks on links to pages of the console without reloading the document.
    document.addEventListener('click', (event) => {
      if (
        event.defaultPrevented ||
        event.button !== 0 ||
        event.metaKey ||
        event.ctrlKey ||
        event.shiftKey ||
        event.altKey
      )
        return;
      const link = (event.target as Element | null)?.closest('a');
      if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
      if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
      if (link.hash) return;
      event.preventDefault();
      this.navigate(link.href);
    });
  }
}

export const router = new Router();

/**
 * The query of the calling page. During navigation the URL is already that of the next page, so this page must neither
 * read its query nor write to it, for example from a debounced update.
 */
export function pageQuery() {
  const page = router.pageKey;
  let last = router.query;
  const now = $derived.by(() => {
    if (router.pageKey === page) last = router.query;
    return last;
  });
  return {
    get: (name: string) => now.get(name),
    has: (name: string) => now.has(name),
    set(patch: Query) {
      if (router.pageKey === page) router.setQuery(patch);
    },
  };
}
