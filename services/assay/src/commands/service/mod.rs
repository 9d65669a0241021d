//! `assay service NAME`: one service as a process of its own, exactly as its own binary runs it.

mod args;

pub use args::Service;

use std::path::Path;

use assay_config::Environment;
use assay_domain::{Code, Failure};
use assay_rpc::process::{Action, Arguments, Program};
use clap::builder::PossibleValuesParser;

use crate::flags::{DATA, Global};

/// A service and what makes its program.
type Named = (&'static str, fn() -> Program);

/// Every service.
const PROGRAMS: [Named; 8] = [
    ("gateway", assay_gateway::program),
    ("router", assay_router::program),
    ("retrieval", assay_retrieval::program),
    ("generation", assay_generation::program),
    ("validation", validation),
    ("audit", assay_audit::program),
    ("parser", assay_parser::program),
    ("evaluation", assay_evaluation::program),
];

fn validation() -> Program {
    assay_validation::program_with(crate::in_box::IN_BOX)
}

/// The settings of each service that are folders of data, with the folder's name below `--data`.
const FOLDERS: [(&str, &str, &str); 4] = [
    ("router", "ASSAY_SERVICE__DATA_DIR", "router"),
    ("retrieval", "ASSAY_SERVICE__DATA_DIR", "retrieval"),
    ("retrieval", "ASSAY_SERVICE__MODELS_DIR", "models"),
    ("audit", "ASSAY_SERVICE__DATA_DIR", "audit"),
];

/// The names that the command takes.
#[must_use]
pub fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(PROGRAMS.map(|(name, _)| name))
}

/// Runs the command.
///
/// # Errors
/// `CONFIGURATION` for a wrong setting; what the service says that cannot start.
pub async fn run(global: &Global, args: &Service, mut environment: Environment) -> Result<u8, Failure> {
    let program = PROGRAMS
        .iter()
        .find_map(|(name, program)| (*name == args.name).then(program))
        .ok_or_else(|| Failure::new(Code::InvalidArgument, format!("there is no service {}", args.name)))?;
    place(&args.name, &global.data, &mut environment);
    let action = match (args.check, args.dump_config) {
        (true, _) => Action::Check,
        (_, true) => Action::Dump,
        _ => Action::Serve,
    };
    program.run(Arguments { config: global.config.clone(), action }, environment).await?;
    Ok(0)
}

/// `--data DIR` puts the folders of the service below DIR, unless the environment names them.
fn place(service: &str, data: &Path, environment: &mut Environment) {
    if data == Path::new(DATA) {
        return;
    }
    for (of, variable, folder) in FOLDERS {
        if of == service {
            let path = data.join(folder).display().to_string();
            environment.entry(variable.to_owned()).or_insert(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_service_can_be_run_by_its_own_name() {
        let specs = crate::system::SPECS.into_iter().chain([&assay_gateway::SPEC]);
        for spec in specs {
            let program = PROGRAMS.iter().find(|(name, _)| *name == spec.name);
            assert_eq!(program.map(|(_, program)| program().spec()), Some(spec));
        }
    }

    #[test]
    fn the_data_folder_holds_what_the_environment_does_not_name() {
        let mut environment = Environment::new();
        place("retrieval", Path::new(DATA), &mut environment);
        assert!(environment.is_empty());
        environment.insert("ASSAY_SERVICE__MODELS_DIR".into(), "/models".into());
        place("retrieval", Path::new("/data"), &mut environment);
        assert_eq!(environment["ASSAY_SERVICE__DATA_DIR"], "/data/retrieval");
        assert_eq!(environment["ASSAY_SERVICE__MODELS_DIR"], "/models");
    }
}
