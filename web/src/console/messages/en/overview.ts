import { plural } from '$shared/plural';

export const overview = {
  title: 'Overview',
  lead: {
    loading: 'What your applications do, at a glance.',
    first: 'Welcome. First an application with its key, then your first call.',
    calm: 'Nothing needs your attention.',
    todo: (count: number) => (count === 1 ? 'One thing needs your attention.' : `${count} things need your attention.`),
  },
  todo: {
    title: 'To do',
    keyEnds: (hint: string, when: string) => `The key …${hint} expires ${when}`,
    keyEndsText: (name: string) => `${name}: replace it everywhere before then.`,
    noKey: (name: string) => `${name} has no key that works`,
    noKeyText: 'Nobody can call the server as this application.',
    quotaNear: (name: string, share: string) => `${name} has used ${share} of today’s quota`,
    quotaNearText: (when: string) => `It resets ${when}.`,
    quotaFull: (name: string) => `${name} has used up today’s quota`,
    quotaFullText: (when: string) => `Its calls are refused. The quota resets ${when}.`,
    waiting: (count: number) =>
      count === 1
        ? 'An account waits for your approval'
        : `${plural(count, 'account', 'accounts')} wait for your approval`,
    waitingText: 'Until then nobody can sign in with it.',
    more: (count: number) => `${plural(count, 'more', 'more')} of these`,
    accountsFailed: 'Whether accounts wait for approval could not be found out',
  },
  week: {
    title: 'The last 7 days',
    label: 'Requests of the last 7 days by application',
    total: 'Requests',
    errors: 'Error rate',
    applications: 'Applications',
    others: 'Others',
    all: 'All applications',
    empty: 'No calls yet',
    emptyText: 'Paste one of the lines below into a terminal, and the first bar appears here.',
  },
  start: {
    title: 'Quick start',
    lead: 'Paste into a terminal.',
    key: 'Put the key into a variable',
    keyOf: (hint: string) => `The one that ends in …${hint}. Lost it?`,
    keyNone: 'This application has no key that works.',
    keyAction: 'Make a new one',
    placeholder: 'your key',
    map: 'Ask for a station on a map',
    picture: 'Ask what a picture shows',
  },
  links: {
    title: 'Where to go',
    maps: 'Maps',
    mapsText: 'Look around, search stations, see each answer of the API.',
    recognition: 'Recognition',
    recognitionText: 'Try the models on a picture of yours.',
    docs: 'API documentation',
    docsText: 'Every operation, with a form to try it.',
    openapi: 'OpenAPI document',
    openapiText: 'For code generators.',
    elsewhere: '(opens in a new tab)',
  },
};
