// Elements of the map page, which its HTML is known to have.

/** The element with an id. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element as E;
}

/** The first element inside another that matches a selector. */
export function inside<E extends HTMLElement = HTMLElement>(element: HTMLElement, selector: string): E {
  const found = element.querySelector<E>(selector);
  if (!found) throw new Error(`#${element.id} has no ${selector}`);
  return found;
}
