import type { applications as en } from '../en/applications';

export const applications: typeof en = {
  title: 'アプリケーション',
  lead: 'それぞれに API キー、利用上限、ユーザーがあります。',
};
