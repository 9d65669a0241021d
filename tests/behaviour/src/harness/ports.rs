//! Loopback ports for the processes of one system, handed out without a race.
//!
//! A block lies below the range from which systems take ports for outgoing connections, and a lock file that is held
//! as long as the block says that it is taken; so a service that is killed finds its port free when it starts again.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// First port of all blocks.
const FIRST: u16 = 20_000;
/// Ports of a block.
const SIZE: u16 = 20;
/// How far the address for health and metrics lies above that for calls.
const ADMIN: u16 = 1_000;
/// Blocks between `FIRST` and the first block's admin ports.
const BLOCKS: u16 = ADMIN / SIZE;
/// Times that blocks and their admin ports follow each other.
const BANKS: u16 = 6;

/// A block of ports; free again when dropped.
#[derive(Debug)]
pub(super) struct Block {
    first: u16,
    _lock: File,
}

// === impl Block ===

impl Block {
    /// The first block that nobody holds and on whose ports nothing listens.
    pub(super) fn reserve() -> Self {
        let folder = std::env::temp_dir().join("assay-test-ports");
        std::fs::create_dir_all(&folder).unwrap();
        for number in 0..BANKS * BLOCKS {
            let first = FIRST + (number / BLOCKS) * 2 * ADMIN + (number % BLOCKS) * SIZE;
            let lock =
                File::options().create(true).truncate(false).write(true).open(folder.join(first.to_string()));
            let Ok(lock) = lock else { continue };
            if lock.try_lock().is_err() {
                continue;
            }
            let free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
            if (first..first + SIZE).chain(first + ADMIN..first + ADMIN + SIZE).all(free) {
                return Self { first, _lock: lock };
            }
        }
        panic!("no block of ports is free");
    }

    /// The address for calls at this place in the block.
    pub(super) fn calls(&self, place: u16) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.first + place))
    }

    /// The address for health and metrics at this place in the block.
    pub(super) fn admin(&self, place: u16) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.first + ADMIN + place))
    }
}
