import { plural } from '$shared/plural';

export const feedback = {
  title: 'Feedback',
  lead: 'How often candidates were right, what people commented, and how to revoke it.',
  application: 'Application',
  allApplications: 'All applications',
  model: 'Model',
  allModels: 'All models',
  period: 'Period',
  days: (days: number) => (days === 365 ? '1 year' : `${days} days`),
  tasks: { classify: 'Categories', detect: 'Objects', similar: 'Similar images', recognize: 'Catalogue' },
  whole: 'The whole result',
  precision: {
    title: 'Precision',
    leadDay: 'Of the candidates that were rated on a day, the share that was right. A day without verdicts is a gap.',
    leadWeek:
      'Of the candidates that were rated in a week, the share that was right. A week without verdicts is a gap.',
    step: 'Step',
    day: 'Daily',
    week: 'Weekly',
    chart: 'Precision over time, by model',
    countsDay: 'Verdicts a day',
    countsWeek: 'Verdicts a week',
    of: (right: number, all: number) => `${right.toLocaleString('en-GB')} of ${all.toLocaleString('en-GB')}`,
    verdicts: (count: number) => plural(count, 'verdict', 'verdicts'),
    some: (shown: number, all: number) =>
      `The ${shown} with the most verdicts of ${all} are drawn. Choose a model to see another one.`,
    emptyTitle: 'No verdicts in this time',
    emptyText:
      'Precision is counted from verdicts on single candidates. Choose a longer time or another application, or rate something.',
    emptyYear: 'Show the last year',
    emptyAction: 'Recognise a picture',
  },
  list: {
    title: 'Verdicts and comments',
    lead: 'The newest first.',
    search: 'Search in comments',
    standing: 'Standing',
    anyStanding: 'Any standing',
    onlyComments: 'Only with a comment',
    found: (count: number, more: boolean) =>
      `${plural(count, 'verdict', 'verdicts')}${more ? ' so far, and there are older ones' : ''}`,
    older: 'Load older ones',
    noneTitle: 'No verdicts yet',
    noneText:
      'Try a picture and say of its candidates whether they are right. Programs do the same with feedbackToCandidate.',
    noneAction: 'Recognise a picture',
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
  standing: { active: 'In force', retired: 'Retired', held: 'Held', revoked: 'Revoked' },
  standingMeans: {
    active: 'The engine knows it and uses it.',
    retired: 'Newer verdicts on the same candidate have taken its place; it comes back when they are revoked.',
    held: 'The guard took it for harmful: with it, pictures that were confirmed before came out wrong. It is kept, but acts for nobody.',
    revoked: 'Taken back. The engine has forgotten it.',
  },
  revoke: {
    action: 'Revoke',
    one: (name: string) => `Revoke the verdict on “${name}”`,
    select: (name: string, application: string) => `Select the verdict on “${name}” from ${application}`,
    selectAll: 'Select all that are shown',
    selected: (count: number) => `${count.toLocaleString('en-GB')} selected`,
    many: (count: number) => `Revoke ${plural(count, 'verdict', 'verdicts')}`,
    clear: 'Clear the selection',
    toolbar: 'Selected verdicts',
    title: (count: number) =>
      count === 1 ? 'Revoke this verdict?' : `Revoke ${plural(count, 'verdict', 'verdicts')}?`,
    means:
      'The engine forgets it at once, here and within a second on every replica: the next picture is recognised as if it had never been said. It no longer counts in the precision either.',
    meansMany:
      'The engine forgets them at once, here and within a second on every replica: the next picture is recognised as if they had never been said. They no longer count in the precision either.',
    stays: 'The comment stays in the list, marked as revoked. This cannot be undone; the candidate can be rated again.',
    done: (count: number) =>
      count === 1 ? 'The verdict is revoked' : `${plural(count, 'verdict', 'verdicts')} are revoked`,
    fewer: (done: number, asked: number) => `${done} of ${asked} are revoked; the others had been already.`,
  },
  held: {
    title: (count: number) =>
      count === 1 ? 'A verdict shown here is held' : `${plural(count, 'verdict', 'verdicts')} shown here are held`,
    text: 'The guard judges pictures that were confirmed before once more after every 16 rated ones. When the latest verdicts make significantly more answers wrong than right, it takes them for harmful and holds them: they are kept and act for nobody. Rating a candidate again puts its verdict in force again.',
    short: 'The guard took them for harmful, so they act for nobody.',
    show: 'Show the held ones only',
  },
  docs: {
    title: 'What feedback does',
    points: [
      'A verdict acts at once for the application that gave it. For all others it acts only where several applications said the same.',
      'Right makes the picture an example of the candidate, wrong an example against it. The next picture like it hears that.',
      'The last verdict on a candidate replaces the earlier one.',
    ],
    where:
      'The file docs/feedback.md that comes with Kaisatsu says all of it, also how to revoke and export on the command line.',
  },
};
