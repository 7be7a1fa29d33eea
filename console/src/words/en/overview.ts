export const overview = {
  title: 'Overview',
  lead: 'What your applications do, at a glance.',
};
