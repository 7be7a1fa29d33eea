export const account = {
  title: 'Account',
  lead: 'Your password and your sessions.',
};
