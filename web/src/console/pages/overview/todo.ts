import type { IconName } from '$/components/Icon.svelte';
import type { Application, ServerPart } from '$/lib/console';
import { format } from '$/lib/format';
import { t } from '$/lib/i18n.svelte';
import { href } from '$/lib/router.svelte';
import { activeKeys, expiresSoon, quotaShare } from '$/pages/applications/keys';
import { needsAttention } from '$/pages/server/parts';
import { failingIn } from './failures';
import type { ApplicationUsage } from './week';

export type Todo = {
  id: string;
  tone: 'info' | 'warn' | 'bad';
  icon: IconName;
  title: string;
  text: string;
  href: string;
};

const NEAR = 0.8;
/** The share of requests that the server fails to answer from which it is an error and no longer a warning. */
const BAD = 0.1;

/** The items of an application. Disabled applications have none. */
function todosOf(application: Application): Todo[] {
  if (application.disabledAt !== null) return [];
  const words = t.overview.todo;
  const { id, name, quota } = application;
  const to = href('application', { id });
  const found: Todo[] = [];
  const share = quotaShare(quota);
  const resets = format.relative(quota.resetsAt);
  if (share !== null && share >= 1)
    found.push({
      id: `${id} quota`,
      tone: 'bad',
      icon: 'alert',
      title: words.quotaFull(name),
      text: words.quotaFullText(resets),
      href: to,
    });
  else if (share !== null && share >= NEAR)
    found.push({
      id: `${id} quota`,
      tone: 'warn',
      icon: 'chart',
      title: words.quotaNear(name, format.percent(share)),
      text: words.quotaNearText(resets),
      href: to,
    });
  const keys = activeKeys(application);
  if (keys.length === 0)
    found.push({
      id: `${id} keys`,
      tone: 'warn',
      icon: 'key',
      title: words.noKey(name),
      text: words.noKeyText,
      href: to,
    });
  for (const key of keys)
    if (key.expiresAt !== null && expiresSoon(key))
      found.push({
        id: key.id,
        tone: 'info',
        icon: 'clock',
        title: words.keyEnds(key.hint, format.relative(key.expiresAt)),
        text: words.keyEndsText(name),
        href: to,
      });
  return found;
}

const ORDER = { bad: 0, warn: 1, info: 2 };

/** What is wrong with the server. Operators are led to its page; others cannot do anything about it but know. */
export function serverTodos(parts: ServerPart[], isOperator: boolean): Todo[] {
  return parts.filter(needsAttention).map((part) => ({
    id: `part ${part.name}`,
    tone: part.state === 'failing' ? 'bad' : 'warn',
    icon: 'alert',
    title: t.overview.todo.part(t.server.parts.names[part.name] ?? part.name, t.server.parts.states[part.state]),
    text: part.message ?? '',
    href: href(isOperator ? 'server' : 'overview'),
  }));
}

/** The applications of which many requests fail. Failures of the server are worse than mistakes of the caller. */
export function failureTodos(shares: ApplicationUsage[], now = Date.now()): Todo[] {
  const words = t.overview.todo;
  return shares.flatMap(({ application: { id, name, disabledAt }, usage }): Todo[] => {
    const failing = disabledAt === null ? failingIn(usage, now) : null;
    if (!failing) return [];
    const { requests, refused, failed, share } = failing;
    return [
      {
        id: `${id} failures`,
        tone: failed / requests >= BAD ? 'bad' : 'warn',
        icon: 'alert',
        title: words.failing(name, format.percent(Math.floor(share * 100) / 100)),
        text: words.failingText(requests, refused, failed),
        href: href('application', { id }, { show: 'failures' }),
      },
    ];
  });
}

/** All items, most urgent first. `others` are those of the server and of failed requests. */
export function todos(applications: Application[], waiting: number, others: Todo[]): Todo[] {
  const words = t.overview.todo;
  const accounts: Todo[] =
    waiting > 0
      ? [
          {
            id: 'accounts',
            tone: 'info',
            icon: 'users',
            title: words.waiting(waiting),
            text: words.waitingText,
            href: href('operator'),
          },
        ]
      : [];
  return [...others, ...accounts, ...applications.flatMap(todosOf)].sort((a, b) => ORDER[a.tone] - ORDER[b.tone]);
}
