import { session } from '$/lib/session.svelte';

/** The pictures that were tried last. They stay in the tab: in memory, and reduced in its session storage. */
const KEY = 'kaisatsu.pictures';
const MAX_PICTURES = 8;
/** Browsers allow about five million characters. */
const MAX_CHARACTERS = 2_500_000;
const LONGER_SIDE = 1200;

type Stored = { name: string; data: string };
let inMemory: { account: string | undefined; files: File[] } | null = null;

const owner = () => session.account?.id;

/** The picture as a data URL, at most so large that several fit. Null if the browser cannot read it. */
async function reduced(file: File): Promise<string | null> {
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, LONGER_SIDE / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.round(bitmap.width * scale), Math.round(bitmap.height * scale)];
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return canvas.toDataURL('image/jpeg', 0.85);
  } catch {
    return null;
  }
}

/** Remembers pictures, latest first. */
export async function rememberPictures(files: File[]): Promise<void> {
  const account = owner();
  inMemory = { account, files };
  const stored: Stored[] = [];
  let room = MAX_CHARACTERS;
  for (const file of files.slice(0, MAX_PICTURES)) {
    const data = await reduced(file);
    // Another picture was added meanwhile, and its call stores all of them.
    if (inMemory?.files !== files) return;
    if (data === null || data.length > room) continue;
    room -= data.length;
    stored.push({ name: file.name, data });
  }
  try {
    if (stored.length === 0) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify({ account, stored }));
  } catch {
    // They are remembered until the page is reloaded.
  }
}

/** The pictures that this account tried last in this tab, latest first. */
export function recallPictures(): File[] {
  if (inMemory) return inMemory.account === owner() ? inMemory.files : [];
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as { account?: string; stored?: Stored[] };
    if (kept.account !== owner()) return [];
    return (kept.stored ?? []).map(({ name, data }) => {
      const bytes = Uint8Array.from(atob(data.slice(data.indexOf(',') + 1)), (c) => c.charCodeAt(0));
      return new File([bytes], name, { type: 'image/jpeg' });
    });
  } catch {
    return [];
  }
}
