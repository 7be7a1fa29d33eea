export type Tone = 'good' | 'bad' | 'plain';
export type Toast = { id: number; tone: Tone; text: string };

let last = 0;
let list = $state<Toast[]>([]);

/** Short notifications at the edge of the window. Anything that needs reading or action belongs on the page instead. */
export const toasts = {
  get list() {
    return list;
  },
  show(text: string, tone: Tone = 'good') {
    const id = ++last;
    // The session and the page that sent a request may report the same error, so duplicates are shown once.
    list = [...list.filter((toast) => toast.text !== text).slice(-3), { id, tone, text }];
    setTimeout(() => toasts.close(id), tone === 'bad' ? 10_000 : 5000);
  },
  close(id: number) {
    list = list.filter((toast) => toast.id !== id);
  },
};
