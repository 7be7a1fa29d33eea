import type { datasets as en } from '../en/datasets';

export const datasets: typeof en = {
  title: 'データセット',
  lead: 'ユーザーの画像とデータセットです。',
};
