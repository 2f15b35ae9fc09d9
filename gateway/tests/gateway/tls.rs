//! Tests of TLS on the gateway's own port.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::access::link;
use pilothouse_gateway::access::Access;
use pilothouse_gateway::access::Role;
use pilothouse_gateway::access::settings::Settings as AccessSettings;
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::http::tls::{Tls, TlsFiles};
use pilothouse_gateway::playback::player::Pace;
use pilothouse_gateway::playback::recording::Recording;
use rcgen::CertifiedKey;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pilothouse-tls-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a new certificate for `localhost` and returns it.
fn renew(folder: &Path) -> (TlsFiles, CertificateDer<'static>) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let files = TlsFiles { certificates: folder.join("cert.pem"), key: folder.join("key.pem") };
    fs::write(&files.certificates, cert.pem()).unwrap();
    fs::write(&files.key, signing_key.serialize_pem()).unwrap();
    (files, cert.der().clone())
}

/// Asks for a path as somebody who trusts this certificate alone.
async fn ask(gateway: &Gateway, trusted: &CertificateDer<'static>, path: &str) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let tcp = TcpStream::connect(gateway.address()).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, tcp).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    // Some ends come without a goodbye; what was read counts.
    let _ = stream.read_to_string(&mut answer).await;
    Ok(answer)
}

async fn serve(tls: Tls) -> (Gateway, Access) {
    let operator = Some("token-of-the-operator".to_owned());
    let access = Access::open(&AccessSettings { operator, ..AccessSettings::default() }).unwrap().0;
    let settings =
        Settings { pace: Pace::Max, tls: Some(tls), access: access.clone(), ..Settings::default() };
    (Gateway::start(settings, vec![Recording::demo()]).await.unwrap(), access)
}

#[tokio::test]
async fn a_renewed_certificate_is_used_without_a_restart_and_a_wrong_one_is_not() {
    let folder = folder("renewed");
    let (files, first) = renew(&folder);
    let (gateway, access) = serve(Tls::open(files.clone()).unwrap()).await;
    assert!(ask(&gateway, &first, "/healthz").await.unwrap().ends_with("ok\n"));
    let path = link(&access, Role::Operator);
    let signed_in = ask(&gateway, &first, &path).await.unwrap();
    assert!(signed_in.contains("; Secure"), "the cookie goes to https only: {signed_in}");
    let (_, second) = renew(&folder);
    assert!(ask(&gateway, &second, "/healthz").await.unwrap().ends_with("ok\n"));
    assert!(ask(&gateway, &first, "/healthz").await.is_err());
    fs::write(&files.key, "no key").unwrap();
    assert!(ask(&gateway, &second, "/healthz").await.unwrap().ends_with("ok\n"));
}

#[tokio::test]
async fn who_speaks_no_tls_is_cut_off_and_the_next_is_served() {
    let (files, trusted) = renew(&folder("plain"));
    let (gateway, _) = serve(Tls::open(files).unwrap()).await;
    let mut plain = TcpStream::connect(gateway.address()).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"));
    assert!(ask(&gateway, &trusted, "/healthz").await.is_ok());
}

#[test]
fn what_is_wrong_with_the_files_is_said() {
    let folder = folder("wrong");
    let (files, _) = renew(&folder);
    let says = |files: &TlsFiles| Tls::open(files.clone()).unwrap_err();
    let none = TlsFiles { certificates: folder.join("none.pem"), ..files.clone() };
    assert!(says(&none).contains("none.pem"));
    let swapped = TlsFiles { certificates: files.key.clone(), key: files.certificates.clone() };
    assert!(says(&swapped).contains("no certificate"));
    let (other, _) = renew(&self::folder("other"));
    let unfit = TlsFiles { key: other.key, ..files };
    assert!(says(&unfit).contains("does not fit"));
}
