//! Compiles the protocol without protoc and keeps the descriptor set for reflection.
#![allow(clippy::disallowed_methods, reason = "a build script is told its folders by the environment")]

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../../proto");
    let names = ["router", "retrieval", "generation", "validation", "parser", "audit", "evaluation"];
    let mut files = vec![root.join("assay/common/v1alpha1/common.proto")];
    files.extend(names.iter().map(|name| root.join(format!("assay/{name}/v1alpha1/{name}.proto"))));
    files.push(root.join("brunix/brunix.proto"));
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    let set = protox::compile(&files, [&root])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("assay.bin"), prost::Message::encode_to_vec(&set))?;
    tonic_prost_build::configure().build_transport(false).compile_fds(set)?;
    Ok(())
}
