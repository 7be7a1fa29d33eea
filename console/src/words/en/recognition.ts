export const recognition = {
  title: 'Recognition',
  lead: 'Try the recognition functions with a picture of your own.',
};
