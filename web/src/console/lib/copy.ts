/** Copies a text; also where the page came over plain http from another machine, which has no clipboard API. */
export async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard && isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Forbidden: the old way may still work.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.className = 'unseen';
  const before = document.activeElement as HTMLElement | null;
  // Inside an open dialog everything else is inert, so it has to be there.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  before?.focus();
  return done;
}
