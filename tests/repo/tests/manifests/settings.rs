//! The settings a pod would have: its file and its environment, read by the service's own code.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use assay_config::{Environment, FlatName};
use assay_domain::Failure;
use assay_rpc::process::Settings;
use k8s_openapi::api::core::v1::{ConfigMap, EnvVar, PodSpec};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::objects::{Workload, of, workloads};
use crate::rendered::{Set, sets};
use crate::{admin, specs};

/// What the tests below look at, of whatever service.
struct Effective {
    listen: String,
    admin: String,
    peers: BTreeMap<String, String>,
    tls: Option<String>,
    plaintext: bool,
    drain: Duration,
    folders: Vec<String>,
}

fn read<T>(
    file: &Path,
    environment: &Environment,
    flat: &[FlatName],
    check: fn(&T) -> Result<(), Failure>,
    folders: fn(&T) -> Vec<&Path>,
) -> Effective
where
    T: DeserializeOwned + Serialize + Default,
{
    let flat = [assay_rpc::process::FLAT, assay_telemetry::FLAT, flat].concat();
    let settings: Settings<T> = assay_config::load(Some(file), environment, &flat)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    check(&settings.service).unwrap_or_else(|failure| panic!("{}: {failure}", file.display()));
    let text = |path: &Path| path.display().to_string();
    Effective {
        listen: settings.listen.map(|address| address.to_string()).unwrap_or_default(),
        admin: settings.admin.map(|address| address.to_string()).unwrap_or_default(),
        peers: settings.peers,
        tls: settings.tls.folder.as_deref().map(text),
        plaintext: settings.tls.plaintext,
        drain: Duration::from_secs(settings.limits.drain_seconds),
        folders: folders(&settings.service).into_iter().map(text).collect(),
    }
}

fn effective(name: &str, file: &Path, environment: &Environment) -> Effective {
    let e = environment;
    match name {
        "gateway" => read(file, e, &[], assay_gateway::Options::check, |_| Vec::new()),
        "router" => read(file, e, assay_router::FLAT, assay_router::Options::check, |o| vec![&o.data_dir]),
        "retrieval" => read(file, e, assay_retrieval::FLAT, assay_retrieval::Options::check, |o| {
            vec![&o.data_dir, &o.models_dir]
        }),
        "generation" => {
            read(file, e, assay_generation::FLAT, assay_generation::Options::check, |_| Vec::new())
        }
        "validation" => {
            read(file, e, assay_validation::FLAT, assay_validation::Options::check, |_| Vec::new())
        }
        "parser" => read(file, e, assay_parser::FLAT, assay_parser::Options::check, |_| Vec::new()),
        "audit" => read(file, e, assay_audit::FLAT, assay_audit::Options::check, |o| vec![&o.data_dir]),
        "evaluation" => {
            read(file, e, assay_evaluation::FLAT, assay_evaluation::Options::check, |_| Vec::new())
        }
        _ => panic!("{name} has no settings here; add them"),
    }
}

/// The environment of a container; what comes from elsewhere has a stand-in, and `$(NAME)` is filled in.
fn environment(variables: &[EnvVar], pod: &str) -> Environment {
    let mut known = Environment::new();
    for variable in variables {
        let from = variable.value_from.as_ref();
        let value = if from.is_some_and(|from| from.field_ref.is_some()) {
            pod.to_owned()
        } else if from.is_some() {
            "from-elsewhere".to_owned()
        } else {
            let text = variable.value.clone().unwrap_or_default();
            known.iter().fold(text, |text, (name, value)| text.replace(&format!("$({name})"), value))
        };
        assert!(!value.contains("$("), "{} = {value} refers to what comes after it", variable.name);
        known.insert(variable.name.clone(), value);
    }
    known
}

/// The settings of every service of every set, with the pod that would run with them.
fn each(check: impl Fn(&Set, &Workload, &PodSpec, &Effective)) {
    let folder = tempfile::tempdir().unwrap();
    for set in sets() {
        let maps: Vec<ConfigMap> = of(&set.objects, "ConfigMap");
        for workload in workloads(&set.objects) {
            if !specs().iter().any(|spec| spec.name == workload.name) {
                continue;
            }
            let pod = workload.template.spec.clone().unwrap();
            let map = pod.volumes.iter().flatten().find_map(|v| v.config_map.as_ref()).unwrap();
            let map = maps.iter().find(|m| m.metadata.name.as_deref() == Some(map.name.as_str())).unwrap();
            let data = map.data.clone().unwrap();
            let key = format!("{}.toml", workload.name);
            assert_eq!(data.keys().collect::<Vec<_>>(), [&key], "{}", set.name);
            let file = folder.path().join(&key);
            std::fs::write(&file, &data[&key]).unwrap();
            let variables = pod.containers[0].env.clone().unwrap_or_default();
            let environment = environment(&variables, &format!("{}-0", workload.name));
            let settings = effective(&workload.name, &file, &environment);
            check(set, &workload, &pod, &settings);
        }
    }
}

#[test]
fn every_service_accepts_its_settings_and_expected_address() {
    each(|set, workload, _, settings| {
        let spec = crate::spec(&workload.name);
        let place = format!("{}: {}", set.name, spec.name);
        assert_eq!(settings.listen, format!("0.0.0.0:{}", spec.port), "{place}");
        assert_eq!(settings.admin, format!("0.0.0.0:{}", admin(spec)), "{place}");
        let expected: BTreeMap<String, String> = spec
            .calls
            .iter()
            .map(|callee| ((*callee).to_owned(), format!("http://{callee}:{}", crate::spec(callee).port)))
            .collect();
        assert_eq!(settings.peers, expected, "{place}");
    });
}

#[test]
fn tls_is_on_where_chosen_and_mounted() {
    each(|set, workload, pod, settings| {
        let place = format!("{}: {}", set.name, workload.name);
        let on =
            set.name.starts_with("overlays/") || ["components/tls", "tests/everything"].contains(&&*set.name);
        let mounts = pod.containers[0].volume_mounts.clone().unwrap_or_default();
        let mount = mounts.iter().find(|mount| mount.name == "tls");
        assert_eq!(settings.tls.as_deref(), mount.map(|mount| mount.mount_path.as_str()), "{place}");
        assert_eq!(settings.tls.is_some(), on, "{place}");
        assert_eq!(settings.plaintext, set.name == "components/plaintext", "{place}");
        if let Some(mount) = mount {
            assert_eq!(mount.read_only, Some(true), "{place}");
            let volume = pod.volumes.iter().flatten().find(|volume| volume.name == "tls").unwrap();
            let secret = volume.secret.as_ref().unwrap().secret_name.clone();
            assert_eq!(secret, Some(format!("assay-{}-tls", workload.name)), "{place}");
        }
    });
}

#[test]
fn stores_are_on_volumes_of_their_own() {
    each(|set, workload, pod, settings| {
        let mounts = pod.containers[0].volume_mounts.clone().unwrap_or_default();
        // Its indexes are in a cluster; what is left are models, which can be fetched again.
        if set.name.ends_with("/elasticsearch") && workload.name == "retrieval" {
            return;
        }
        for folder in &settings.folders {
            let mount = mounts.iter().find(|m| Path::new(folder).starts_with(&m.mount_path));
            let mount = mount.unwrap_or_else(|| panic!("{}: {folder} is on no volume", set.name));
            let claimed = pod
                .volumes
                .iter()
                .flatten()
                .any(|v| v.name == mount.name && v.persistent_volume_claim.is_some());
            let own = claimed || workload.claims.contains(&mount.name);
            assert!(own, "{}: {folder} of {} does not outlive its pod", set.name, workload.name);
        }
    });
}

#[test]
fn grace_period_covers_delay_drain_and_close() {
    each(|set, workload, pod, settings| {
        let grace = u64::try_from(pod.termination_grace_period_seconds.unwrap()).unwrap();
        let stop = pod.containers[0].lifecycle.as_ref().and_then(|l| l.pre_stop.as_ref()).unwrap();
        let pause = u64::try_from(stop.sleep.as_ref().unwrap().seconds).unwrap();
        assert!(pause >= 5, "{}: {}", set.name, workload.name);
        // The bound holds once for calls and once for the closing work.
        let needed = pause + 2 * settings.drain.as_secs();
        assert!(
            grace > needed,
            "{}: {} is killed after {grace} s and may need {needed}",
            set.name,
            workload.name
        );
    });
}
