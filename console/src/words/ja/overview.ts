import type { overview as en } from '../en/overview';

export const overview: typeof en = {
  title: '概要',
  lead: 'アプリケーションの利用状況をひと目で。',
};
