// Small things remembered in this browser. Storage can be forbidden or full; then they last as long as the page.

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`kaisatsu.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string | null) {
  try {
    if (value === null) localStorage.removeItem(`kaisatsu.${name}`);
    else localStorage.setItem(`kaisatsu.${name}`, value);
  } catch {
    // Not remembered, then.
  }
}
