//! `assay config`: the effective settings, and every setting with its default.

mod args;
mod docs;
mod ignored;

pub use args::Config;
pub use docs::documented;

use assay_config::Environment;
use assay_domain::{Code, Failure};
use serde::Serialize;
use serde_json::json;

use crate::flags::Global;
use crate::settings::Settings;
use crate::system::System;

/// Settings with which a system would start, as an object of the output.
#[derive(Serialize)]
struct Checked {
    /// Changed settings without effect.
    ignored: Vec<ignored::Ignored>,
}

/// Runs the command.
///
/// # Errors
/// `CONFIGURATION`, naming the setting.
pub async fn run(global: &Global, command: &Config, settings: &Settings) -> Result<u8, Failure> {
    match command {
        Config::Show => print(global, settings, |text| text),
        Config::Docs => print(global, &Settings::default(), |text| documented(&text, "")),
        Config::Check => check(global, settings).await,
    }
}

async fn check(global: &Global, settings: &Settings) -> Result<u8, Failure> {
    settings.check()?;
    System::check(settings).await?;
    let defaults = Settings::load(None, &global.data, &Environment::new())?;
    let ignored =
        ignored::ignored(settings, &defaults).map_err(|error| Failure::internal(error.to_string()))?;
    if global.json {
        println!("{:#}", json!(Checked { ignored }));
    } else {
        ignored.iter().for_each(|ignored| println!("{ignored}"));
        println!("the settings are fine");
    }
    Ok(0)
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
