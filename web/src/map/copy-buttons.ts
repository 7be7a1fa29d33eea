// Buttons that copy the text of an element: data-copies has its id.

import { copyText } from '../shared/clipboard';
import { byId } from './dom';
import { messages } from './messages';

export function attachCopyButtons(announce: (text: string) => void): void {
  const copy = async (button: HTMLElement) => {
    if (!(await copyText(byId(button.dataset.copies ?? '').textContent))) return;
    button.textContent = messages.copied;
    announce(messages.copied);
    setTimeout(() => (button.textContent = messages.copy), 1500);
  };
  for (const button of document.querySelectorAll<HTMLElement>('[data-copies]')) {
    button.addEventListener('click', () => void copy(button));
  }
}
