//! The letters that people get, in their language, and how they are sent.

use futures_util::future::BoxFuture;
use kaisatsu_model::{Email, Language};

/// A letter on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// To whom.
    pub to: Email,
    /// What it is about.
    pub subject: &'static str,
    /// What it says.
    pub text: String,
}

/// How letters are sent.
pub trait Post: Send + Sync {
    /// Sends one, or says why it could not be.
    fn send(&self, letter: Letter) -> BoxFuture<'static, Result<(), String>>;

    /// Whether they reach people; otherwise only whoever reads the log.
    fn reaches_people(&self) -> bool;
}

/// Letters go to the log: the way of a server without a mail server.
pub struct ToTheLog;

impl Post for ToTheLog {
    fn send(&self, letter: Letter) -> BoxFuture<'static, Result<(), String>> {
        tracing::info!(to = %letter.to, subject = letter.subject, "no mail server is set; the letter says: {}", letter.text);
        Box::pin(async { Ok(()) })
    }

    fn reaches_people(&self) -> bool {
        false
    }
}

/// What a letter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// To prove that the address is the person's.
    Confirm,
    /// To choose another password.
    Reset,
    /// Somebody registered with an address that has an account.
    KnownAlready,
}

pub(super) fn write(occasion: Occasion, to: Email, language: Language, link: &str) -> Letter {
    let (subject, before, after) = match (occasion, language) {
        (Occasion::Confirm, Language::English) => (
            "Confirm your address for Kaisatsu",
            "Somebody, probably you, registered with Kaisatsu using this address. Open this link within a day to confirm it:",
            "If it was not you, do nothing: the account is never opened.",
        ),
        (Occasion::Confirm, Language::Japanese) => (
            "Kaisatsu: メールアドレスの確認",
            "このメールアドレスで Kaisatsu に登録がありました。一日以内に次のリンクを開いて確認してください。",
            "お心当たりがなければ、このまま破棄してください。アカウントは有効になりません。",
        ),
        (Occasion::Reset, Language::English) => (
            "Choose a new password for Kaisatsu",
            "Somebody, probably you, asked for a new password. Open this link within an hour to choose one:",
            "If it was not you, do nothing: your password stays as it is.",
        ),
        (Occasion::Reset, Language::Japanese) => (
            "Kaisatsu: パスワードの再設定",
            "パスワードの再設定が求められました。一時間以内に次のリンクを開き、新しいパスワードを設定してください。",
            "お心当たりがなければ、このまま破棄してください。パスワードは変わりません。",
        ),
        (Occasion::KnownAlready, Language::English) => (
            "You have an account with Kaisatsu",
            "Somebody, probably you, registered with this address, which has an account already. If you forgot the password, choose a new one here:",
            "If it was not you, do nothing.",
        ),
        (Occasion::KnownAlready, Language::Japanese) => (
            "Kaisatsu: アカウントはすでにあります",
            "このメールアドレスで登録がありましたが、アカウントはすでにあります。パスワードをお忘れの場合は、こちらから再設定できます。",
            "お心当たりがなければ、このまま破棄してください。",
        ),
    };
    Letter { to, subject, text: format!("{before}\n\n{link}\n\n{after}\n") }
}
