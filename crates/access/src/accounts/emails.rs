//! E-mails to people, in their language, and how they are sent.

use futures_util::future::BoxFuture;
use kaisatsu_model::{Email, Language};

/// An e-mail to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailMessage {
    /// The recipient.
    pub to: Email,
    /// The subject.
    pub subject: &'static str,
    /// The body.
    pub text: String,
}

/// Sends e-mails.
pub trait Mailer: Send + Sync {
    /// Sends one, or returns why it could not be sent.
    fn send(&self, message: EmailMessage) -> BoxFuture<'static, Result<(), String>>;

    /// Whether e-mails reach their recipients, and not only the log.
    fn delivers(&self) -> bool;
}

/// Writes e-mails to the log: for servers without a mail server.
pub struct LogMailer;

impl Mailer for LogMailer {
    fn send(&self, message: EmailMessage) -> BoxFuture<'static, Result<(), String>> {
        tracing::info!(to = %message.to, subject = message.subject, "no mail server is set; the e-mail says: \
         {}", message.text);
        Box::pin(async { Ok(()) })
    }

    fn delivers(&self) -> bool {
        false
    }
}

/// The kind of an e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EmailKind {
    /// To confirm the address.
    Confirm,
    /// To choose a new password.
    Reset,
    /// Somebody registered with an address that has an account.
    AlreadyRegistered,
}

pub(super) fn compose(kind: EmailKind, to: Email, language: Language, link: &str) -> EmailMessage {
    let (subject, before, after) = match (kind, language) {
        (EmailKind::Confirm, Language::English) => (
            "Confirm your address for Kaisatsu",
            "Somebody, probably you, registered with Kaisatsu using this address. Open this link within a day to \
             confirm it:",
            "If it was not you, do nothing: the account is never opened.",
        ),
        (EmailKind::Confirm, Language::Japanese) => (
            "Kaisatsu: メールアドレスの確認",
            "このメールアドレスで Kaisatsu に登録がありました。一日以内に次のリンクを開いて確認してください。",
            "お心当たりがなければ、このまま破棄してください。アカウントは有効になりません。",
        ),
        (EmailKind::Reset, Language::English) => (
            "Choose a new password for Kaisatsu",
            "Somebody, probably you, asked for a new password. Open this link within an hour to choose one:",
            "If it was not you, do nothing: your password stays as it is.",
        ),
        (EmailKind::Reset, Language::Japanese) => (
            "Kaisatsu: パスワードの再設定",
            "パスワードの再設定が求められました。一時間以内に次のリンクを開き、新しいパスワードを設定してください。",
            "お心当たりがなければ、このまま破棄してください。パスワードは変わりません。",
        ),
        (EmailKind::AlreadyRegistered, Language::English) => (
            "You have an account with Kaisatsu",
            "Somebody, probably you, registered with this address, which has an account already. If you forgot the \
             password, choose a new one here:",
            "If it was not you, do nothing.",
        ),
        (EmailKind::AlreadyRegistered, Language::Japanese) => (
            "Kaisatsu: アカウントはすでにあります",
            "このメールアドレスで登録がありましたが、アカウントはすでにあります。パスワードをお忘れの場合は、こちらから再設定できます。",
            "お心当たりがなければ、このまま破棄してください。",
        ),
    };
    EmailMessage { to, subject, text: format!("{before}\n\n{link}\n\n{after}\n") }
}

/// What people are told about a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice<'a> {
    /// To an operator: somebody with this address waits for approval.
    Waits(&'a str),
    /// An operator approved the account.
    Approved,
    /// An operator rejected the registration.
    Refused,
}

/// The e-mail of a notice; `base` is the beginning of every page's address.
pub(super) fn notice(about: Notice<'_>, to: Email, language: Language, base: &str) -> EmailMessage {
    let (subject, text) = match (about, language) {
        (Notice::Waits(who), Language::English) => (
            "An account is waiting for your approval",
            format!(
                "{who} has registered with Kaisatsu. Approve or reject the account here:\n\n{base}/console/operator\n\n\
                 You receive this e-mail because you are an operator of this server.\n"
            ),
        ),
        (Notice::Waits(who), Language::Japanese) => (
            "Kaisatsu: アカウントが承認を待っています",
            format!(
                "{who} の登録がありました。次のページで承認または却下してください。\n\n{base}/console/operator\n\n\
                 このメールは、サーバーの管理者にお送りしています。\n"
            ),
        ),
        (Notice::Approved, Language::English) => (
            "Your Kaisatsu account has been approved",
            format!("An operator has approved your account. You can now sign in:\n\n{base}/console/sign-in\n"),
        ),
        (Notice::Approved, Language::Japanese) => (
            "Kaisatsu: アカウントが承認されました",
            format!("管理者がアカウントを承認しました。次のページでサインインできます。\n\n{base}/console/sign-in\n"),
        ),
        (Notice::Refused, Language::English) => (
            "Your Kaisatsu registration has been rejected",
            format!("An operator of {base} has rejected your registration, so you cannot sign in there.\n"),
        ),
        (Notice::Refused, Language::Japanese) => {
            ("Kaisatsu: 登録が却下されました", format!("{base} の管理者が登録を却下したため、サインインできません。\n"))
        }
    };
    EmailMessage { to, subject, text }
}
