//! `assay certs`: an authority of our own and a certificate for each service, for tests and for clusters that have no
//! better one. Needs no running system.

mod args;

pub use args::Certs;

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use assay_domain::{Code, Failure};
use assay_rpc::{clock, tls};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, PublicKeyData as _,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde::Serialize;
use time::{Duration, OffsetDateTime};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::flags::Global;

/// Days that the authority is good for.
const AUTHORITY_DAYS: u32 = 3650;
/// How far clocks may be apart.
const SKEW: Duration = Duration::minutes(5);
/// File of the authority's key; it stays where it was made.
const AUTHORITY_KEY: &str = "ca.key";

/// A certificate that was made; the output leaves its files out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issued {
    /// The service it names.
    pub service: &'static str,
    /// Folder of its three files.
    pub folder: PathBuf,
    /// Contents of `tls.crt`, `tls.key` and `ca.crt`.
    #[serde(skip)]
    pub files: [String; 3],
}

/// Every service that shows a certificate.
fn services() -> impl Iterator<Item = &'static str> {
    crate::system::SPECS.into_iter().chain([&assay_gateway::SPEC]).map(|spec| spec.name)
}

/// Runs the command.
///
/// # Errors
/// `INVALID_ARGUMENT` for an unknown service, `CONFIGURATION` if the folder cannot be used.
pub fn run(global: &Global, args: &Certs) -> Result<u8, Failure> {
    let out = args.out.clone().unwrap_or_else(|| global.data.join("certs"));
    let issued = issue(&out, &chosen(&args.services)?, args.days)?;
    if args.kubernetes {
        print!("{}", manifests(&issued, &args.namespace));
    } else if global.json {
        println!("{}", serde_json::json!(issued));
    } else {
        for issued in &issued {
            println!("{}", issued.folder.display());
        }
    }
    Ok(0)
}

fn chosen(names: &[String]) -> Result<Vec<&'static str>, Failure> {
    if names.iter().any(|name| name == "all") {
        return Ok(services().collect());
    }
    let known = |name: &String| {
        services().find(|known| known == name).ok_or_else(|| {
            let all: Vec<_> = services().collect();
            let text = format!("there is no service {name}; there are {}, and `all`", all.join(", "));
            Failure::new(Code::InvalidArgument, text).field("services")
        })
    };
    names.iter().map(known).collect()
}

/// Makes a certificate for each service, in a folder each below `out`. The authority lies in `out` itself and is made if
/// it is not there; so a second run renews certificates that every peer goes on accepting.
///
/// # Errors
/// `CONFIGURATION` if the folder cannot be used, or its authority is damaged or at its end.
pub fn issue(out: &Path, services: &[&'static str], days: u32) -> Result<Vec<Issued>, Failure> {
    std::fs::create_dir_all(out).map_err(|error| trouble(out, &error))?;
    let (authority, issuer) = authority(out)?;
    services
        .iter()
        .map(|service| {
            let folder = out.join(service);
            std::fs::create_dir_all(&folder).map_err(|error| trouble(&folder, &error))?;
            let key = KeyPair::generate().map_err(defect)?;
            let certificate = leaf(service, days)?.signed_by(&key, &issuer).map_err(defect)?;
            let files = [certificate.pem(), key.serialize_pem(), authority.clone()];
            // A service that looks in between finds a pair that does not fit, and looks again.
            for (name, text) in tls::FILES.iter().zip(&files) {
                write(&folder.join(name), text, *name == "tls.key")?;
            }
            Ok(Issued { service, folder, files })
        })
        .collect()
}

/// The authority of the folder: its certificate and what signs.
fn authority(out: &Path) -> Result<(String, Issuer<'static, KeyPair>), Failure> {
    let (file, key_file) = (out.join("ca.crt"), out.join(AUTHORITY_KEY));
    if !file.exists() && !key_file.exists() {
        let key = KeyPair::generate().map_err(defect)?;
        let params = authority_params()?;
        let text = params.self_signed(&key).map_err(defect)?.pem();
        write(&key_file, &key.serialize_pem(), true)?;
        write(&file, &text, false)?;
        return Ok((text, Issuer::new(params, key)));
    }
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|error| trouble(path, &error));
    let text = read(&file)?;
    let damaged =
        |why: &str| wrong(&file, &format!("{why}; move ca.crt and {AUTHORITY_KEY} away to begin anew"));
    let key = KeyPair::from_pem(&read(&key_file)?)
        .map_err(|error| damaged(&format!("the key is unreadable: {error}")))?;
    let der = CertificateDer::from_pem_slice(text.as_bytes()).map_err(|error| damaged(&error.to_string()))?;
    let (_, certificate) = X509Certificate::from_der(&der).map_err(|error| damaged(&error.to_string()))?;
    if certificate.public_key().raw != key.subject_public_key_info() {
        return Err(damaged("the key belongs to another authority"));
    }
    if certificate.validity().not_after.timestamp() <= now()?.unix_timestamp() {
        return Err(damaged("the authority is past its end"));
    }
    Ok((text, Issuer::new(authority_params()?, key)))
}

fn authority_params() -> Result<CertificateParams, Failure> {
    let mut params = CertificateParams::default();
    params.distinguished_name = called("Assay certificate authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    valid(&mut params, AUTHORITY_DAYS)?;
    Ok(params)
}

fn leaf(service: &str, days: u32) -> Result<CertificateParams, Failure> {
    let mut params = CertificateParams::new([service.to_owned()]).map_err(defect)?;
    params.distinguished_name = called(service);
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    params.use_authority_key_identifier_extension = true;
    valid(&mut params, days)?;
    Ok(params)
}

fn called(name: &str) -> DistinguishedName {
    let mut called = DistinguishedName::new();
    called.push(DnType::CommonName, name);
    called
}

fn valid(params: &mut CertificateParams, days: u32) -> Result<(), Failure> {
    let now = now()?;
    params.not_before = now - SKEW;
    params.not_after = now + Duration::days(days.into());
    Ok(())
}

fn now() -> Result<OffsetDateTime, Failure> {
    let seconds = i64::try_from(clock::unix_ms() / 1000).unwrap_or(i64::MAX);
    OffsetDateTime::from_unix_timestamp(seconds).map_err(|error| Failure::internal(error.to_string()))
}

/// Writes a file in one step; a reader sees the old content or the new one.
fn write(path: &Path, text: &str, secret: bool) -> Result<(), Failure> {
    let draft = path.with_extension("new");
    let work = || {
        match std::fs::remove_file(&draft) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mode = if secret { 0o600 } else { 0o644 };
        let mut file = std::fs::File::options().create_new(true).write(true).mode(mode).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&draft, path)
    };
    work().map_err(|error| trouble(path, &error))
}

/// A Kubernetes secret for each service.
#[must_use]
pub fn manifests(issued: &[Issued], namespace: &str) -> String {
    let mut text = String::new();
    for issued in issued {
        text.push_str(&format!(
            "---\napiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata:\n  name: assay-{0}-tls\n  namespace: \
             {namespace}\n  labels:\n    app.kubernetes.io/name: {0}\n    app.kubernetes.io/part-of: assay\nstringData:\n",
            issued.service
        ));
        for (name, content) in tls::FILES.iter().zip(&issued.files) {
            text.push_str(&format!("  {name}: |\n"));
            content.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    }
    text
}

fn trouble(path: &Path, error: &std::io::Error) -> Failure {
    wrong(path, &error.to_string())
}

fn wrong(path: &Path, why: &str) -> Failure {
    Failure::new(Code::Configuration, format!("{}: {why}", path.display())).field("out")
}

fn defect(error: rcgen::Error) -> Failure {
    Failure::internal(format!("a certificate could not be made: {error}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use assay_rpc::tls::Tls;
    use std::os::unix::fs::PermissionsExt as _;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn each_service_gets_its_certificate_and_a_private_key() {
        let dir = tempfile::tempdir().unwrap();
        let issued = issue(dir.path(), &chosen(&["all".into()]).unwrap(), 30).unwrap();
        assert_eq!(issued.len(), 8);
        for issued in &issued {
            assert_eq!(Tls::load(&issued.folder).unwrap().names(), [issued.service]);
            assert_eq!(mode(&issued.folder.join("tls.key")), 0o600);
        }
        assert_eq!(mode(&dir.path().join("ca.key")), 0o600);
        assert_eq!(issued.iter().filter(|issued| issued.folder.join("ca.key").exists()).count(), 0);
    }

    #[test]
    fn a_second_run_keeps_the_authority_and_renews_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let first = issue(dir.path(), &["router"], 30).unwrap().remove(0);
        let second = issue(dir.path(), &["router"], 30).unwrap().remove(0);
        assert_eq!(first.files[2], second.files[2]);
        assert_ne!(first.files[0], second.files[0]);
        assert_eq!(std::fs::read_to_string(dir.path().join("router/tls.crt")).unwrap(), second.files[0]);
    }

    #[test]
    fn an_authority_whose_key_is_another_s_is_refused() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        issue(dir.path(), &["router"], 30).unwrap();
        issue(other.path(), &["router"], 30).unwrap();
        std::fs::copy(other.path().join("ca.key"), dir.path().join("ca.key")).unwrap();
        let failure = issue(dir.path(), &["router"], 30).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, "out"));
        std::fs::remove_file(dir.path().join("ca.key")).unwrap();
        assert_eq!(issue(dir.path(), &["router"], 30).unwrap_err().code, Code::Configuration);
    }

    #[test]
    fn an_unknown_service_is_named() {
        let failure = chosen(&["router".into(), "rooter".into()]).unwrap_err();
        assert!(failure.message.contains("rooter") && failure.message.contains("retrieval"), "{failure}");
    }

    #[test]
    fn manifests_hold_the_files_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let issued = issue(dir.path(), &["router", "audit"], 30).unwrap();
        let text = manifests(&issued, "here");
        let documents: Vec<&str> = text.split("---\napiVersion").filter(|text| !text.is_empty()).collect();
        assert_eq!(documents.len(), 2);
        assert!(documents[0].contains("name: assay-router-tls\n  namespace: here\n"));
        for (name, content) in tls::FILES.iter().zip(&issued[1].files) {
            let start = documents[1].find(&format!("  {name}: |\n")).unwrap();
            let block: String = documents[1][start..]
                .lines()
                .skip(1)
                .take_while(|line| line.starts_with("    "))
                .map(|line| format!("{}\n", &line[4..]))
                .collect();
            assert_eq!(block.trim_end(), content.trim_end());
        }
    }
}
