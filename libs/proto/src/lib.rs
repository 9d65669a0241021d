//! Generated messages, clients and servers of the protocol in `proto/`; nothing here is written by hand but this file.
#![allow(missing_docs, unreachable_pub, clippy::all, clippy::disallowed_methods)]

/// Encoded `FileDescriptorSet` of every package, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/assay.bin"));

macro_rules! package {
    ($($name:ident),+) => {$(
        #[doc = concat!("Package `assay.", stringify!($name), ".v1alpha1`.")]
        pub mod $name {
            /// The version that is spoken.
            pub mod v1alpha1 {
                include!(concat!(env!("OUT_DIR"), "/assay.", stringify!($name), ".v1alpha1.rs"));
            }
            pub use v1alpha1::*;
        }
    )+};
}

/// Package `brunix`: the protocol of an older assistant.
pub mod brunix {
    include!(concat!(env!("OUT_DIR"), "/brunix.rs"));
}

package!(common, router, retrieval, generation, validation, parser, audit, evaluation);
