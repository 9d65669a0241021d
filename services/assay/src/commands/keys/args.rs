//! The commands of `assay keys` and their arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// API keys of a gateway.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Make a key, print it this once, and write its hash to the file
    Create(KeysCreate),
    /// List keys with principal, tenant, roles and state
    List {
        /// The keys file; else the one that the settings name
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Switch a key off
    Disable(KeysPick),
    /// Forget a key
    Remove(KeysPick),
}

/// Make a key.
#[derive(Debug, Args)]
pub struct KeysCreate {
    /// Who its bearer is, within the tenant
    #[arg(long, value_name = "NAME")]
    pub principal: String,
    /// Whose data its bearer sees
    #[arg(long, value_name = "NAME")]
    pub tenant: String,
    /// What its bearer may do: ask, platform, ingest, review, erase, admin; repeat it or separate by commas
    #[arg(long = "role", required = true, value_delimiter = ',', value_name = "ROLE", value_parser = role)]
    pub roles: Vec<assay_domain::Role>,
    /// Note on the use of the key
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    pub name: String,
    /// Days until the key expires [default: never]
    #[arg(long, value_name = "DAYS")]
    pub expires: Option<u32>,
    /// The keys file; else the one that the settings name
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Pick a key.
#[derive(Debug, Args)]
pub struct KeysPick {
    /// Its id, the part between the underscores
    pub id: String,
    /// The keys file; else the one that the settings name
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
}

fn role(name: &str) -> Result<assay_domain::Role, String> {
    assay_domain::Role::from_name(name).ok_or_else(|| {
        let all: Vec<&str> = assay_domain::Role::ALL.iter().map(|role| role.as_str()).collect();
        format!("the roles are {}", all.join(", "))
    })
}
