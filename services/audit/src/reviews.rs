//! What people do with records: review, give feedback, read what is others', erase.

use assay_domain::identity::Role;
use assay_domain::{AuditId, Code, Failure, Identity};
use assay_ledger::erasure::runs;
use assay_ledger::{Said, Salt};

use crate::ports::{
    ErasedOf, Held, Kept, Noted, Reading, Receipt, Remark, Remarked, Selector, Waiting, WaitingFilter,
};
use crate::rates::{Rates, rates};
use crate::service::{Audit, not_found, scope};

/// Longest reason, in characters.
pub const REASON_CHARS: usize = 4_096;

/// Chance and time that a note needs.
#[derive(Debug, Clone, Copy)]
pub struct Fresh {
    /// The id of the note.
    pub id: AuditId,
    /// Hides its words.
    pub salt: Salt,
    /// Milliseconds since the Unix epoch.
    pub now_unix_ms: u64,
}

fn needs(identity: &Identity, role: Role, what: &str) -> Result<(), Failure> {
    if identity.has(role) {
        return Ok(());
    }
    Err(Failure::new(Code::PermissionDenied, format!("{what} needs the role {role}")).field("roles"))
}

/// A reason within its bound.
fn reason(text: &str) -> Result<String, Failure> {
    if text.chars().count() > REASON_CHARS {
        let text = format!("a reason has at most {REASON_CHARS} characters");
        return Err(Failure::new(Code::InvalidArgument, text).field("reason"));
    }
    Ok(assay_redact::redact(text.trim()))
}

fn already_claimed(held: &Held) -> Failure {
    let text = format!(
        "{} has claimed this record; it is free again when they release it or after a while",
        held.by
    );
    Failure::new(Code::RequestConflict, text).field("audit_id")
}

fn not_waiting() -> Failure {
    let text = "the record waits for no reviewer: it was decided, or nothing was doubted in it";
    Failure::new(Code::RequestConflict, text).field("audit_id")
}

impl Audit {
    /// Records that wait for a reviewer, the oldest first, with the place where the next page begins.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` without the role `review`; what the store says.
    pub async fn waiting(
        &self,
        identity: &Identity,
        mut filter: WaitingFilter,
        fresh: Fresh,
    ) -> Result<(Vec<Waiting>, Option<u64>), Failure> {
        needs(identity, Role::Review, "reading the review queue")?;
        let wanted = filter.limit.max(1);
        filter.limit = wanted + 1;
        let mut waiting = Vec::new();
        let more = loop {
            let page = self.store.reviews.waiting(&identity.tenant, &filter).await?;
            let full = page.len() == filter.limit;
            filter.after = page.last().map(|one| one.kept.receipt.leaf_index);
            let with_claims = page.into_iter().map(|one| {
                let held = self.review_claims.holder(one.kept.record.audit_id, fresh.now_unix_ms);
                Waiting { held, ..one }
            });
            waiting.extend(with_claims.filter(|one| {
                !filter.free || one.held.as_ref().is_none_or(|held| held.by == identity.principal)
            }));
            if waiting.len() > wanted || !full {
                break waiting.len() > wanted;
            }
        };
        waiting.truncate(wanted);
        self.note_reading(identity, waiting.iter().map(|one| &one.kept), fresh).await?;
        let next = if more { waiting.last().map(|one| one.kept.receipt.leaf_index) } else { None };
        Ok((waiting, next))
    }

    /// Claims a waiting record for a while, or releases it.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`, `NOT_FOUND`; `REQUEST_CONFLICT` if it does not wait or somebody else has it.
    pub async fn claim(
        &self,
        identity: &Identity,
        about: AuditId,
        release: bool,
        now_unix_ms: u64,
    ) -> Result<(), Failure> {
        needs(identity, Role::Review, "claiming a review")?;
        let kept = self.store.records.get(&scope(identity), about).await?.ok_or_else(|| not_found(about))?;
        if !self.store.reviews.waits(kept.receipt.leaf_index).await? {
            return Err(not_waiting());
        }
        self.review_claims
            .claim(about, &identity.principal, now_unix_ms)
            .map_err(|held| already_claimed(&held))?;
        if release {
            self.review_claims.release(about, now_unix_ms);
        }
        Ok(())
    }

    /// Says something of a record: decides its review, or gives feedback.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for a decision without the role `review`, `INVALID_ARGUMENT` for a decision without a reason;
    /// as [`Self::claim`]. What was erased is not found.
    pub async fn say(
        &self,
        identity: &Identity,
        about: AuditId,
        said: Said,
        claim: Option<u32>,
        why: &str,
        fresh: Fresh,
    ) -> Result<Receipt, Failure> {
        let why = reason(why)?;
        if said.decides() {
            needs(identity, Role::Review, "deciding a review")?;
            if why.is_empty() {
                return Err(Failure::new(Code::InvalidArgument, "a decision needs a reason").field("reason"));
            }
        }
        // Who holds a record is no business of another tenant; words about an erased one could not be erased with it.
        let kept = self.store.records.get(&scope(identity), about).await?;
        if kept.is_none_or(|kept| kept.salt.is_none()) {
            return Err(not_found(about));
        }
        if said.decides()
            && let Some(held) = self.review_claims.holder(about, fresh.now_unix_ms)
            && held.by != identity.principal
        {
            return Err(already_claimed(&held));
        }
        let remark = Remark {
            id: fresh.id,
            about,
            scope: scope(identity),
            said,
            claim,
            principal: identity.principal.clone(),
            reason: why,
            salt: fresh.salt,
            now_unix_ms: fresh.now_unix_ms,
        };
        let receipt = match self.store.notes.remark(remark).await? {
            Remarked::Stored(receipt) => receipt,
            Remarked::NoRecord => return Err(not_found(about)),
            Remarked::NotWaiting => return Err(not_waiting()),
        };
        if said.decides() {
            self.review_claims.release(about, fresh.now_unix_ms);
        }
        Ok(receipt)
    }

    /// What was said of a record that this caller may see.
    ///
    /// # Errors
    /// What the store says.
    pub async fn noted(&self, kept: &Kept) -> Result<Vec<Noted>, Failure> {
        Ok(self.store.reviews.noted(kept).await?)
    }

    /// Rates of the caller's tenant from the decisions and answers between two moments.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` without the role `review`; what the store says.
    pub async fn rates(&self, identity: &Identity, from: u64, until: u64) -> Result<Rates, Failure> {
        needs(identity, Role::Review, "reading rates")?;
        let decided = self.store.reviews.decided(&identity.tenant, from, until).await?;
        let judged = self.store.reviews.judged(&identity.tenant, from, until).await?;
        Ok(rates(&decided, judged))
    }

    /// Erases payloads of the caller's tenant, with what was said of these records. Leaves stay.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` without the role `erase`; what the store says: what was erased before stays erased.
    pub async fn erase(
        &self,
        identity: &Identity,
        what: Selector,
        now_unix_ms: u64,
    ) -> Result<ErasedOf, Failure> {
        needs(identity, Role::Erase, "erasing")?;
        let mut all = ErasedOf::default();
        loop {
            let some = self.store.notes.erase(&identity.tenant, what.clone(), now_unix_ms).await?;
            all.payloads += some.payloads;
            all.backups.extend(some.backups);
            if some.payloads == 0 {
                return Ok(all);
            }
        }
    }

    /// Records that the caller reads payloads of others. What cannot be recorded is not shown.
    pub(crate) async fn note_reading<'a>(
        &self,
        identity: &Identity,
        read: impl Iterator<Item = &'a Kept>,
        fresh: Fresh,
    ) -> Result<(), Failure> {
        let others =
            read.filter(|kept| kept.salt.is_some() && kept.record.identity.principal != identity.principal);
        let mut leaves: Vec<u64> = others.map(|kept| kept.receipt.leaf_index).collect();
        if leaves.is_empty() {
            return Ok(());
        }
        leaves.sort_unstable();
        self.note_leaves(identity, runs(&leaves), fresh).await
    }

    /// Records that the caller reads the payloads of leaves.
    pub(crate) async fn note_leaves(
        &self,
        identity: &Identity,
        leaves: Vec<(u64, u64)>,
        fresh: Fresh,
    ) -> Result<(), Failure> {
        let reading = Reading {
            id: fresh.id,
            tenant: identity.tenant.clone(),
            principal: identity.principal.clone(),
            leaves,
            salt: fresh.salt,
            now_unix_ms: fresh.now_unix_ms,
        };
        Ok(self.store.notes.read(reading).await?)
    }
}
