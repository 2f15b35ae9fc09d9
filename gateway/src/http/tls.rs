//! TLS on the gateway's own port. The certificate and its key are files, which are read again when they have changed, so a renewed
//! certificate needs no restart.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// How long a handshake may take.
const HANDSHAKE_TAKES: Duration = Duration::from_secs(10);

/// Where the certificate chain and its private key are, as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, and those between it and the root.
    pub certificates: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Accepts TLS connections. Clones share one certificate.
#[derive(Clone)]
pub struct Tls(Arc<TlsState>);

struct TlsState {
    files: TlsFiles,
    loaded: Mutex<LoadedCertificate>,
}

struct LoadedCertificate {
    acceptor: TlsAcceptor,
    /// When the files were changed, as of the last look.
    changed: [Option<SystemTime>; 2],
}

impl fmt::Debug for Tls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Tls").field(&self.0.files).finish()
    }
}

impl Tls {
    /// Reads both files. The error says which of them is wrong, and how.
    pub fn open(files: TlsFiles) -> Result<Self, String> {
        let changed = files.changed();
        let loaded = LoadedCertificate { acceptor: files.read()?, changed };
        Ok(Self(Arc::new(TlsState { files, loaded: Mutex::new(loaded) })))
    }

    /// Does the handshake of a connection.
    pub async fn accept(&self, connection: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        timeout(HANDSHAKE_TAKES, self.acceptor().accept(connection)).await?
    }

    /// The newest certificate. Where the new files are wrong, the old one goes on.
    fn acceptor(&self) -> TlsAcceptor {
        let mut loaded = self.0.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = self.0.files.changed();
        if changed != loaded.changed {
            loaded.changed = changed;
            match self.0.files.read() {
                Ok(acceptor) => {
                    tracing::info!("the certificate was read again");
                    loaded.acceptor = acceptor;
                }
                Err(error) => tracing::error!("{error}; the certificate from before is used"),
            }
        }
        loaded.acceptor.clone()
    }
}

impl TlsFiles {
    fn changed(&self) -> [Option<SystemTime>; 2] {
        [&self.certificates, &self.key].map(|file| fs::metadata(file).and_then(|about| about.modified()).ok())
    }

    fn read(&self) -> Result<TlsAcceptor, String> {
        let wrong = |file: &Path, why: &dyn fmt::Display| format!("{}: {why}", file.display());
        let certificates = CertificateDer::pem_file_iter(&self.certificates)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| wrong(&self.certificates, &error))?;
        if certificates.is_empty() {
            return Err(wrong(&self.certificates, &"there is no certificate in it (PEM)"));
        }
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| wrong(&self.key, &error))?;
        let fits = |error: rustls::Error| {
            wrong(&self.key, &format_args!("it does not fit the certificate: {error}"))
        };
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .map_err(fits)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}
