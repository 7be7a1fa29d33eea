import type { recognition as en } from '../en/recognition';

export const recognition: typeof en = {
  title: '画像認識',
  lead: 'お手元の画像で認識機能を試せます。',
};
