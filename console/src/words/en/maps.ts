export const maps = {
  title: 'Maps',
  lead: 'The route maps of this server.',
};
