import type { feedback as en } from '../en/feedback';

const count = (value: number) => value.toLocaleString('ja-JP');

export const feedback: typeof en = {
  title: 'フィードバック',
  lead: '候補がどれくらい正しかったか、どのような声があったかを確認し、評価を取り消すことができます。',
  application: 'アプリケーション',
  allApplications: 'すべてのアプリケーション',
  model: 'モデル',
  allModels: 'すべてのモデル',
  period: '期間',
  days: (days) => (days === 365 ? '1 年' : `${days} 日`),
  tasks: { classify: 'カテゴリー', detect: '物体検出', similar: '類似画像', recognize: 'カタログ' },
  whole: '結果全体',
  precision: {
    title: '適合率',
    leadDay: 'その日に評価された候補のうち、正しかったものの割合です。評価のない日は線が途切れます。',
    leadWeek: 'その週に評価された候補のうち、正しかったものの割合です。評価のない週は線が途切れます。',
    step: '集計の単位',
    day: '日別',
    week: '週別',
    chart: 'モデル別の適合率の推移',
    countsDay: '1 日あたりの評価数',
    countsWeek: '1 週間あたりの評価数',
    of: (right, all) => `${count(all)} 件中 ${count(right)} 件`,
    verdicts: (all) => `${count(all)} 件`,
    some: (shown, all) =>
      `${all} 個のうち、評価の多い ${shown} 個を表示しています。ほかのモデルは「モデル」で選択してください。`,
    emptyTitle: 'この期間の評価はありません',
    emptyText:
      '適合率は個々の候補への評価から計算します。期間やアプリケーションを変えるか、画像を認識して評価してみてください。',
    emptyYear: '過去 1 年を表示',
    emptyAction: '画像を認識する',
  },
  list: {
    title: '評価とコメント',
    lead: '新しい順に表示しています。',
    search: 'コメントを検索',
    standing: '状態',
    anyStanding: 'すべての状態',
    onlyComments: 'コメントのあるものだけ',
    found: (all, more) => `${count(all)} 件${more ? '(さらに古いものがあります)' : ''}`,
    older: '古いものを読み込む',
    noneTitle: '評価はまだありません',
    noneText:
      '画像を認識して、候補が正しいかどうかを評価してみてください。プログラムからは feedbackToCandidate で評価できます。',
    noneAction: '画像を認識する',
    noMatchTitle: '該当する評価がありません',
    noMatchText: '選択した条件すべてに当てはまる評価は見つかりませんでした。',
    reset: 'すべての評価を表示',
  },
  right: '正しい',
  wrong: '誤り',
  score: (percent) => `スコア ${percent}`,
  noComment: 'コメントなし',
  more: '続きを読む',
  less: '折りたたむ',
  standing: { active: '有効', retired: '引退', held: '保留', revoked: '取り消し済み' },
  standingMeans: {
    active: 'エンジンが学習し、認識に使っています。',
    retired: '同じ候補への新しい評価に置き換わりました。新しい評価を取り消すと、再び有効になります。',
    held: '有害と判断されました。この評価を使うと、以前に正しいと確認された画像の結果が誤りになります。保存されていますが、認識には使われません。',
    revoked: '取り消されました。エンジンはこの評価を忘れています。',
  },
  revoke: {
    action: '取り消す',
    one: (name) => `「${name}」への評価を取り消す`,
    select: (name, application) => `${application} からの「${name}」への評価を選択`,
    selectAll: '表示中のものをすべて選択',
    selected: (all) => `${count(all)} 件を選択中`,
    many: (all) => `${count(all)} 件を取り消す`,
    clear: '選択を解除',
    toolbar: '選択した評価',
    title: (all) => (all === 1 ? 'この評価を取り消しますか?' : `${count(all)} 件の評価を取り消しますか?`),
    means:
      'エンジンはこの評価をすぐに忘れます。ほかのレプリカでも 1 秒以内に反映され、次の画像からは評価がなかったものとして認識します。適合率の計算からも除かれます。',
    meansMany:
      'エンジンはこれらの評価をすぐに忘れます。ほかのレプリカでも 1 秒以内に反映され、次の画像からは評価がなかったものとして認識します。適合率の計算からも除かれます。',
    stays:
      'コメントは「取り消し済み」として一覧に残ります。取り消しは元に戻せませんが、候補をもう一度評価することはできます。',
    done: (all) => `${count(all)} 件の評価を取り消しました`,
    fewer: (done, asked) => `${asked} 件のうち ${done} 件を取り消しました。残りはすでに取り消されていました。`,
  },
  held: {
    title: (all) => `表示中の ${count(all)} 件が保留されています`,
    text: '16 枚の画像が評価されるたびに、以前に正しいと確認された画像をもう一度判定します。最近の評価によって誤りが明らかに増える場合、その評価は有害と判断され、保留されます。保留された評価は保存されますが、認識には使われません。候補をもう一度評価すると、再び有効になります。',
    short: '有害と判断されたため、認識には使われていません。',
    show: '保留中のものだけを表示',
  },
  docs: {
    title: 'フィードバックの仕組み',
    points: [
      '評価は、評価したアプリケーションではすぐに有効になります。ほかのアプリケーションでは、複数のアプリケーションが同じ評価をした場合にだけ有効になります。',
      '「正しい」と評価された画像はその候補の手本に、「誤り」と評価された画像は反対の手本になり、次に似た画像を認識するときに使われます。',
      '同じ候補を再び評価すると、前の評価と置き換わります。',
    ],
    where:
      '詳しくは Kaisatsu に付属する docs/feedback.md をご覧ください。コマンドラインでの取り消しや書き出しについても説明しています。',
  },
};
