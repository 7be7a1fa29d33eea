export const datasets = {
  title: 'Datasets',
  lead: 'Images and datasets of your users.',
};
