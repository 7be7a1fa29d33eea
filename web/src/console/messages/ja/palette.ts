import type { palette as en } from '../en/palette';

export const palette: typeof en = {
  open: '検索',
  title: '移動',
  label: 'ページ、アプリケーション、データセット、路線図を検索',
  placeholder: 'ページ、アプリケーション、データセット、路線図',
  results: '検索結果',
  kinds: { page: 'ページ', application: 'アプリケーション', dataset: 'データセット', map: '路線図' },
  none: (search) => `「${search}」に一致するものはありません。`,
  count: (count) => `${count} 件`,
  keys: '↑ ↓ で選択、Enter で開く、Esc で閉じる',
};
