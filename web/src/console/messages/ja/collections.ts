import type { collections as en } from '../en/collections';

const images = (count: number) => `画像 ${count.toLocaleString('ja-JP')} 枚`;

export const collections: typeof en = {
  title: 'コレクション',
  lead: '類似画像検索の対象になる、公開の画像の集まりです。',
  name: '名前',
  images: '画像',
  model: 'モデル',
  created: '作成日時',
  menu: (name) => `${name} の操作`,
  open: '開く',
  try: '画像で検索',
  empty: 'コレクションはまだありません',
  emptyText: 'コレクションは最初の画像とともに作成されます。すべてのアプリケーションから検索できます。',
  create: {
    action: '新しいコレクション',
    title: '新しいコレクション',
    hint: '英数字、「-」、「_」で 64 文字まで。コレクションは最初の画像とともに作成されます。',
    bad: '英数字、「-」、「_」を 1〜64 文字で入力してください。',
    next: '画像を追加',
  },
  remove: {
    title: (name) => `${name} を削除`,
    text: (count) => `${images(count)}を削除します。検索で見つからなくなります。この操作は取り消せません。`,
    done: (name) => `${name} を削除しました。`,
  },
  one: {
    count: images,
    add: '画像を追加',
    addLead: '同じ名前の画像は置き換えられます。サーバーが保存するのはサムネイルで、ファイルは保存しません。',
    new: 'このコレクションにはまだ画像がありません',
    newText: '上から追加してください。すぐに検索できます。',
    grid: (name) => `${name} の画像`,
    similar: (id) => `${id} に似た画像を表示`,
    remove: (id) => `${id} を削除`,
    removeTitle: '画像を削除',
    removeText: (id) => `「${id}」は検索で見つからなくなります。この操作は取り消せません。`,
    removed: '画像を削除しました。',
    more: 'さらに表示',
  },
  search: {
    title: '検索',
    lead: '選んだ画像によく似た、このコレクションの画像を探します。',
    choose: '画像を選択',
    busy: '検索中…',
    results: (count) => (count === 0 ? '似た画像はありません' : `${images(count)}（似ている順）`),
    clear: 'すべての画像を表示',
  },
};
