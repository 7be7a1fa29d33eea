import { readSetting, writeSetting } from '$/lib/settings';
import { router } from '$/lib/router.svelte';

/** The user whose images and datasets are shown by default. */
export const DEFAULT_USER = 'console';

/** The user in the URL, or the one that was last shown for the application. */
export function userOf(application: string, query: { get: (name: string) => string | null }): string {
  // Users belong to an application: the same name in another application is a different user.
  const isAbout = (query.get('application') ?? application) === application;
  return (isAbout && query.get('user')) || readSetting(`user.${application}`) || DEFAULT_USER;
}

export function selectUser(application: string, user: string) {
  rememberUser(application, user);
  router.setQuery({ application, user });
}

export function rememberUser(application: string, user: string) {
  writeSetting(`user.${application}`, user === DEFAULT_USER ? null : user);
}

/** Whether the server accepts a user name. */
export const isUserName = (text: string) => text.length > 0 && [...text].length <= 200 && !/\p{Cc}/u.test(text);
