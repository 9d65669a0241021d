//! A wire that can be cut.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;

use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::world::loopback;

pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    cut: Arc<Mutex<CancellationToken>>,
}

impl Proxy {
    /// A wire to `target`.
    pub(crate) async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind(loopback(0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let cut: Arc<Mutex<CancellationToken>> = Arc::default();
        let cuts = Arc::clone(&cut);
        assay_rpc::task::detached(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let cut = cuts.lock().unwrap().clone();
                assay_rpc::task::detached(async move {
                    let Ok(mut far) = TcpStream::connect(target).await else { return };
                    tokio::select! {
                        () = cut.cancelled() => {}
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                    }
                });
            }
        });
        Self { address, cut }
    }

    /// Ends every connection that is there; new ones are made as before.
    pub(crate) fn cut(&self) {
        std::mem::take(&mut *self.cut.lock().unwrap()).cancel();
    }
}
