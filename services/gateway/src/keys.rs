//! API keys: how one is made, the file that knows them, and how a presented one is recognised.
//!
//! A key reads `assay_<id>_<secret>`: the prefix lets people and secret scanners recognise it, the id (12 hex digits) is
//! public and finds its entry, the secret (64 hex digits) is 256 random bits. The file holds the SHA-256 of the whole
//! key. A slow password hash would buy nothing: it makes guessing of *human* secrets dear, and nobody guesses 256 random
//! bits, however fast the hash. A fast one keeps a flood of wrong keys cheap for the server.

use std::collections::HashMap;

use assay_domain::{Code, Failure, Identity, Role};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// What every key begins with.
pub const PREFIX: &str = "assay_";
/// Hex digits of an id.
const ID_DIGITS: usize = 12;
/// Hex digits of a secret.
const SECRET_DIGITS: usize = 64;
/// Characters that a principal, a tenant or a name may have.
const NAME_CHARS: usize = 128;
/// Longest life of a key, in days: ten years.
const MAX_DAYS: u32 = 3653;
/// First lines of a written file.
const HEADING: &str = "# Keys of the Assay gateway, written by `assay keys`. It holds no secret: each entry has the \
                       SHA-256 of a key.\n# A running gateway reads it again when it changes.\n\n";

/// The keys file, as TOML: an array of tables `key`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeysFile {
    /// The keys, in the order in which they were made.
    #[serde(rename = "key")]
    pub keys: Vec<KeyEntry>,
}

/// A key as the file knows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyEntry {
    /// Its public id, 12 lower-case hex digits.
    pub id: String,
    /// What it is for, to people.
    #[serde(default)]
    pub name: String,
    /// SHA-256 of the whole key, 64 lower-case hex digits.
    pub sha256: String,
    /// Who its bearer is, within the tenant.
    pub principal: String,
    /// Whose data its bearer sees.
    pub tenant: String,
    /// What its bearer may do.
    pub roles: Vec<String>,
    /// When it was made, RFC 3339.
    #[serde(default)]
    pub created: String,
    /// When it ends, RFC 3339; missing for one that does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// Whether it is switched off.
    #[serde(default)]
    pub disabled: bool,
}

/// What a new key grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Who its bearer is, within the tenant.
    pub principal: String,
    /// Whose data its bearer sees.
    pub tenant: String,
    /// What its bearer may do.
    pub roles: Vec<Role>,
    /// What it is for, to people.
    pub name: String,
    /// Days that it lives; none for one that does not end.
    pub days: Option<u32>,
}

fn wrong(field: &str, text: impl Into<String>) -> Failure {
    Failure::new(Code::InvalidArgument, text).field(field)
}

/// A principal or tenant: 1 to 128 characters, none of them a control character.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=NAME_CHARS).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

fn rfc3339(unix_ms: u64) -> Result<String, Failure> {
    OffsetDateTime::from_unix_timestamp(i64::try_from(unix_ms / 1000).unwrap_or(i64::MAX))
        .ok()
        .and_then(|instant| instant.format(&Rfc3339).ok())
        .ok_or_else(|| wrong("expires", "there is no such date"))
}

fn unix_ms(text: &str) -> Option<u64> {
    let instant = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    u64::try_from(instant.unix_timestamp_nanos() / 1_000_000).ok()
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The id of a text that has the form of a key.
fn id_of(key: &str) -> Option<&str> {
    let (id, secret) = key.strip_prefix(PREFIX)?.split_once('_')?;
    (is_hex(id, ID_DIGITS) && is_hex(secret, SECRET_DIGITS)).then_some(id)
}

// === impl KeysFile ===

impl KeysFile {
    /// Reads a file and checks every entry.
    ///
    /// # Errors
    /// `configuration`, naming the entry and the field.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let file: Self = toml::from_str(text).map_err(|error| {
            Failure::new(Code::Configuration, format!("the keys file cannot be read: {}", error.message()))
        })?;
        KeyRing::of(&file)?;
        Ok(file)
    }

    /// The file as text.
    ///
    /// # Errors
    /// `internal` if it has no TOML form.
    pub fn render(&self) -> Result<String, Failure> {
        let body = toml::to_string(self).map_err(|error| Failure::internal(error.to_string()))?;
        Ok(format!("{HEADING}{body}"))
    }

    /// Adds a key and returns it: the only time that it is seen. `random_id` and `secret` must be random.
    ///
    /// # Errors
    /// `invalid_argument` naming what the grant lacks.
    pub fn issue(
        &mut self,
        grant: Grant,
        random_id: [u8; 6],
        secret: [u8; 32],
        now_unix_ms: u64,
    ) -> Result<String, Failure> {
        for (field, text) in [("principal", &grant.principal), ("tenant", &grant.tenant)] {
            if !is_name(text) {
                let rule =
                    format!("the {field} must have 1 to {NAME_CHARS} characters and no control characters");
                return Err(wrong(field, rule));
            }
        }
        if grant.roles.is_empty() {
            return Err(wrong("role", "a key without a role opens nothing; give it one"));
        }
        if grant.name.chars().count() > NAME_CHARS || grant.name.chars().any(char::is_control) {
            return Err(wrong("name", format!("the name must have at most {NAME_CHARS} plain characters")));
        }
        if grant.days.is_some_and(|days| days == 0 || days > MAX_DAYS) {
            return Err(wrong("expires", format!("a key lives 1 to {MAX_DAYS} days")));
        }
        let id = hex::encode(random_id);
        if self.keys.iter().any(|key| key.id == id) {
            return Err(Failure::internal("the id is taken already; try again"));
        }
        let key = format!("{PREFIX}{id}_{}", hex::encode(secret));
        let expires =
            grant.days.map(|days| rfc3339(now_unix_ms + u64::from(days) * 86_400_000)).transpose()?;
        let mut roles: Vec<String> = Vec::new();
        for role in grant.roles {
            if !roles.iter().any(|known| known == role.as_str()) {
                roles.push(role.as_str().to_owned());
            }
        }
        self.keys.push(KeyEntry {
            id,
            name: grant.name,
            sha256: hex::encode(Sha256::digest(key.as_bytes())),
            principal: grant.principal,
            tenant: grant.tenant,
            roles,
            created: rfc3339(now_unix_ms)?,
            expires,
            disabled: false,
        });
        Ok(key)
    }

    /// Switches a key off.
    ///
    /// # Errors
    /// `not_found` if there is none of this id.
    pub fn disable(&mut self, id: &str) -> Result<(), Failure> {
        let key = self.keys.iter_mut().find(|key| key.id == id).ok_or_else(|| no_key(id))?;
        key.disabled = true;
        Ok(())
    }

    /// Forgets a key.
    ///
    /// # Errors
    /// `not_found` if there is none of this id.
    pub fn remove(&mut self, id: &str) -> Result<(), Failure> {
        let before = self.keys.len();
        self.keys.retain(|key| key.id != id);
        if self.keys.len() == before { Err(no_key(id)) } else { Ok(()) }
    }
}

fn no_key(id: &str) -> Failure {
    Failure::new(Code::NotFound, format!("there is no key with the id {id:?}; `assay keys list` shows them"))
        .field("id")
}

// === impl KeyEntry ===

impl KeyEntry {
    /// How it stands at a moment: `active`, `disabled` or `expired`.
    #[must_use]
    pub fn state(&self, now_unix_ms: u64) -> &'static str {
        match self.expires.as_deref().map(unix_ms) {
            _ if self.disabled => "disabled",
            Some(end) if end.is_none_or(|end| end <= now_unix_ms) => "expired",
            _ => "active",
        }
    }
}

/// A key that is known.
#[derive(Debug)]
struct Known {
    sha256: [u8; 32],
    identity: Identity,
    expires_unix_ms: Option<u64>,
    disabled: bool,
}

/// The keys of a file, ready to be looked up.
#[derive(Debug, Default)]
pub(crate) struct KeyRing(HashMap<String, Known>);

impl KeyRing {
    /// Reads a file.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        Self::of(&KeysFile::parse(text)?)
    }

    fn of(file: &KeysFile) -> Result<Self, Failure> {
        let mut ring = HashMap::with_capacity(file.keys.len());
        for (number, entry) in (1..).zip(&file.keys) {
            let wrong = |field: &str, rule: &str| {
                let text = format!("key {number} of the keys file: `{field}` {rule}");
                Failure::new(Code::Configuration, text).field(field)
            };
            if !is_hex(&entry.id, ID_DIGITS) {
                return Err(wrong("id", "must be 12 lower-case hex digits"));
            }
            let mut sha256 = [0; 32];
            if !is_hex(&entry.sha256, 64) || hex::decode_to_slice(&entry.sha256, &mut sha256).is_err() {
                return Err(wrong("sha256", "must be 64 lower-case hex digits"));
            }
            if !is_name(&entry.principal) {
                return Err(wrong("principal", "must have 1 to 128 characters and no control characters"));
            }
            if !is_name(&entry.tenant) {
                return Err(wrong("tenant", "must have 1 to 128 characters and no control characters"));
            }
            let mut roles = Vec::new();
            for name in &entry.roles {
                let known = Role::from_name(name);
                let role = known.ok_or_else(|| wrong("roles", &format!("has {name:?}, which is no role")))?;
                if !roles.contains(&role) {
                    roles.push(role);
                }
            }
            let expires_unix_ms = match &entry.expires {
                None => None,
                Some(text) => {
                    Some(unix_ms(text).ok_or_else(|| wrong("expires", "must be a moment as in RFC 3339"))?)
                }
            };
            let identity =
                Identity { principal: entry.principal.clone(), tenant: entry.tenant.clone(), roles };
            let known = Known { sha256, identity, expires_unix_ms, disabled: entry.disabled };
            if ring.insert(entry.id.clone(), known).is_some() {
                return Err(wrong("id", "is there twice"));
            }
        }
        Ok(Self(ring))
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Who the bearer of a key is. A known and an unknown id cost the same work, and hashes are compared in constant time.
    ///
    /// # Errors
    /// `unauthenticated`; only the bearer of the right secret learns that a key is disabled or expired.
    pub(crate) fn recognise(&self, key: &str, now_unix_ms: u64) -> Result<Identity, Failure> {
        let refused = |text: &str| Failure::new(Code::Unauthenticated, text).field("authorization");
        let found = id_of(key).and_then(|id| self.0.get(id));
        let expected = found.map_or(&[0; 32], |known| &known.sha256);
        let same: bool = Sha256::digest(key.as_bytes()).as_slice().ct_eq(expected.as_slice()).into();
        match found {
            Some(known) if same && known.disabled => Err(refused("the key is disabled")),
            Some(known) if same && known.expires_unix_ms.is_some_and(|end| end <= now_unix_ms) => {
                Err(refused("the key has expired; ask for a new one"))
            }
            Some(known) if same => Ok(known.identity.clone()),
            _ => Err(refused("the key is not known here")),
        }
    }
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
