/**
 * Copies a text to the clipboard and returns whether that worked. A page that came over plain HTTP from another machine
 * has no clipboard API; there the text is copied out of a hidden text area.
 */
export async function copyText(text: string): Promise<boolean> {
  if (isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The browser denied access to the clipboard. The text area may still work.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.className = 'visually-hidden';
  const focused = document.activeElement;
  // While a modal dialog is open, everything outside it is inert and cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  // Deprecated, but nothing else copies without a secure context.
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
