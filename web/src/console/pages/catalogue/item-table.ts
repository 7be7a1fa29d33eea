/** A row of a table of items, as the command line reads it (docs/formats/catalogue.md). */
export type ItemRow = {
  id: string;
  category: string;
  name: string;
  /** The names of its pictures' files. */
  images: string[];
  barcodes: string[];
  imageUrl: string;
  url: string;
  details: Record<string, string>;
};

export const REQUIRED = ['id', 'category', 'name'] as const;

/** The cells of comma-separated values. Cells in quotation marks may contain commas, lines and doubled marks. */
export function cells(text: string): string[][] {
  const rows: string[][] = [[]];
  let [cell, quoted] = ['', false];
  const end = () => {
    rows.at(-1)?.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? '';
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[at + 1] === '"') cell += text[at++];
      else quoted = false;
    } else if (c === '"' && cell === '') quoted = true;
    else if (c === ',') end();
    else if (c === '\n') {
      end();
      rows.push([]);
    } else if (c !== '\r') cell += c;
  }
  end();
  return rows.filter((row) => row.some((one) => one.trim() !== ''));
}

/** The items of a table, and the required columns that it lacks. */
export function itemsOf(text: string): { rows: ItemRow[]; missing: string[] } {
  const [head = [], ...body] = cells(text.replace(/^\uFEFF/, ''));
  const names = head.map((name) => name.trim());
  const missing = REQUIRED.filter((name) => !names.includes(name));
  const list = (value: string) =>
    value
      .split('|')
      .map((one) => one.trim())
      .filter(Boolean);
  const rows = body.map((row) => {
    const fields: Record<string, string> = {};
    names.forEach((name, at) => {
      const value = (row[at] ?? '').trim();
      if (name && value) fields[name] = value;
    });
    const { id = '', category = '', name = '', imageUrl = '', url = '', ...rest } = fields;
    const { image = '', images = '', barcode = '', barcodes = '', ...details } = rest;
    return {
      id,
      category,
      name,
      imageUrl,
      url,
      images: [...list(image), ...list(images)],
      barcodes: [...list(barcode), ...list(barcodes)],
      details,
    };
  });
  return { rows: missing.length > 0 ? [] : rows, missing };
}
