import { plural } from '$shared/plural';

export const feedback = {
  title: 'Feedback',
  lead: 'See how often candidates were right, read comments, and revoke verdicts.',
  application: 'Application',
  allApplications: 'All applications',
  model: 'Model',
  allModels: 'All models',
  period: 'Period',
  days: (days: number) => (days === 365 ? '1 year' : `${days} days`),
  tasks: {
    classify: 'Categories',
    detect: 'Objects',
    similar: 'Similar images',
    recognize: 'Catalogue',
    readText: 'Text',
  },
  whole: 'The whole result',
  precision: {
    title: 'Precision',
    leadDay: 'The share of candidates rated on a day that were right. Days without verdicts are gaps.',
    leadWeek: 'The share of candidates rated in a week that were right. Weeks without verdicts are gaps.',
    step: 'Interval',
    day: 'Daily',
    week: 'Weekly',
    chart: 'Precision over time, by model',
    countsDay: 'Verdicts per day',
    countsWeek: 'Verdicts per week',
    of: (right: number, all: number) => `${right.toLocaleString('en-GB')} of ${all.toLocaleString('en-GB')}`,
    verdicts: (count: number) => plural(count, 'verdict', 'verdicts'),
    some: (shown: number, all: number) =>
      `The ${shown} models with the most verdicts are shown, out of ${all}. Select a model to see another one.`,
    emptyTitle: 'No verdicts in this period',
    emptyText:
      'Precision is calculated from verdicts on single candidates. Select a longer period or another application, or rate a result.',
    emptyYear: 'Show the last year',
    emptyAction: 'Recognise an image',
  },
  list: {
    title: 'Verdicts and comments',
    lead: 'Newest first.',
    search: 'Search in comments',
    standing: 'Status',
    anyStanding: 'Any status',
    onlyComments: 'Only with a comment',
    found: (count: number, more: boolean) =>
      `${plural(count, 'verdict', 'verdicts')}${more ? ', and there are older ones' : ''}`,
    older: 'Load older verdicts',
    noneTitle: 'No verdicts yet',
    noneText: 'Recognise an image and rate its candidates. Programs can do the same with feedbackToCandidate.',
    noneAction: 'Recognise an image',
    noMatchTitle: 'No matches',
    noMatchText: 'No verdict matches the filters above.',
    reset: 'Show all verdicts',
  },
  right: 'Right',
  wrong: 'Wrong',
  score: (percent: string) => `score ${percent}`,
  noComment: 'No comment',
  more: 'More',
  less: 'Less',
  standing: { active: 'Active', retired: 'Superseded', held: 'Held', revoked: 'Revoked' },
  standingMeans: {
    active: 'The engine uses this verdict.',
    retired:
      'Newer verdicts on the same candidate have replaced this one. It becomes active again if they are revoked.',
    held: 'The guard considers this verdict harmful, because it made confirmed images come out wrong. It is stored but has no effect.',
    revoked: 'The verdict has been revoked, and the engine has forgotten it.',
  },
  revoke: {
    action: 'Revoke',
    one: (name: string) => `Revoke the verdict on “${name}”`,
    select: (name: string, application: string) => `Select the verdict on “${name}” from ${application}`,
    selectAll: 'Select all shown',
    selected: (count: number) => `${count.toLocaleString('en-GB')} selected`,
    many: (count: number) => `Revoke ${plural(count, 'verdict', 'verdicts')}`,
    clear: 'Clear selection',
    toolbar: 'Selected verdicts',
    title: (count: number) =>
      count === 1 ? 'Revoke this verdict?' : `Revoke ${plural(count, 'verdict', 'verdicts')}?`,
    means:
      'The engine forgets it immediately, and within a second on every replica: the next image is recognised as if the verdict had never been given. It no longer counts towards the precision either.',
    meansMany:
      'The engine forgets them immediately, and within a second on every replica: the next image is recognised as if the verdicts had never been given. They no longer count towards the precision either.',
    stays: 'Comments stay in the list, marked as revoked. This cannot be undone, but candidates can be rated again.',
    done: (count: number) =>
      count === 1 ? 'The verdict has been revoked' : `${plural(count, 'verdict', 'verdicts')} have been revoked`,
    fewer: (done: number, asked: number) => `${done} of ${asked} have been revoked; the others already were.`,
  },
  held: {
    title: (count: number) =>
      count === 1 ? 'A verdict in this list is held' : `${plural(count, 'verdict', 'verdicts')} in this list are held`,
    text: 'After every 16 rated images, the guard recognises previously confirmed images again. If the latest verdicts make significantly more results wrong than right, it considers them harmful and holds them: they are stored but have no effect. Rating a candidate again makes its verdict active again.',
    short: 'The guard considers them harmful, so they have no effect.',
    show: 'Show held verdicts only',
  },
  docs: {
    title: 'How feedback works',
    points: [
      'A verdict takes effect immediately for the application that gave it. For other applications it takes effect only if several applications agree.',
      '“Right” makes the image an example of the candidate, “Wrong” a counterexample. Both influence the recognition of similar images.',
      'The latest verdict on a candidate replaces earlier ones.',
    ],
    where:
      'For details, including how to revoke and export verdicts on the command line, see docs/feedback.md, which comes with Kaisatsu.',
  },
};
