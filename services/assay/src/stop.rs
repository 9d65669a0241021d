//! Signals that ask a command to end.

use assay_domain::{Code, Failure};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit;

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// SIGINT: somebody pressed Ctrl-C.
    Interrupt,
    /// SIGTERM: whoever runs the process wants it to end.
    Terminate,
}

// === impl Stop ===

impl Stop {
    const ALL: [Self; 2] = [Self::Interrupt, Self::Terminate];

    /// The name of the signal.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        }
    }

    /// What became of a command that it ended.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupted",
            Self::Terminate => "terminated",
        }
    }

    /// The exit code, as shells tell it.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Interrupt => exit::INTERRUPTED,
            Self::Terminate => exit::TERMINATED,
        }
    }

    /// The failure of a command that it ended.
    #[must_use]
    pub fn failure(self, text: &str) -> Failure {
        Failure::new(Code::Cancelled, text).field(self.name())
    }

    /// The signal that ended a command with this failure.
    #[must_use]
    pub fn of(failure: &Failure) -> Option<Self> {
        let named = |stop: &Self| failure.code == Code::Cancelled && failure.field == stop.name();
        Self::ALL.into_iter().find(named)
    }
}

/// Both signals, heard from now on instead of ending the process, also once this is dropped.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

// === impl Signals ===

impl Signals {
    /// Hears signals from now on.
    ///
    /// # Errors
    /// `INTERNAL` if the system allows none.
    pub fn listen() -> Result<Self, Failure> {
        let heard = |kind| {
            signal(kind).map_err(|error| Failure::internal(format!("signals cannot be heard: {error}")))
        };
        Ok(Self { interrupt: heard(SignalKind::interrupt())?, terminate: heard(SignalKind::terminate())? })
    }

    /// The next signal.
    pub async fn next(&mut self) -> Stop {
        tokio::select! {
            Some(()) = self.interrupt.recv() => Stop::Interrupt,
            Some(()) = self.terminate.recv() => Stop::Terminate,
            else => std::future::pending().await,
        }
    }
}
