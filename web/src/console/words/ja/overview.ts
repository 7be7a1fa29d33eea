import type { overview as en } from '../en/overview';

export const overview: typeof en = {
  title: '概要',
  lead: {
    loading: 'アプリケーションの利用状況をひと目で。',
    first: 'ようこそ。まずアプリケーションとキーを作成し、最初の呼び出しを試しましょう。',
    calm: '問題はありません。対応が必要なことはありません。',
    todo: (count) => `確認が必要なことが ${count} 件あります。`,
  },
  todo: {
    title: '確認が必要なこと',
    keyEnds: (hint, when) => `キー …${hint} は${when}に終了します`, keyEndsText: (name) => `${name}: それまでに新しいキーへ差し替えてください。`,
    noKey: (name) => `${name} に使えるキーがありません`, noKeyText: 'このアプリケーションとしてサーバーを呼び出せません。',
    quotaNear: (name, share) => `${name} は本日の上限の ${share} を使用しました`, quotaNearText: (when) => `${when}にリセットされます。`,
    quotaFull: (name) => `${name} は本日の上限に達しました`, quotaFullText: (when) => `呼び出しは拒否されています。${when}にリセットされます。`,
    waiting: (count) => `${count.toLocaleString('ja-JP')} 件のアカウントが承認を待っています`, waitingText: '承認するまでサインインできません。',
    more: (count) => `ほか ${count.toLocaleString('ja-JP')} 件`, accountsFailed: '承認待ちのアカウントを確認できませんでした',
  },
  week: {
    title: '直近 7 日間', label: '直近 7 日間のアプリケーション別リクエスト数', total: 'リクエスト', errors: 'エラー率', applications: 'アプリケーション', others: 'その他', all: 'すべてのアプリケーション',
    empty: '呼び出しはまだありません', emptyText: '下のコマンドをターミナルに貼り付けると、ここに最初の棒が現れます。',
  },
  start: {
    title: 'クイックスタート', lead: 'ターミナルに貼り付けてください。', key: 'キーを変数に設定します', keyOf: (hint) => `末尾が …${hint} のキーです。お手元にない場合は`, keyNone: 'このアプリケーションには使えるキーがありません。', keyAction: '新しいキーを発行', placeholder: 'お使いのキー',
    map: '路線図の駅を調べます', picture: '画像に写っているものを調べます',
  },
  places: {
    title: '次の行き先', maps: '路線図', mapsText: '地図を眺め、駅を検索し、API の応答を確認できます。', recognition: '画像認識', recognitionText: 'お手元の画像でモデルを試せます。',
    docs: 'API ドキュメント', docsText: 'すべてのオペレーションを、その場で試せます。', openapi: 'OpenAPI ドキュメント', openapiText: 'コード生成ツール用です。', elsewhere: '(新しいタブで開きます)',
  },
};
