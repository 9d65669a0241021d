//! What must hold, each case written once. Cases of a list share one system and run one after the other.

pub mod answers;
pub mod identity;
pub mod models;

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;

/// A named case over what it needs.
pub type Case<T> = (&'static str, for<'a> fn(&'a T) -> LocalBoxFuture<'a, ()>);

/// Cases by the names of their functions.
#[macro_export]
macro_rules! cases {
    ($($case:ident),+ $(,)?) => {
        &[$((stringify!($case), |on| Box::pin($case(on)))),+]
    };
}

/// Runs every case, whatever the others do, and fails with the names of those that failed.
pub async fn run<T>(on: &T, cases: &[Case<T>]) {
    let mut failed = Vec::new();
    for (name, case) in cases {
        let started = assay_rpc::clock::now();
        let held = AssertUnwindSafe(case(on)).catch_unwind().await.is_ok();
        println!(
            "{} {name} ({:.1} s)",
            if held { "ok    " } else { "FAILED" },
            started.elapsed().as_secs_f64()
        );
        if !held {
            failed.push(*name);
        }
    }
    assert!(failed.is_empty(), "{} of {} cases failed: {}", failed.len(), cases.len(), failed.join(", "));
}
