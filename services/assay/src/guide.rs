//! The bundled guide to AVAP: the pages of `docs/avap`, compiled in.

include!(concat!(env!("OUT_DIR"), "/guide.rs"));
