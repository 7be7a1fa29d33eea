//! The signals that end `serve` and `worker`.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::CliError;

/// What ends a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// SIGTERM, as a service manager sends it.
    Terminate,
    /// SIGINT, by Ctrl-C.
    Interrupt,
}

/// The signals that end a server, caught from the moment this is made.
pub(super) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    pub(super) fn catch() -> Result<Self, CliError> {
        let catch = |kind| {
            signal(kind).map_err(|error| CliError::Failed(format!("the system lets no signal be caught: {error}")))
        };
        Ok(Self { terminate: catch(SignalKind::terminate())?, interrupt: catch(SignalKind::interrupt())? })
    }

    pub(super) async fn next(&mut self) -> Stop {
        tokio::select! {
            _ = self.terminate.recv() => Stop::Terminate,
            _ = self.interrupt.recv() => Stop::Interrupt,
        }
    }
}

/// Ends the process without the handlers of its libraries: they would tear ONNX Runtime down under the threads of the
/// engine.
#[allow(unsafe_code, reason = "there is no safe form of it in the standard library")]
pub(super) fn exit_at_once() -> ! {
    // SAFETY: it has no preconditions.
    unsafe { libc::_exit(1) }
}
