export const feedback = {
  title: 'Feedback',
  lead: 'Verdicts on recognitions, and what they did.',
};
