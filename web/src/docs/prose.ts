// The Markdown that the OpenAPI document uses: paragraphs, code and links. The result is data and never HTML.

export type Span = { kind: 'text' | 'code'; text: string } | { kind: 'link'; text: string; address: string };

const INLINE = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** The paragraphs of a text, each as spans. */
export function paragraphs(text: string): Span[][] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => spans(paragraph.replace(/\s*\n\s*/g, ' ').trim()))
    .filter((paragraph) => paragraph.length > 0);
}

function spans(text: string): Span[] {
  const found: Span[] = [];
  let done = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > done) found.push({ kind: 'text', text: text.slice(done, match.index) });
    const [whole, code, link = '', address = ''] = match;
    if (code !== undefined) found.push({ kind: 'code', text: code });
    // Only addresses of this server and of the web: `javascript:` would be a script.
    else if (/^(\/|https?:\/\/)/.test(address)) found.push({ kind: 'link', text: link, address });
    else found.push({ kind: 'text', text: link });
    done = match.index + whole.length;
  }
  if (done < text.length) found.push({ kind: 'text', text: text.slice(done) });
  return found;
}
