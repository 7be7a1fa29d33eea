import type { operator as en } from '../en/operator';

export const operator: typeof en = {
  title: 'サーバー管理',
  lead: 'アカウント、登録方法、すべてのアプリケーションを管理します。',
};
