//! Checkpoints: origin, size and root of the log as a signed note.
//!
//! The body and the signature line follow the C2SP formats `tlog-checkpoint` and `signed-note`, so that other
//! transparency-log tools can read them:
//!
//! ```text
//! <origin>
//! <size, decimal>
//! <root, base64>
//!
//! — <key name> <base64 of 4 bytes key id ‖ 64 bytes Ed25519 signature of the three lines above>
//! ```
//!
//! The key id is the start of SHA-256(name ‖ LF ‖ 0x01 ‖ public key); a verifier key is written as
//! `name+keyid+base64(0x01 ‖ public key)`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::hash::Hash;

const ED25519: u8 = 1;

/// What a log promises about itself at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Name of the log, unique among logs.
    pub origin: String,
    /// Number of leaves.
    pub size: u64,
    /// Root over them.
    pub root: Hash,
}

/// Why a signed checkpoint is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// It does not have the form of a checkpoint.
    #[error("the checkpoint is malformed: {0}")]
    Malformed(&'static str),
    /// No signature line carries the expected key.
    #[error("no signature by key {0}")]
    NotSigned(String),
    /// The signature does not fit text and key.
    #[error("the signature by key {0} is wrong")]
    WrongSignature(String),
    /// It speaks of another log.
    #[error("the checkpoint is of log {0:?}")]
    OtherOrigin(String),
}

impl Checkpoint {
    /// The three lines that are signed, each ended by a line feed.
    #[must_use]
    pub fn body(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, BASE64.encode(self.root.0))
    }

    /// Reads the body; extension lines after the third are allowed and ignored.
    ///
    /// # Errors
    /// [`CheckpointError::Malformed`] naming the line.
    pub fn parse_body(body: &str) -> Result<Self, CheckpointError> {
        let mut lines =
            body.strip_suffix('\n').ok_or(CheckpointError::Malformed("no final line feed"))?.split('\n');
        let origin =
            lines.next().filter(|line| !line.is_empty()).ok_or(CheckpointError::Malformed("origin"))?;
        let size = lines
            .next()
            .filter(|line| *line == "0" || !line.starts_with(['0', '+']))
            .and_then(|line| line.parse().ok())
            .ok_or(CheckpointError::Malformed("size"))?;
        let root = lines
            .next()
            .and_then(|line| BASE64.decode(line).ok())
            .and_then(|bytes| Hash::from_slice(&bytes))
            .ok_or(CheckpointError::Malformed("root"))?;
        Ok(Self { origin: origin.to_owned(), size, root })
    }

    /// Reads a signed note without looking at its signatures.
    ///
    /// # Errors
    /// [`CheckpointError::Malformed`].
    pub fn parse_unverified(note: &str) -> Result<Self, CheckpointError> {
        Self::parse_body(split_note(note)?.0)
    }
}

/// Splits a note into its signed body and its signature lines.
fn split_note(note: &str) -> Result<(&str, &str), CheckpointError> {
    let at = note.rfind("\n\n").ok_or(CheckpointError::Malformed("no empty line before the signatures"))?;
    Ok((&note[..=at], &note[at + 2..]))
}

/// Whether a text can name a key: no white space, no plus sign, not empty.
fn is_key_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '+')
}

/// The public half of a log's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    key: VerifyingKey,
}

impl VerifierKey {
    /// Parses `name+keyid+base64`; `None` if any part is wrong or the key id does not fit the key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().splitn(3, '+');
        let (name, id, key) = (parts.next()?, parts.next()?, parts.next()?);
        let bytes = BASE64.decode(key).ok()?;
        let (kind, key) = bytes.split_first()?;
        let key = VerifyingKey::from_bytes(key.try_into().ok()?).ok()?;
        let parsed = Self { name: name.to_owned(), key };
        (*kind == ED25519 && is_key_name(name) && hex::encode(parsed.id()) == id).then_some(parsed)
    }

    /// Name of the key, which is the origin of its log.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// First four bytes of SHA-256(name ‖ LF ‖ 0x01 ‖ public key).
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        let Hash([a, b, c, d, ..]) =
            Hash::of(&[self.name.as_bytes(), b"\n", &[ED25519], self.key.as_bytes()]);
        [a, b, c, d]
    }

    /// Reads a signed checkpoint and checks that this key signed it for its own log.
    ///
    /// # Errors
    /// See [`CheckpointError`].
    pub fn open(&self, note: &str) -> Result<Checkpoint, CheckpointError> {
        let (body, signatures) = split_note(note)?;
        let checkpoint = Checkpoint::parse_body(body)?;
        if checkpoint.origin != self.name {
            return Err(CheckpointError::OtherOrigin(checkpoint.origin));
        }
        let mut found = false;
        for line in signatures.lines() {
            let line = line.strip_prefix("— ").ok_or(CheckpointError::Malformed("signature line"))?;
            let (name, bytes) = line.split_once(' ').ok_or(CheckpointError::Malformed("signature line"))?;
            let bytes = BASE64.decode(bytes).map_err(|_| CheckpointError::Malformed("signature bytes"))?;
            let Some((id, signature)) = bytes.split_at_checked(4) else {
                return Err(CheckpointError::Malformed("signature bytes"));
            };
            if name != self.name || id != self.id() {
                continue;
            }
            let signature = Signature::from_slice(signature)
                .map_err(|_| CheckpointError::Malformed("signature bytes"))?;
            self.key
                .verify_strict(body.as_bytes(), &signature)
                .map_err(|_| CheckpointError::WrongSignature(self.to_string()))?;
            found = true;
        }
        if found { Ok(checkpoint) } else { Err(CheckpointError::NotSigned(self.to_string())) }
    }

    /// Whether the note has, byte for byte, the form that the log writes: three lines and its own signature alone, which
    /// is not verified here.
    #[must_use]
    pub fn is_canonical(&self, note: &str) -> bool {
        let Ok(checkpoint) = Checkpoint::parse_unverified(note) else { return false };
        let signature = note
            .strip_prefix(&checkpoint.body())
            .and_then(|rest| rest.strip_prefix(&format!("\n— {} ", self.name)))
            .and_then(|rest| rest.strip_suffix('\n'));
        signature.is_some_and(|text| BASE64.decode(text).is_ok_and(|bytes| BASE64.encode(bytes) == text))
    }
}

impl std::fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut key = vec![ED25519];
        key.extend_from_slice(self.key.as_bytes());
        write!(f, "{}+{}+{}", self.name, hex::encode(self.id()), BASE64.encode(key))
    }
}

/// The secret half of a log's key. Its `Debug` form shows the public half only.
#[derive(Clone)]
pub struct Signer {
    name: String,
    key: SigningKey,
}

impl Signer {
    /// A signer from 32 secret bytes drawn by the caller; `None` if the name is empty or holds white space or `+`.
    #[must_use]
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Option<Self> {
        is_key_name(name).then(|| Self { name: name.to_owned(), key: SigningKey::from_bytes(seed) })
    }

    /// Name of the key, which is the origin of its log.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.name
    }

    /// The public half.
    #[must_use]
    pub fn verifier(&self) -> VerifierKey {
        VerifierKey { name: self.name.clone(), key: self.key.verifying_key() }
    }

    /// The signed note for this size and root.
    #[must_use]
    pub fn sign(&self, size: u64, root: Hash) -> String {
        let body = Checkpoint { origin: self.name.clone(), size, root }.body();
        let mut signature = self.verifier().id().to_vec();
        signature.extend_from_slice(&self.key.sign(body.as_bytes()).to_bytes());
        format!("{body}\n— {} {}\n", self.name, BASE64.encode(signature))
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Signer({})", self.verifier())
    }
}
