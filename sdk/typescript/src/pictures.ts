/** A picture file: a `File` or `Blob` of the browser, or the bytes, of which Node's `Buffer` is a kind. */
export type Picture = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** @internal The picture as part of a form. */
export function blobOf(picture: Picture): Blob {
  if (picture instanceof Blob) return picture;
  if (picture instanceof ArrayBuffer || ArrayBuffer.isView(picture)) return new Blob([picture]);
  throw new TypeError('a picture is a File, a Blob, an ArrayBuffer or a view of one');
}

/** @internal A form of those fields that are there; an array is a field repeated. */
export function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one instanceof Blob) form.append(name, one, 'name' in one ? String(one.name) : 'image');
      else if (typeof one === 'string' || typeof one === 'number') form.append(name, String(one));
    }
  }
  return form;
}
