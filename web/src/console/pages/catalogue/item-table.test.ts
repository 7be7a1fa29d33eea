import { expect, test } from 'vitest';
import { cells, itemsOf } from './item-table';

test('cells may be quoted', () => {
  expect(cells('a,"b, ""c""\nd",\r\n\n,x')).toEqual([
    ['a', 'b, "c"\nd', ''],
    ['', 'x'],
  ]);
});

test('columns of other names are details', () => {
  const { rows, missing } = itemsOf(
    '\uFEFFid,category,name,image,barcode,maker\n1,food,Tea, a.jpg|b.jpg ,49|50,Leaf\n',
  );
  expect(missing).toEqual([]);
  expect(rows).toEqual([
    {
      id: '1',
      category: 'food',
      name: 'Tea',
      imageUrl: '',
      url: '',
      images: ['a.jpg', 'b.jpg'],
      barcodes: ['49', '50'],
      details: { maker: 'Leaf' },
    },
  ]);
});

test('a table without its columns has no items', () => {
  expect(itemsOf('id,title\n1,Tea')).toEqual({ rows: [], missing: ['category', 'name'] });
});
