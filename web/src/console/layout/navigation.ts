import type { IconName } from '$/components/Icon.svelte';
import { t } from '$/lib/i18n.svelte';
import { href, router, type RouteName } from '$/lib/router.svelte';
import { session } from '$/lib/session.svelte';

export type NavItem = { id: string; label: string; icon: IconName; href: string; current: boolean };

/** Pages without their own navigation item, and the item that is highlighted for them. */
const PARENT: Partial<Record<string, RouteName>> = {
  application: 'applications',
  map: 'maps',
  dataset: 'datasets',
  collection: 'collections',
};

function item(id: keyof typeof t & IconName & RouteName): NavItem {
  const here = PARENT[router.name] ?? router.name;
  return {
    id,
    label: t[id].title,
    icon: id,
    href: (href as (name: RouteName) => string)(id),
    current: here === id,
  };
}

/** The main items, in order. */
export const mainItems = (): NavItem[] => [
  item('overview'),
  item('applications'),
  item('maps'),
  item('recognition'),
  item('datasets'),
  ...(session.isOperator ? [item('collections'), item('catalogue')] : []),
  item('feedback'),
];
/** The items below the main ones. */
export const secondaryItems = (): NavItem[] => [
  item('account'),
  ...(session.isOperator ? [item('operator'), item('server')] : []),
];
