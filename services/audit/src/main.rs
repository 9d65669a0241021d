//! Audit as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    assay_rpc::process::main(assay_audit::program())
}
