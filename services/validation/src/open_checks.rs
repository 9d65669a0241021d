//! Checks that are open, whether they compute or wait for text: how many, and how much text they hold. An index of
//! sources takes about twenty times their text in memory, so this bounds the memory of the service.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_domain::{Failure, Identity};

use crate::error::Error;
use crate::options::Options;

/// One caller may hold one part in this many of everything.
const SHARE: usize = 2;

/// What is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Load {
    checks: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Held {
    all: Load,
    callers: HashMap<(String, String), Load>,
}

/// The open checks of a process.
#[derive(Debug, Clone)]
pub(crate) struct OpenChecks {
    most: Load,
    held: Arc<Mutex<Held>>,
}

/// One open check; what it holds is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct OpenCheck {
    of: OpenChecks,
    caller: (String, String),
    bytes: usize,
}

// === impl OpenChecks ===

impl OpenChecks {
    pub(crate) fn new(options: &Options) -> Self {
        Self { most: Load { checks: options.open_checks, bytes: options.open_bytes }, held: Arc::default() }
    }

    /// Opens a check for a caller.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` naming the setting.
    pub(crate) fn open(&self, identity: &Identity) -> Result<OpenCheck, Failure> {
        let caller = (identity.tenant.clone(), identity.principal.clone());
        self.add(&caller, Load { checks: 1, bytes: 0 })?;
        Ok(OpenCheck { of: self.clone(), caller, bytes: 0 })
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, caller: &(String, String), more: Load) -> Result<(), Failure> {
        let mut held = self.lock();
        let own = held.callers.get(caller).copied().unwrap_or_default();
        let share = |most: usize| most.div_ceil(SHARE);
        for (what, setting, all, own, more, most) in [
            ("checks", "validation.open_checks", held.all.checks, own.checks, more.checks, self.most.checks),
            (
                "bytes of text",
                "validation.open_bytes",
                held.all.bytes,
                own.bytes,
                more.bytes,
                self.most.bytes,
            ),
        ] {
            let (whose, limit) =
                if own + more > share(most) { (" of one caller", share(most)) } else { ("", most) };
            if own + more > limit || all + more > limit {
                return Err(Error::TooMany { what, whose, limit, setting }.into());
            }
        }
        held.all.checks += more.checks;
        held.all.bytes += more.bytes;
        let own = held.callers.entry(caller.clone()).or_default();
        own.checks += more.checks;
        own.bytes += more.bytes;
        Ok(())
    }

    fn remove(&self, caller: &(String, String), less: Load) {
        let mut held = self.lock();
        held.all.checks -= less.checks;
        held.all.bytes -= less.bytes;
        if let Some(own) = held.callers.get_mut(caller) {
            own.checks -= less.checks;
            own.bytes -= less.bytes;
            if own.checks == 0 {
                held.callers.remove(caller);
            }
        }
    }
}

// === impl OpenCheck ===

impl OpenCheck {
    /// Counts text that the check holds from now on.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` naming the setting.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), Failure> {
        self.of.add(&self.caller, Load { checks: 0, bytes })?;
        self.bytes += bytes;
        Ok(())
    }

    /// No longer counts text that the check held.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.of.remove(&self.caller, Load { checks: 0, bytes });
    }
}

impl Drop for OpenCheck {
    fn drop(&mut self) {
        self.of.remove(&self.caller, Load { checks: 1, bytes: self.bytes });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use assay_domain::Code;

    use super::*;

    fn who(principal: &str) -> Identity {
        Identity { principal: principal.into(), ..Identity::local() }
    }

    fn open_checks(checks: usize, bytes: usize) -> OpenChecks {
        OpenChecks::new(&Options { open_checks: checks, open_bytes: bytes, ..Options::default() })
    }

    fn told(failure: &Failure) -> (Code, &str) {
        (failure.code, failure.field.as_str())
    }

    #[test]
    fn one_caller_has_half_of_the_checks() {
        let open = open_checks(4, 100);
        let ada = (open.open(&who("ada")).unwrap(), open.open(&who("ada")).unwrap());
        let refused = open.open(&who("ada")).unwrap_err();
        assert_eq!(told(&refused), (Code::ResourceExhausted, "validation.open_checks"));
        let _others = (open.open(&who("eve")).unwrap(), open.open(&who("bob")).unwrap());
        assert!(open.open(&who("joe")).is_err(), "all places are taken");
        drop(ada);
        assert!(open.open(&who("ada")).is_ok());
    }

    #[test]
    fn bytes_are_counted_until_the_check_ends() {
        let open = open_checks(10, 100);
        let mut ada = open.open(&who("ada")).unwrap();
        ada.hold(50).unwrap();
        assert_eq!(told(&ada.hold(1).unwrap_err()), (Code::ResourceExhausted, "validation.open_bytes"));
        let mut eve = open.open(&who("eve")).unwrap();
        eve.hold(50).unwrap();
        let mut bob = open.open(&who("bob")).unwrap();
        assert!(bob.hold(1).is_err());
        eve.release(50);
        bob.hold(50).unwrap();
        drop(ada);
        drop((eve, bob));
        assert_eq!(open.lock().all, Load::default());
        assert!(open.lock().callers.is_empty(), "who holds nothing is forgotten");
    }
}
