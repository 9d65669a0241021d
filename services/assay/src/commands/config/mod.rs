//! `assay config`: the effective settings, and every setting with its default.

mod args;
mod docs;

pub use args::Config;
pub use docs::documented;

use assay_domain::{Code, Failure};

use crate::cli::Global;
use crate::settings::Settings;

/// Runs the command.
///
/// # Errors
/// `CONFIGURATION`, naming the setting.
pub fn run(global: &Global, command: &Config, settings: &Settings) -> Result<u8, Failure> {
    match command {
        Config::Show => print(global, settings, |text| text),
        Config::Docs => print(global, &Settings::default(), |text| documented(&text, "")),
        Config::Check => {
            settings.check()?;
            println!("the settings are fine");
            Ok(0)
        }
    }
}

fn print(global: &Global, settings: &Settings, text: fn(String) -> String) -> Result<u8, Failure> {
    if global.json {
        let value = serde_json::to_value(settings).map_err(|error| Failure::internal(error.to_string()))?;
        println!("{value:#}");
    } else {
        let dump = assay_config::dump(settings)
            .map_err(|error| Failure::new(Code::Configuration, error.to_string()))?;
        print!("{}", text(dump));
    }
    Ok(0)
}
