//! The language server for AVAP: what an editor sends becomes questions to the front end, its answers become messages
//! of the Language Server Protocol. Knows nothing of how messages travel.
//!
//! | file | holds |
//! |---|---|
//! | `text` | documents, and places in them as editors count |
//! | `server` | requests and notifications to answers |

mod server;
mod text;

pub use server::{Server, diagnostic};
pub use text::{Document, Encoding};
