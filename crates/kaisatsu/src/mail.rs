//! Sends e-mails through the operator's mail server.

use std::time::Duration;

use futures_util::future::BoxFuture;
use kaisatsu_access::{EmailMessage, Mailer};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
};

/// How long sending may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A mail server.
pub(crate) struct MailServer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    sender: Mailbox,
}

impl MailServer {
    /// The server at an address such as `smtps://user:password@host`. Errors do not repeat the address, which may
    /// contain a password.
    pub(crate) fn new(address: &str, sender: &str) -> Result<Self, String> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(address)
            .map_err(|_| "smtp must be smtps://USER:PASSWORD@HOST:PORT, or smtp://HOST:PORT?tls=required".to_owned())?;
        let sender = sender.parse().map_err(|_| format!("mail_from: '{sender}' is no e-mail address"))?;
        Ok(Self { transport: transport.timeout(Some(TIMEOUT)).build(), sender })
    }
}

impl Mailer for MailServer {
    fn send(&self, email: EmailMessage) -> BoxFuture<'static, Result<(), String>> {
        let (transport, sender) = (self.transport.clone(), self.sender.clone());
        Box::pin(async move {
            let to = email.to.as_str().parse().map_err(|_| "the address is none that mail knows".to_owned())?;
            let message = Message::builder().from(sender).to(to).subject(email.subject);
            let message =
                message.header(ContentType::TEXT_PLAIN).body(email.text).map_err(|error| error.to_string())?;
            transport.send(message).await.map(drop).map_err(|error| error.to_string())
        })
    }

    fn delivers(&self) -> bool {
        true
    }
}
