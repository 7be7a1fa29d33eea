import { readSetting, writeSetting } from '$/lib/settings';
import { router } from '$/lib/router.svelte';

/** Whose images and datasets are shown when nobody has said anything. */
export const USUAL_USER = 'console';

/** The user of an application that the address names, or the one that was looked at last. */
export function userOf(application: string, query: { get: (name: string) => string | null }): string {
  // Users are an application's own: the same name under another one is somebody else.
  const isAbout = (query.get('application') ?? application) === application;
  return (isAbout && query.get('user')) || readSetting(`user.${application}`) || USUAL_USER;
}

export function chooseUser(application: string, user: string) {
  rememberUser(application, user);
  router.setQuery({ application, user });
}

export function rememberUser(application: string, user: string) {
  writeSetting(`user.${application}`, user === USUAL_USER ? null : user);
}

/** What the server takes as a user's name. */
export const isUserName = (text: string) => text.length > 0 && [...text].length <= 200 && !/\p{Cc}/u.test(text);
