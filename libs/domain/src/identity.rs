//! Who asks: principal, tenant and roles, established at the front door and carried inside.

use crate::names::named;

named! {
    /// What a principal may do.
    pub enum Role {
        /// Ask questions.
        Ask = "ask",
        /// Declare platform requests and use the platform fast path.
        Platform = "platform",
        /// Write to collections.
        Ingest = "ingest",
        /// Decide reviews.
        Review = "review",
        /// Erase payloads.
        Erase = "erase",
        /// Everything else that changes settings.
        Admin = "admin",
    }
}

/// An authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Stable name of the caller within the tenant.
    pub principal: String,
    /// Whose data this is; tenants never see each other's chunks, sessions or records.
    pub tenant: String,
    /// Granted roles, without repeats.
    pub roles: Vec<Role>,
}

impl Identity {
    /// The one user of an embedded system on loopback: every role, tenant `local`.
    #[must_use]
    pub fn local() -> Self {
        Self { principal: "local".into(), tenant: "local".into(), roles: Role::ALL.to_vec() }
    }

    /// Whether the role was granted.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }
}
