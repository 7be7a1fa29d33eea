export type Tone = 'good' | 'bad' | 'plain';
export type Toast = { id: number; tone: Tone; text: string };

let last = 0;
let list = $state<Toast[]>([]);

/** Short messages at the edge. What one has to read or act upon belongs on the page, not here. */
export const toasts = {
  get list() {
    return list;
  },
  show(text: string, tone: Tone = 'good') {
    const id = ++last;
    // Said twice, it is shown once: the session and the page that asked may have the same to say.
    list = [...list.filter((toast) => toast.text !== text).slice(-3), { id, tone, text }];
    setTimeout(() => toasts.close(id), tone === 'bad' ? 10_000 : 5000);
  },
  close(id: number) {
    list = list.filter((toast) => toast.id !== id);
  },
};
