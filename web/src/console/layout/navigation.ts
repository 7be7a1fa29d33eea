import type { IconName } from '$/components/Icon.svelte';
import { t } from '$/lib/i18n.svelte';
import { href, router, type RouteName } from '$/lib/router.svelte';
import { session } from '$/lib/session.svelte';

export type Stop = { id: string; label: string; icon: IconName; href: string; current: boolean };

/** Pages without their own navigation item, and the item that is highlighted for them. */
const PARENT: Partial<Record<string, RouteName>> = { application: 'applications', map: 'maps', dataset: 'datasets' };

function stop(id: keyof typeof t & IconName & RouteName): Stop {
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
export const mainStops = (): Stop[] => [
  stop('overview'),
  stop('applications'),
  stop('maps'),
  stop('recognition'),
  stop('datasets'),
  stop('feedback'),
];
/** The items below the main ones. */
export const sideStops = (): Stop[] => [stop('account'), ...(session.isOperator ? [stop('operator')] : [])];
