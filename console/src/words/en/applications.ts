export const applications = {
  title: 'Applications',
  lead: 'Each has its own API keys, quota and users.',
};
