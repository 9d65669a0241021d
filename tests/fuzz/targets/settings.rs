//! Any text of settings is read or refused in words; what is read can be written and read again.
#![no_main]

use assay_config::{Environment, dump, parse};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn read<T: Serialize + DeserializeOwned + Default>(text: &str) {
    match parse::<T>(text, &Environment::new(), &[]) {
        Ok(settings) => {
            let written = dump(&settings).expect("settings have a TOML form");
            assert!(parse::<T>(&written, &Environment::new(), &[]).is_ok(), "{written}");
        }
        Err(refused) => assert!(!refused.to_string().is_empty()),
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    read::<assay_gateway::Options>(text);
    read::<assay_parser::Options>(text);
});
