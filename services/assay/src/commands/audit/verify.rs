//! `assay audit verify`: a log, a receipt or an export, without any service and without writing anything.

use std::io::{BufRead as _, BufReader};
use std::path::Path;

use assay_audit::{Receipt, Verification, VerifierKey, verify_folder, verify_lines, verify_response};
use assay_domain::{Code, Failure};
use assay_proto::audit as wire;
use serde::Serialize;
use serde_json::json;

use super::{AuditVerify, read};
use crate::clients::{Clients, LONG_BUDGET, failure};
use crate::exit;
use crate::flags::Global;
use crate::output::shown;
use crate::settings::Settings;

/// Database in which the router keeps what it was told of the log.
const OUTBOX: &str = "outbox.sqlite";

/// What a receipt proves, as an object of the output.
#[derive(Serialize)]
struct Receipted<'a> {
    /// Whether nothing is wrong.
    ok: bool,
    audit_id: &'a str,
    /// Place of the leaf, from 0.
    leaf_index: u64,
    /// Leaves in the tree of the proof.
    tree_size: u64,
    /// Whether question and answer are in it.
    payload: bool,
    public_key: &'a str,
    /// Whether `--key` named a key to trust.
    key_given: bool,
    /// What is wrong.
    findings: &'a [String],
}

/// Runs the command.
///
/// # Errors
/// `INVALID_ARGUMENT` for a file that cannot be read; what audit says.
pub(super) async fn run(global: &Global, args: &AuditVerify, settings: &Settings) -> Result<u8, Failure> {
    let trusted = args.key.as_deref().map(trusted).transpose()?;
    if let Some(path) = &args.receipt {
        return receipt(global, path, trusted.as_ref());
    }
    if let Some(path) = &args.export {
        let found = export(path, trusted.as_ref())?;
        return Ok(told(global, &verify_response(found.into())));
    }
    let checkpoint = args.checkpoint.as_deref().map(older).transpose()?;
    if global.endpoint.is_some() {
        return remote(global, checkpoint, trusted.as_ref(), settings).await;
    }
    let outbox = settings.router.data_dir.join(OUTBOX);
    let verified = verify_folder(&settings.audit, trusted, checkpoint, Some(&outbox)).await?;
    Ok(told(global, &verify_response(verified)))
}

/// A checkpoint that was kept; an empty file is none, and must not count as one that holds.
fn older(path: &Path) -> Result<String, Failure> {
    let note = read("checkpoint", path)?;
    if note.trim().is_empty() {
        let text = format!("{} is empty; `assay audit checkpoint -o FILE` writes one", path.display());
        return Err(Failure::new(Code::InvalidArgument, text).field("checkpoint"));
    }
    Ok(note)
}

fn trusted(path: &Path) -> Result<VerifierKey, Failure> {
    VerifierKey::parse(&read("key", path)?).ok_or_else(|| {
        let text = format!("{} holds no public key; `assay audit key` prints one", path.display());
        Failure::new(Code::InvalidArgument, text).field("key")
    })
}

async fn remote(
    global: &Global,
    checkpoint: Option<String>,
    trusted: Option<&VerifierKey>,
    settings: &Settings,
) -> Result<u8, Failure> {
    let clients = Clients::records(global, settings).await?;
    let request = wire::VerifyRequest { checkpoint: checkpoint.unwrap_or_default() };
    let reply = clients.audit()?.verify(clients.context(LONG_BUDGET).request(request)).await;
    let mut found = reply.map_err(failure)?.into_inner();
    if let Some(wrong) = trusted.and_then(|key| unsigned(&found, key)) {
        found.ok = false;
        found.finding_count += 1;
        found.findings.push(wrong);
    }
    clients.close().await;
    Ok(told(global, &found))
}

/// Why the key does not vouch for what a log says of itself.
fn unsigned(found: &wire::VerifyResponse, key: &VerifierKey) -> Option<String> {
    if found.public_key != key.to_string() {
        return Some(format!("the log presents key {}, trusted is {key}", found.public_key));
    }
    match key.open(&found.checkpoint) {
        Err(error) => Some(format!("the newest checkpoint does not hold: {error}")),
        Ok(signed) if (signed.size, signed.root.to_string()) != (found.leaves, found.root_hash.clone()) => {
            Some(format!(
                "the key signed {} leaves with root {}, the log presents {} with root {}",
                signed.size, signed.root, found.leaves, found.root_hash
            ))
        }
        Ok(_) => None,
    }
}

fn export(path: &Path, trusted: Option<&VerifierKey>) -> Result<Verification, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Code::InvalidArgument, format!("{} cannot be read: {error}", path.display()))
            .field("export")
    };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut broken = None;
    let lines =
        BufReader::new(file).lines().map_while(|line| line.map_err(|error| broken = Some(error)).ok());
    let found = verify_lines(lines, trusted);
    broken.map_or(Ok(found), |error| Err(failed(error)))
}

fn receipt(global: &Global, path: &Path, trusted: Option<&VerifierKey>) -> Result<u8, Failure> {
    let receipt = Receipt::from_json(&read("receipt", path)?).map_err(|reason| {
        Failure::new(Code::InvalidArgument, format!("{} is no receipt: {reason}", path.display()))
            .field("receipt")
    })?;
    let proved = receipt.verify(trusted);
    let ok = proved.findings.is_empty();
    let findings: Vec<String> = proved.findings.iter().map(ToString::to_string).collect();
    if global.json {
        let receipted = Receipted {
            ok,
            audit_id: &proved.audit_id,
            leaf_index: proved.index,
            tree_size: proved.size,
            payload: proved.with_payload,
            public_key: &proved.key,
            key_given: trusted.is_some(),
            findings: &findings,
        };
        println!("{:#}", json!(receipted));
    } else {
        wrong(&findings);
        let holds = if ok { "the receipt holds" } else { "the receipt does NOT hold" };
        println!("{holds}: record {}, leaf {} of {}", shown(&proved.audit_id), proved.index, proved.size);
        let texts =
            if proved.with_payload { "with question and answer" } else { "without question and answer" };
        println!("{texts}, signed by {}", shown(&proved.key));
        if trusted.is_none() {
            println!("not covered: whose log it is; give its key with --key FILE");
        }
    }
    Ok(if ok { 0 } else { exit::note(exit::INVALID) })
}

fn wrong(findings: &[String]) {
    for finding in findings {
        println!("WRONG: {}", shown(finding));
    }
}

/// Prints what a verification found; the exit code.
fn told(global: &Global, found: &wire::VerifyResponse) -> u8 {
    if global.json {
        println!("{:#}", json!(assay_api::Verified::from(found)));
    } else {
        wrong(&found.findings);
        println!(
            "{}: {} leaves, {} payloads recomputed, {} erased, {} checkpoints",
            if found.ok { "the log holds" } else { "the log does NOT hold" },
            found.leaves,
            found.payloads_checked,
            found.payloads_erased,
            found.checkpoints_checked
        );
        for what in &found.not_covered {
            println!("not covered: {}", shown(what));
        }
        println!("root {}", found.root_hash);
        println!("signed by {}", shown(&found.public_key));
    }
    if found.ok { 0 } else { exit::note(exit::INVALID) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const KEY: &str = "assay-f51bbe65/0+fbce4b28+AT99uSlvcGOzTPFS9gyUWp0llcZnL1N7Wkqbufmr6QlC";
    const NOTE: &str = "assay-f51bbe65/0\n1\nJPp8SAy03VU8wnaklzwGJEKrpgkXGlwjVJi3hejcbXk=\n\n\
        — assay-f51bbe65/0 +85LKLm6DsX9RX3cyuinc8UPWMF1r23gUQmcKT8DFsINr/aQ8kqx5KUrTBCX9IJta3bQ8bOfr9oRFG4L8vb9nsex1Qo=\n";
    const ROOT: &str = "24fa7c480cb4dd553cc276a4973c062442aba609171a5c235498b785e8dc6d79";

    #[test]
    fn a_reply_must_be_what_the_key_signed() {
        let key = VerifierKey::parse(KEY).unwrap();
        let reply = wire::VerifyResponse {
            leaves: 1,
            root_hash: ROOT.into(),
            checkpoint: NOTE.into(),
            public_key: KEY.into(),
            ..Default::default()
        };
        assert_eq!(unsigned(&reply, &key), None);
        for (forged, says) in [
            (wire::VerifyResponse { public_key: String::new(), ..reply.clone() }, "presents key"),
            (wire::VerifyResponse { checkpoint: String::new(), ..reply.clone() }, "malformed"),
            (
                wire::VerifyResponse { checkpoint: NOTE.replace("\n1\n", "\n2\n"), ..reply.clone() },
                "is wrong",
            ),
            (wire::VerifyResponse { leaves: 2, ..reply.clone() }, "the key signed 1 leaves"),
            (
                wire::VerifyResponse { root_hash: ROOT.replace('2', "3"), ..reply.clone() },
                "the key signed 1 leaves",
            ),
        ] {
            let found = unsigned(&forged, &key).unwrap();
            assert!(found.contains(says), "{found}");
        }
    }
}
