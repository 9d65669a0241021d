//! Certificates for tests.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

/// An authority with a folder for what it signs.
pub(crate) struct Authority {
    dir: TempDir,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "tests");
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { dir: tempfile::tempdir().unwrap(), pem, issuer: Issuer::new(params, key) }
    }

    /// Its own certificate.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// A folder with a certificate of this name; what was there before is replaced.
    pub(crate) fn issue(&self, name: &str) -> PathBuf {
        let folder = self.dir.path().join(name);
        self.issue_into(&folder, &[name]);
        folder
    }

    /// The same into a given folder, for any names.
    pub(crate) fn issue_into(&self, folder: &Path, names: &[&str]) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &self.issuer).unwrap();
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("tls.crt"), certificate.pem()).unwrap();
        std::fs::write(folder.join("tls.key"), key.serialize_pem()).unwrap();
        std::fs::write(folder.join("ca.crt"), &self.pem).unwrap();
    }
}
