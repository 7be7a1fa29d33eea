export const palette = {
  open: 'Search',
  title: 'Go to',
  label: 'Search pages, applications, datasets and maps',
  placeholder: 'Page, application, dataset or map',
  results: 'Results',
  kinds: { page: 'Page', application: 'Application', dataset: 'Dataset', map: 'Map' },
  none: (search: string) => `Nothing matches “${search}”.`,
  count: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  keys: '↑ ↓ to choose, Enter to open, Esc to close',
};
