/** Lets the browser save what is at an address, under a name; an empty name is the server's. */
export function saveLink(href: string, name: string) {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
