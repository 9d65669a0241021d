//! Certificates of a process: one folder, read at start and again whenever its files change.
//!
//! The folder has the layout of a Kubernetes TLS secret: `tls.crt` (certificate, then intermediates), `tls.key` and
//! `ca.crt`. A certificate names a service by a DNS name that is the service's short name; both ends show theirs.
//! Connections that exist keep the certificate they began with.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use assay_domain::{Code, Failure};
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use crate::task;

/// Names of the files in the folder: certificates, key, authority.
pub const FILES: [&str; 3] = ["tls.crt", "tls.key", "ca.crt"];

/// Settings of TLS.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Folder of `tls.crt`, `tls.key` and `ca.crt`; none means no TLS.
    pub folder: Option<PathBuf>,
    /// Says that plaintext is wanted on an address beyond loopback.
    pub plaintext: bool,
    /// Pause between two looks at the files, in seconds.
    pub reload_seconds: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { folder: None, plaintext: false, reload_seconds: 5.0 }
    }
}

impl Settings {
    /// Refuses settings that contradict each other.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        if self.folder.is_some() && self.plaintext {
            let text = "tls.folder asks for TLS and tls.plaintext for none; set one of them";
            return Err(Failure::new(Code::Configuration, text).field("tls.plaintext"));
        }
        if !(0.1..=3600.0).contains(&self.reload_seconds) {
            let text =
                format!("tls.reload_seconds is {}; it must be between 0.1 and 3600", self.reload_seconds);
            return Err(Failure::new(Code::Configuration, text).field("tls.reload_seconds"));
        }
        Ok(())
    }

    /// The certificates that the settings name, if they name any; changes of the files are followed from here on.
    ///
    /// # Errors
    /// `CONFIGURATION` if they cannot be used.
    pub fn load(&self) -> Result<Option<Tls>, Failure> {
        self.check()?;
        let Some(folder) = &self.folder else { return Ok(None) };
        let tls = Tls::load(folder)?;
        tls.follow(Duration::from_secs_f64(self.reload_seconds));
        Ok(Some(tls))
    }
}

/// The certificates in use.
#[derive(Clone)]
pub struct Tls(Arc<Shared>);

struct Shared {
    folder: PathBuf,
    current: ArcSwap<Pair>,
    /// Content that cannot be used, and whether that was said.
    refused: Mutex<Option<(Files, bool)>>,
}

struct Pair {
    files: Files,
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    names: Vec<String>,
}

#[derive(Clone, PartialEq, Eq)]
struct Files {
    certificates: Vec<u8>,
    key: Vec<u8>,
    authority: Vec<u8>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("folder", &self.0.folder).field("names", &self.names()).finish()
    }
}

// === impl Tls ===

impl Tls {
    /// Reads the folder.
    ///
    /// # Errors
    /// `CONFIGURATION` if a file is missing or cannot be used; the message names it.
    pub fn load(folder: &Path) -> Result<Self, Failure> {
        let pair = Pair::new(Files::read(folder).map_err(wrong)?)
            .map_err(|text| wrong(format!("{}: {text}", folder.display())))?;
        let shared = Shared {
            folder: folder.to_owned(),
            current: ArcSwap::from_pointee(pair),
            refused: Mutex::default(),
        };
        Ok(Self(Arc::new(shared)))
    }

    /// Reads the folder again; true if other certificates are in use now. Files that cannot be used leave the old ones
    /// in use. That is said once, and only when they are found twice: files may be met in the midst of an exchange.
    pub fn reload(&self) -> bool {
        let files = match Files::read(&self.0.folder) {
            Ok(files) => files,
            Err(text) => {
                tracing::debug!(target: "assay", error = %text, "the certificates cannot be read; the former stay in use");
                return false;
            }
        };
        if files == self.0.current.load().files {
            return false;
        }
        let mut refused = self.0.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = refused.as_ref().filter(|(known, _)| *known == files).map(|(_, said)| *said);
        if seen == Some(true) {
            return false;
        }
        match Pair::new(files.clone()) {
            Ok(pair) => {
                tracing::info!(target: "assay", names = ?pair.names, "certificates were exchanged");
                self.0.current.store(Arc::new(pair));
                *refused = None;
                true
            }
            Err(_) if seen.is_none() => {
                *refused = Some((files, false));
                false
            }
            Err(text) => {
                tracing::error!(target: "assay", folder = %self.0.folder.display(), error = %text, "new certificates cannot be used; the former stay in use");
                *refused = Some((files, true));
                false
            }
        }
    }

    /// Names in our own certificate.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.0.current.load().names.clone()
    }

    /// Looks at the files every `pause` until the last copy of this value is gone.
    fn follow(&self, pause: Duration) {
        let weak = Arc::downgrade(&self.0);
        task::detached(async move {
            loop {
                tokio::time::sleep(pause).await;
                let Some(shared) = weak.upgrade() else { return };
                if let Err(panicked) = task::blocking(move || Self(shared).reload()).await {
                    tracing::error!(target: "assay", error = %panicked, "looking at the certificates failed");
                }
            }
        });
    }

    pub(crate) fn client(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.0.current.load().client)
    }

    pub(crate) fn server(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.current.load().server)
    }
}

impl Files {
    /// All three files of one state of the folder. Kubernetes exchanges a secret by moving one symbolic link, so they are
    /// read from where the first one really lies.
    fn read(folder: &Path) -> Result<Self, String> {
        let [certificates, key, authority] = FILES;
        let real = std::fs::canonicalize(folder.join(certificates))
            .ok()
            .and_then(|path| path.parent().map(Path::to_owned))
            .filter(|real| [key, authority].iter().all(|name| real.join(name).is_file()))
            .unwrap_or_else(|| folder.to_owned());
        let read = |name: &str| {
            std::fs::read(real.join(name))
                .map_err(|error| format!("cannot read {}: {error}", folder.join(name).display()))
        };
        Ok(Self { certificates: read(certificates)?, key: read(key)?, authority: read(authority)? })
    }
}

impl Pair {
    fn new(files: Files) -> Result<Self, String> {
        let [certificates, key, authority] = FILES;
        let chain = pem(&files.certificates, certificates)?;
        let leaf = chain.first().ok_or_else(|| format!("{certificates} holds no certificate"))?;
        let names = names(leaf).map_err(|error| format!("{certificates}: {error}"))?;
        let roots = Arc::new(roots(&files.authority, authority)?);
        let private = || PrivateKeyDer::from_pem_slice(&files.key).map_err(|error| format!("{key}: {error}"));
        let provider = provider();
        let versions = [&rustls::version::TLS13];
        let mut client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&versions)
            .map_err(|error| error.to_string())?
            .with_root_certificates(Arc::clone(&roots))
            .with_client_auth_cert(chain.clone(), private()?)
            .map_err(|error| format!("{certificates} and {key}: {error}"))?;
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider))
            .build()
            .map_err(|error| format!("{authority}: {error}"))?;
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)
            .map_err(|error| error.to_string())?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, private()?)
            .map_err(|error| format!("{certificates} and {key}: {error}"))?;
        // A resumed session would carry yesterday's certificate past today's authority.
        client.resumption = Resumption::disabled();
        server.send_tls13_tickets = 0;
        client.alpn_protocols = vec![b"h2".to_vec()];
        server.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Self { files, client: Arc::new(client), server: Arc::new(server), names })
    }
}

/// What a client needs that shows no certificate and trusts `authority` (PEM) alone.
///
/// # Errors
/// `CONFIGURATION` if the authority cannot be read.
pub(crate) fn trusting(authority: &[u8]) -> Result<Arc<ClientConfig>, Failure> {
    let roots = roots(authority, "the certificate authority").map_err(wrong)?;
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Arc::new(config))
}

/// DNS names in a certificate.
pub(crate) fn names(certificate: &[u8]) -> Result<Vec<String>, String> {
    use x509_parser::prelude::{FromDer as _, GeneralName, X509Certificate};
    let (_, certificate) = X509Certificate::from_der(certificate).map_err(|error| error.to_string())?;
    let extension = certificate.subject_alternative_name().map_err(|error| error.to_string())?;
    let names = extension.iter().flat_map(|extension| &extension.value.general_names);
    Ok(names
        .filter_map(|name| match name {
            GeneralName::DNSName(name) => Some((*name).to_owned()),
            _ => None,
        })
        .collect())
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn pem(text: &[u8], name: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_slice_iter(text).collect::<Result<_, _>>().map_err(|error| format!("{name}: {error}"))
}

fn roots(text: &[u8], name: &str) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in pem(text, name)? {
        roots.add(certificate).map_err(|error| format!("{name}: {error}"))?;
    }
    if roots.is_empty() {
        return Err(format!("{name} holds no certificate"));
    }
    Ok(roots)
}

fn wrong(text: impl Into<String>) -> Failure {
    Failure::new(Code::Configuration, text.into()).field("tls.folder")
}

/// The handshake of a received connection and the names of the peer's certificate.
///
/// # Errors
/// Why the peer is refused.
pub(crate) async fn accept(
    tls: &Tls,
    stream: tokio::net::TcpStream,
) -> io::Result<(tokio_rustls::server::TlsStream<tokio::net::TcpStream>, Arc<[String]>)> {
    let stream = tokio_rustls::TlsAcceptor::from(tls.server()).accept(stream).await?;
    let (_, session) = stream.get_ref();
    let certificate = session.peer_certificates().and_then(<[_]>::first);
    let names =
        certificate.map_or(Ok(Vec::new()), |certificate| names(certificate)).map_err(io::Error::other)?;
    Ok((stream, names.into()))
}
