//! The language server for AVAP: what an editor sends becomes questions to the front end, its answers become messages
//! of the Language Server Protocol. Only `wire` knows how messages travel.
//!
//! | file | holds |
//! |---|---|
//! | `text` | documents, and places in them as editors count |
//! | `server` | requests and notifications to answers |
//! | `wire` | framing, bounds, the life of a session |

mod server;
mod text;
mod wire;

pub use server::{Server, diagnostic};
pub use text::{Document, Encoding};
pub use wire::serve;
