import type { auth as en } from '../en/auth';

export const auth: typeof en = {
  tagline: '路線図と画像認識、二つの機能への一つの改札口。',
  email: 'メールアドレス',
  password: 'パスワード',
  newPassword: '新しいパスワード',
  passwordHint: '10〜200 文字。いくつかの単語を並べると、覚えやすく安全です。',
  emailMissing: 'メールアドレスを入力してください。',
  emailOdd: 'メールアドレスには @ とその前後の文字が必要です。',
  passwordMissing: 'パスワードを入力してください。',
  passwordShort: (count) => `10 文字以上必要です(現在 ${count} 文字)。`,
  passwordLong: '200 文字以内にしてください。',
  passwordIsEmail: 'メールアドレスとは異なるものにしてください。',
  toSignIn: 'サインインへ戻る',
  signIn: { title: 'サインイン', action: 'サインイン', forgot: 'パスワードをお忘れですか?', register: 'アカウントをお持ちでない方は', registerAction: '新規登録', ended: 'セッションが終了しました。サインインすると元のページに戻ります。', fresh: 'このサーバーにはまだアカウントがありません。', freshAction: '初期設定へ' },
  register: {
    title: '新規登録', titleEmpty: 'サーバーの初期設定', action: '登録する', actionEmpty: '管理者として登録',
    operator: 'あなたが管理者になります', operatorText: 'まだアカウントがありません。最初に登録した人がサーバーの管理者となり、アカウントの承認、利用上限の設定、全アプリケーションの閲覧ができます。',
    approval: '新しいアカウントは管理者が承認します。承認後にサインインできます。',
    have: 'すでにアカウントをお持ちの方は',
    closed: '新規登録は受け付けていません', closedText: 'アカウントについては、サーバーの管理者にお問い合わせください。',
    confirmTitle: 'メールをご確認ください', confirmText: (email) => `${email} にメールを送信しました。メール内のリンクを開いてアドレスを確認すると、サインインできます。`,
    confirmLog: 'このサーバーはメールを送信しません。リンクはサーバーのログにあり、管理者が確認できます。',
    approvalTitle: '承認をお待ちください', approvalText: (email) => `${email} の登録申請を受け付けました。サーバーの管理者が承認すると、サインインできます。`,
  },
  forgot: {
    title: 'パスワードの再設定', text: 'メールアドレスを入力してください。新しいパスワードを設定するためのリンクをお送りします。', action: 'リンクを送信',
    sentTitle: 'メールをご確認ください', sentText: (email) => `${email} のアカウントがあれば、リンクを記載したメールが届きます。リンクは 1 時間以内に 1 回だけ使えます。`,
    logTitle: 'リンクはサーバーのログにあります', logText: 'このサーバーはメールを送信しません。サーバーの管理者がログからリンクを確認し、お渡しできます。',
  },
  reset: { title: '新しいパスワードの設定', action: 'パスワードを設定', doneTitle: 'パスワードを変更しました', doneText: 'すべてのセッションを終了しました。新しいパスワードでサインインしてください。', badTitle: 'このリンクは使えません', again: 'リンクをもう一度送信' },
  confirm: { title: 'メールアドレスの確認', working: 'しばらくお待ちください…', doneTitle: 'メールアドレスを確認しました', doneText: 'サインインできます。', doneApproval: '管理者が承認すると、サインインできます。', badTitle: 'このリンクは使えません', badText: 'すでに使用された可能性があります。サインインをお試しいただくか、もう一度登録してください。', action: 'サインイン' },
};
