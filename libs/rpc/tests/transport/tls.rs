//! Both ends prove who they are, and only known callers are believed.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use assay_rpc::channel::Retry;
use assay_rpc::tls::{Settings, Tls};
use assay_rpc::{Outbound, Running};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tonic::{Code, Status};

use crate::certificates::Authority;
use crate::world::{Client, Fake, client, describe, loopback, nobody, outbound, reformulate, to, until};

/// Calls that do not wait long for a peer that will never be reached.
fn with(folder: &Path) -> Outbound {
    let retry = Retry { patience_seconds: 0.2, ..outbound().retry };
    Outbound { tls: Some(Tls::load(folder).unwrap()), retry, ..outbound() }
}

async fn serve(fake: &Fake, folder: &Path) -> (Running, SocketAddr) {
    let running = fake.listen(loopback(0), Some(Tls::load(folder).unwrap())).await;
    let address = running.address().unwrap();
    (running, address)
}

async fn refused(mut caller: Client) -> Status {
    caller.describe(describe()).await.unwrap_err()
}

#[tokio::test]
async fn a_known_caller_is_served_and_believed() {
    let authority = Authority::new();
    let fake = Fake::default();
    let (running, address) = serve(&fake, &authority.issue("generation")).await;
    let mut caller = to(address, &with(&authority.issue("router")));
    caller.reformulate(reformulate("x")).await.unwrap();
    assert_eq!(fake.0.calls(), 1);
    running.drain().await;
}

#[tokio::test]
async fn peer_without_permission_may_only_ask_for_health() {
    let authority = Authority::new();
    let fake = Fake::default();
    let (running, address) = serve(&fake, &authority.issue("generation")).await;
    let outbound = with(&authority.issue("gateway"));
    let status = refused(to(address, &outbound)).await;
    assert_eq!(status.code(), Code::PermissionDenied);
    assert!(status.message().contains("gateway may not call generation"), "{status}");
    assert_eq!(fake.0.calls(), 0);
    let channel = outbound.channel("generation", &format!("http://{address}")).unwrap();
    let mut health = tonic_health::pb::health_client::HealthClient::new(channel);
    health.check(tonic_health::pb::HealthCheckRequest::default()).await.unwrap();
    running.drain().await;
}

#[tokio::test]
async fn a_server_with_another_s_certificate_is_not_called() {
    let authority = Authority::new();
    let fake = Fake::default();
    let (running, address) = serve(&fake, &authority.issue("parser")).await;
    let status = refused(to(address, &with(&authority.issue("router")))).await;
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("not valid for name"), "{status}");
    assert_eq!(fake.0.calls(), 0);
    running.drain().await;
}

#[tokio::test]
async fn certificate_of_a_foreign_authority_is_refused() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let fake = Fake::default();
    let (running, address) = serve(&fake, &ours.issue("generation")).await;
    // Their client does not know our server.
    let status = refused(to(address, &with(&theirs.issue("router")))).await;
    assert_eq!(status.code(), Code::Unavailable);
    // One that trusts our authority but shows a certificate of theirs is refused by the server.
    let folder = theirs.issue("validation");
    std::fs::write(folder.join("ca.crt"), ours.pem()).unwrap();
    let status = refused(to(address, &with(&folder))).await;
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("alert"), "the server's word is passed on: {status}");
    assert_eq!(fake.0.calls(), 0);
    running.drain().await;
}

#[tokio::test]
async fn a_peer_without_a_certificate_is_refused() {
    let authority = Authority::new();
    let (running, address) = serve(&Fake::default(), &authority.issue("generation")).await;
    let error = leaf(address, &authority).await.unwrap_err();
    assert!(error.to_string().contains("CertificateRequired"), "the server says what it misses: {error}");
    running.drain().await;
}

#[tokio::test]
async fn plaintext_and_tls_do_not_mix() {
    let authority = Authority::new();
    let fake = Fake::default();
    let (running, address) = serve(&fake, &authority.issue("generation")).await;
    let retry = Retry { patience_seconds: 0.2, ..outbound().retry };
    assert_eq!(refused(to(address, &Outbound { retry, ..outbound() })).await.code(), Code::Unavailable);
    running.drain().await;
    let running = fake.listen(loopback(0), None).await;
    let caller = to(running.address().unwrap(), &with(&authority.issue("router")));
    assert_eq!(refused(caller).await.code(), Code::Unavailable);
    assert_eq!(fake.0.calls(), 0);
    running.drain().await;
}

/// The certificate that a server shows to a client without one, and what the server then says of it.
async fn leaf(address: SocketAddr, authority: &Authority) -> Result<CertificateDer<'static>, std::io::Error> {
    let (certificate, mut stream) = hello(address, authority).await;
    let mut byte = [0];
    stream.read_exact(&mut byte).await?;
    Ok(certificate)
}

async fn hello(
    address: SocketAddr,
    authority: &Authority,
) -> (CertificateDer<'static>, tokio_rustls::client::TlsStream<TcpStream>) {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("generation").unwrap();
    let stream = tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    let certificate = stream.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned();
    (certificate, stream)
}

#[tokio::test]
async fn certificates_rotate_under_a_live_client() {
    let authority = Authority::new();
    let folder = authority.issue("generation");
    let fake = Fake::default();
    let settings = Settings { folder: Some(folder.clone()), reload_seconds: 0.1, ..Settings::default() };
    let tls = settings.load().unwrap();
    let running = fake.listen(loopback(0), tls.clone()).await;
    let address = running.address().unwrap();
    let mut caller = to(address, &with(&authority.issue("router")));
    caller.describe(describe()).await.unwrap();
    let first = hello(address, &authority).await.0;

    authority.issue_into(&folder, &["generation"]);
    until("the new certificate is shown", async || hello(address, &authority).await.0 != first).await;
    let second = hello(address, &authority).await.0;
    caller.describe(describe()).await.unwrap();

    std::fs::write(folder.join("tls.crt"), "nonsense").unwrap();
    assert!(!tls.as_ref().unwrap().reload(), "a broken file changes nothing");
    assert_eq!(hello(address, &authority).await.0, second);
    to(address, &with(&authority.issue("validation"))).describe(describe()).await.unwrap();

    authority.issue_into(&folder, &["generation"]);
    until("a good pair is taken again", async || hello(address, &authority).await.0 != second).await;
    caller.describe(describe()).await.unwrap();
    running.drain().await;
}

#[tokio::test]
async fn a_client_shows_its_new_certificate_with_its_next_connection() {
    let authority = Authority::new();
    let fake = Fake::default();
    let folder = authority.issue("router");
    // Begins as a service that may not call, and becomes one that may.
    authority.issue_into(&folder, &["gateway"]);
    let address = nobody().await;
    let server = Tls::load(&authority.issue("generation")).unwrap();
    let running = fake.listen(address, Some(server.clone())).await;
    let outbound = with(&folder);
    let mut caller = client(outbound.channel("generation", &format!("http://{address}")).unwrap());
    assert_eq!(caller.describe(describe()).await.unwrap_err().code(), Code::PermissionDenied);
    authority.issue_into(&folder, &["router"]);
    assert!(outbound.tls.as_ref().unwrap().reload());
    running.drain().await;
    let running = fake.listen(address, Some(server)).await;
    until("the new name is believed", async || caller.describe(describe()).await.is_ok()).await;
    running.drain().await;
}

#[tokio::test]
async fn a_folder_as_kubernetes_mounts_it_is_followed() {
    let authority = Authority::new();
    let dir = tempfile::tempdir().unwrap();
    let mount = |state: &str| {
        authority.issue_into(&dir.path().join(state), &["generation"]);
        let link = dir.path().join("..next");
        std::os::unix::fs::symlink(state, &link).unwrap();
        std::fs::rename(&link, dir.path().join("..data")).unwrap();
    };
    mount("..first");
    for name in assay_rpc::tls::FILES {
        std::os::unix::fs::symlink(format!("..data/{name}"), dir.path().join(name)).unwrap();
    }
    let tls = Tls::load(dir.path()).unwrap();
    assert!(!tls.reload(), "nothing has changed");
    mount("..second");
    assert!(tls.reload());
    assert!(!tls.reload());
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let authority = Authority::new();
    let folder = authority.issue("generation");
    let other = authority.issue("router");
    std::fs::copy(other.join("tls.key"), folder.join("tls.key")).unwrap();
    let failure = Tls::load(&folder).unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (assay_domain::Code::Configuration, "tls.folder"));
    std::fs::remove_file(folder.join("tls.key")).unwrap();
    let failure = Tls::load(&folder).unwrap_err();
    assert!(failure.message.contains("tls.key"), "{failure}");
}
