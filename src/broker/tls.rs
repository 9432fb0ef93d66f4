//! TLS in front of the embedded broker: takes connections, shakes hands with each in a task of its own and passes its
//! bytes on to the plain listener.
//!
//! It stands in front and not inside because there one client that connects and says nothing holds up everybody who
//! comes after it. Here it holds up nobody, and is put out after a while.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// How long a client may take to shake hands.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// How many clients may be connected, or shaking hands.
const CLIENTS_MAX: usize = 10_000;

/// Where TLS is spoken, and with what.
#[derive(Debug, Clone)]
pub struct Tls {
    /// Where to listen; port 0 for a free one.
    pub listen: SocketAddr,
    /// The certificate and those that vouch for it, PEM.
    pub certificate: PathBuf,
    /// Its key, PEM.
    pub key: PathBuf,
    /// Authorities one of which has to have given a client its certificate, PEM.
    pub client_ca: Option<PathBuf>,
}

/// Why TLS is not spoken.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The address is not free.
    #[error("broker.tls.listen: {listen}: {source}")]
    Listen {
        /// Where.
        listen: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// A certificate or key cannot be used.
    #[error("broker.tls.{what}: {}: {reason}", path.display())]
    Credential {
        /// Which.
        what: &'static str,
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// Listens, and passes on what it hears to `inner` until `stop` says otherwise. The answer is where it listens.
///
/// # Errors
/// [`TlsError`].
pub async fn pass_on(tls: &Tls, inner: SocketAddr, mut stop: watch::Receiver<bool>) -> Result<SocketAddr, TlsError> {
    let acceptor = TlsAcceptor::from(Arc::new(server(tls)?));
    let fail = |source| TlsError::Listen { listen: tls.listen, source };
    let listener = TcpListener::bind(tls.listen).await.map_err(fail)?;
    let address = listener.local_addr().map_err(fail)?;
    tokio::spawn(async move {
        let places = Arc::new(Semaphore::new(CLIENTS_MAX));
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stop.wait_for(|stops| *stops) => return,
            };
            match (accepted, places.clone().try_acquire_owned()) {
                (Ok((client, from)), Ok(place)) => {
                    let (acceptor, mut stop) = (acceptor.clone(), stop.clone());
                    tokio::spawn(async move {
                        tokio::select! {
                            () = pass(acceptor, client, from, inner) => {}
                            _ = stop.wait_for(|stops| *stops) => {}
                        }
                        drop(place);
                    });
                }
                (Ok((_, from)), Err(_)) => tracing::warn!(%from, "too many clients over TLS; one was turned away"),
                (Err(error), _) => {
                    // No more files may be opened, say; that passes.
                    tracing::warn!(%error, "a client over TLS could not be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    });
    Ok(address)
}

async fn pass(acceptor: TlsAcceptor, client: TcpStream, from: SocketAddr, inner: SocketAddr) {
    let mut client = match timeout(HANDSHAKE_WITHIN, acceptor.accept(client)).await {
        Ok(Ok(client)) => client,
        Ok(Err(error)) => return tracing::info!(%from, %error, "a client does not speak TLS as it should"),
        Err(_) => return tracing::info!(%from, "a client connected and did not shake hands"),
    };
    match TcpStream::connect(inner).await {
        Ok(mut broker) => {
            let _ = broker.set_nodelay(true);
            let _ = client.get_ref().0.set_nodelay(true);
            // Either may go without a word; the other is told by its end of the connection closing.
            let _ = copy_bidirectional(&mut client, &mut broker).await;
        }
        Err(error) => tracing::warn!(%error, "the embedded broker takes no connection"),
    }
}

fn server(tls: &Tls) -> Result<ServerConfig, TlsError> {
    let chain = certificates("certificate", &tls.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| credential("key", &tls.key, &error))?;
    let config = ServerConfig::builder();
    let config = match &tls.client_ca {
        None => config.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates("client_ca", path)? {
                roots.add(authority).map_err(|error| credential("client_ca", path, &error))?;
            }
            let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build();
            config.with_client_cert_verifier(verifier.map_err(|error| credential("client_ca", path, &error))?)
        }
    };
    config.with_single_cert(chain, key).map_err(|error| credential("certificate", &tls.certificate, &error))
}

fn certificates(what: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(read) if read.is_empty() => Err(credential(what, path, &"there is no certificate in it; it should be PEM")),
        Ok(read) => Ok(read),
        Err(error) => Err(credential(what, path, &error)),
    }
}

fn credential(what: &'static str, path: &Path, reason: &dyn std::fmt::Display) -> TlsError {
    TlsError::Credential { what, path: path.to_owned(), reason: reason.to_string() }
}
