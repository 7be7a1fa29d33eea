/** A file and the name of the folder it was in; empty for a file that came by itself. */
export type Found = { file: File; folder: string };

const readAll = async (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> => {
  const all: FileSystemEntry[] = [];
  // It answers with at most a hundred at a time, and with none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
};

async function within(entry: FileSystemEntry, folder: string): Promise<Found[]> {
  // .DS_Store and its like are no pictures of anybody's.
  if (entry.name.startsWith('.')) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, folder }];
  }
  const found: Found[] = [];
  for (const one of await readAll((entry as FileSystemDirectoryEntry).createReader()))
    found.push(...(await within(one, entry.name)));
  return found;
}

/** The files that were dropped, those in folders too. */
export async function dropped(transfer: DataTransfer): Promise<Found[]> {
  // All at once and before anything is waited for: the list is empty afterwards.
  const entries = [...transfer.items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  const plain = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return plain.map((file) => ({ file, folder: '' }));
  const found: Found[] = [];
  for (const entry of entries) if (entry) found.push(...(await within(entry, '')));
  return found;
}

/** Files of a chooser; of a folder they say where in it they were. */
export function chosenFiles(list: FileList): Found[] {
  return [...list]
    .filter((file) => !file.name.startsWith('.'))
    .map((file) => ({ file, folder: file.webkitRelativePath.split('/').at(-2) ?? '' }));
}
