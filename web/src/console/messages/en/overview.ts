import { plural } from '$shared/plural';

export const overview = {
  title: 'Overview',
  lead: {
    loading: 'Your applications at a glance.',
    first: 'Welcome. Create an application with its key, then send your first request.',
    calm: 'Nothing needs your attention.',
    todo: (count: number) => (count === 1 ? '1 item needs your attention.' : `${count} items need your attention.`),
  },
  todo: {
    title: 'Needs attention',
    keyEnds: (hint: string, when: string) => `The key …${hint} expires ${when}`,
    keyEndsText: (name: string) => `${name}: replace it wherever it is used before then.`,
    noKey: (name: string) => `${name} has no working key`,
    noKeyText: 'This application cannot call the server.',
    quotaNear: (name: string, share: string) => `${name} has used ${share} of today’s quota`,
    quotaNearText: (when: string) => `It resets ${when}.`,
    quotaFull: (name: string) => `${name} has used up today’s quota`,
    quotaFullText: (when: string) => `Its requests are refused. The quota resets ${when}.`,
    waiting: (count: number) =>
      count === 1
        ? 'An account is waiting for your approval'
        : `${plural(count, 'account', 'accounts')} are waiting for your approval`,
    waitingText: 'Accounts cannot be used until they are approved.',
    failing: (name: string, share: string) => `${share} of the requests of ${name} failed`,
    failingText: (requests: number, refused: number, failed: number) =>
      `Of ${requests.toLocaleString('en-GB')} requests in the last 24 hours, ${[
        refused > 0 && `${refused.toLocaleString('en-GB')} ${refused === 1 ? 'was' : 'were'} rejected (4xx)`,
        failed > 0 && `${failed.toLocaleString('en-GB')} failed on the server (5xx)`,
      ]
        .filter((one) => one !== false)
        .join(' and ')}.`,
    part: (name: string, state: string) => `${name}: ${state}`,
    more: (count: number) => `${count.toLocaleString('en-GB')} more`,
    accountsFailed: 'Accounts waiting for approval could not be loaded',
  },
  week: {
    title: 'Last 7 days',
    label: 'Requests in the last 7 days by application',
    total: 'Requests',
    errors: 'Error rate',
    applications: 'Applications',
    others: 'Others',
    all: 'All applications',
    empty: 'No requests yet',
    emptyText: 'Run one of the commands below in a terminal, and the first bar appears here.',
  },
  start: {
    title: 'Quick start',
    lead: 'Paste these commands into a terminal.',
    key: 'Set the key as a variable',
    keyOf: (hint: string) => `Use the key that ends in …${hint}. Lost it?`,
    keyNone: 'This application has no working key.',
    keyAction: 'Create a new one',
    placeholder: 'your key',
    map: 'Look up a station on a map',
    picture: 'Recognise an image',
  },
  examples: {
    title: 'In your language',
    lead: 'Sample programs that use the SDKs. They read the address and the key from KAISATSU_URL and KAISATSU_KEY.',
    language: 'Language',
    example: 'Sample',
    names: {
      aroundMe: 'Which stations are around me?',
      whatIsThis: 'What is this?',
      teach: 'Teach it three things',
      correct: 'Correct a wrong result',
    },
  },
  links: {
    title: 'Next steps',
    maps: 'Maps',
    mapsText: 'Explore maps, search for stations, and see the responses of the API.',
    recognition: 'Recognition',
    recognitionText: 'Try the models with your own images.',
    docs: 'API documentation',
    docsText: 'All operations, with forms to try them.',
    openapi: 'OpenAPI document',
    openapiText: 'For code generators.',
    elsewhere: '(opens in a new tab)',
  },
};
