// The HTML with which another site shows this map in its own pages.

import { byId, inside } from './dom';

const quoted = (text: string) => `"${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`;

/** The element that embeds an address. */
export const embedCode = (address: string, title: string) =>
  `<iframe src=${quoted(address)} title=${quoted(title)} width="800" height="600" loading="lazy"` +
  ' allow="geolocation; clipboard-write" style="border: 0"></iframe>';

/** Shows the button if the server lets other sites embed the page. */
export function attachEmbed(title: () => string): void {
  const button = byId('embed');
  const dialog = byId<HTMLDialogElement>('embed-dialog');
  button.hidden = document.documentElement.dataset.embed !== 'yes' || window.top !== window.self;
  inside(dialog, '.close').addEventListener('click', () => dialog.close());
  button.addEventListener('click', () => {
    byId('embed-code').textContent = embedCode(location.href, title());
    dialog.showModal();
  });
}
