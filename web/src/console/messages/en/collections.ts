import { plural } from '$shared/plural';

const images = (count: number) => plural(count, 'image', 'images');

export const collections = {
  title: 'Collections',
  lead: 'Public sets of images for similar image search.',
  name: 'Name',
  images: 'Images',
  model: 'Model',
  created: 'Created',
  menu: (name: string) => `Actions for ${name}`,
  open: 'Open',
  try: 'Search with an image',
  empty: 'There are no collections yet',
  emptyText: 'A collection is created with its first image. Every application can search it.',
  create: {
    action: 'Create collection',
    title: 'Create collection',
    hint: 'Letters, digits, “-” and “_”, up to 64 characters. The collection is created with its first image.',
    bad: 'Enter 1 to 64 letters, digits, “-” or “_”.',
    next: 'Add images',
  },
  remove: {
    title: (name: string) => `Delete ${name}`,
    text: (count: number) =>
      `${images(count)} will be deleted and no longer found by any search. This cannot be undone.`,
    done: (name: string) => `${name} has been deleted.`,
  },
  one: {
    count: images,
    add: 'Add images',
    addLead: 'An image with the same name replaces the existing one. The server keeps a thumbnail, but not the file.',
    new: 'This collection has no images yet',
    newText: 'Add images above. They can be found immediately.',
    grid: (name: string) => `Images of ${name}`,
    similar: (id: string) => `Show images similar to ${id}`,
    remove: (id: string) => `Delete ${id}`,
    removeTitle: 'Delete image',
    removeText: (id: string) => `“${id}” will no longer be found by any search. This cannot be undone.`,
    removed: 'The image has been deleted.',
    more: 'Show more',
  },
  search: {
    title: 'Search',
    lead: 'Finds the images of this collection that are most similar to one of yours.',
    choose: 'Choose an image',
    busy: 'Searching…',
    results: (count: number) => (count === 0 ? 'No similar images' : `${images(count)}, most similar first`),
    clear: 'Show all images',
  },
};
