/** A file and the name of its folder, which is empty for files outside folders. */
export type DroppedFile = { file: File; folder: string };

const readAll = async (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> => {
  const all: FileSystemEntry[] = [];
  // Returns at most a hundred entries per call, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
};

async function filesIn(entry: FileSystemEntry, folder: string): Promise<DroppedFile[]> {
  // Skips hidden files such as .DS_Store.
  if (entry.name.startsWith('.')) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, folder }];
  }
  const found: DroppedFile[] = [];
  for (const one of await readAll((entry as FileSystemDirectoryEntry).createReader()))
    found.push(...(await filesIn(one, entry.name)));
  return found;
}

/** The dropped files, including those in dropped folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFile[]> {
  // Read synchronously, because the list is cleared once the event handler returns.
  const entries = [...transfer.items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  const plain = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return plain.map((file) => ({ file, folder: '' }));
  const found: DroppedFile[] = [];
  for (const entry of entries) if (entry) found.push(...(await filesIn(entry, '')));
  return found;
}

/** Files of a file chooser. Files of a folder have a relative path. */
export function selectedFiles(list: FileList): DroppedFile[] {
  return [...list]
    .filter((file) => !file.name.startsWith('.'))
    .map((file) => ({ file, folder: file.webkitRelativePath.split('/').at(-2) ?? '' }));
}
