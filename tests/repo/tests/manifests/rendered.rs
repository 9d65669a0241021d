//! What kustomize makes of the base, of each component over it, of the overlays, and of everything together.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use k8s_openapi::api::core::v1::Service;
use serde_json::Value;

use crate::objects::{check, documents, kind, name, of, workloads};
use crate::{admin, door, root, specs};

/// A rendered set of objects.
#[derive(Debug)]
pub(crate) struct Set {
    /// `base`, `components/<name>`, `overlays/<name>` or `tests/everything`.
    pub(crate) name: String,
    /// Its objects.
    pub(crate) objects: Vec<Value>,
}

/// Every set, or none after saying so where no kustomize is installed.
pub(crate) fn sets() -> &'static [Set] {
    static SETS: OnceLock<Vec<Set>> = OnceLock::new();
    SETS.get_or_init(|| {
        let Some(tool) = tool() else {
            assay_testkit::external::loudly(format_args!(
                "SKIPPED: neither kustomize nor kubectl is installed; manifests are checked as files only"
            ));
            return Vec::new();
        };
        let k8s = root().join("k8s").canonicalize().unwrap();
        let mut sets = vec![render(&tool, "base", &k8s.join("base"))];
        for folder in ["overlays", "tests"] {
            for path in folders(&k8s.join(folder)) {
                let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
                sets.push(render(&tool, &name, &path));
            }
        }
        for path in folders(&k8s.join("components")) {
            let component = path.file_name().unwrap().to_string_lossy().into_owned();
            let alone = over_base(&k8s, &component);
            sets.push(render(&tool, &format!("components/{component}"), &alone));
        }
        sets
    })
}

/// Folders with a kustomization below a folder.
fn folders(below: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(below).unwrap().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.join("kustomization.yaml").exists()).collect();
    found.sort();
    found
}

/// A kustomization, in the build folder, of the base and one component.
fn over_base(k8s: &Path, component: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("manifests-{component}"));
    std::fs::create_dir_all(&folder).unwrap();
    let up = "../".repeat(folder.canonicalize().unwrap().components().count() - 1);
    let k8s = k8s.strip_prefix("/").unwrap().display();
    let text = format!(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: assay\nresources: \
         [{up}{k8s}/base]\ncomponents: [{up}{k8s}/components/{component}]\n"
    );
    std::fs::write(folder.join("kustomization.yaml"), text).unwrap();
    folder
}

/// The command that renders a folder.
fn tool() -> Option<Vec<String>> {
    let tools = [vec!["kustomize", "build"], vec!["kubectl", "kustomize"]];
    let found = tools.into_iter().find(|tool| {
        let help = Command::new(tool[0]).args(&tool[1..]).arg("--help").output();
        help.is_ok_and(|output| output.status.success())
    })?;
    Some(found.into_iter().map(str::to_owned).collect())
}

fn render(tool: &[String], name: &str, folder: &Path) -> Set {
    let output = Command::new(&tool[0]).args(&tool[1..]).arg(folder).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} does not render: {errors}");
    assert!(!errors.contains("deprecated"), "{name}: {errors}");
    let objects = documents(name, &String::from_utf8(output.stdout).unwrap());
    Set { name: name.to_owned(), objects }
}

#[test]
fn every_set_renders_typed_objects_without_secrets() {
    for set in sets() {
        for object in &set.objects {
            check(&set.name, object);
            assert_ne!(kind(object), "Secret", "{} holds a Secret", set.name);
            if kind(object) != "Namespace" {
                let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
                assert_eq!(namespace, "assay", "{}: {} {}", set.name, kind(object), name(object));
            }
        }
    }
}

#[test]
fn a_namespace_admits_restricted_pods_only() {
    for set in sets() {
        let labels =
            &set.objects.iter().find(|object| kind(object) == "Namespace").unwrap()["metadata"]["labels"];
        for what in ["enforce", "audit", "warn"] {
            assert_eq!(labels[format!("pod-security.kubernetes.io/{what}")], "restricted", "{}", set.name);
        }
    }
}

#[test]
fn every_service_has_its_workload_name_ports_and_budget() {
    for set in sets() {
        let workloads = workloads(&set.objects);
        for spec in specs() {
            let label = |w: &crate::objects::Workload| w.label("app.kubernetes.io/name") == spec.name;
            let mine: Vec<_> = workloads.iter().filter(|w| label(w)).collect();
            assert_eq!(mine.len(), 1, "{}: {} has {} workloads", set.name, spec.name, mine.len());
            let stateful = ["router", "audit"].contains(&spec.name);
            let expected = if stateful { "StatefulSet" } else { "Deployment" };
            assert_eq!(mine[0].kind, expected, "{}: {}", set.name, spec.name);

            let container = &mine[0].template.spec.as_ref().unwrap().containers[0];
            let mut ports: Vec<i32> =
                container.ports.clone().unwrap_or_default().iter().map(|p| p.container_port).collect();
            ports.sort_unstable();
            let mut expected = vec![i32::from(spec.port), i32::from(admin(spec))];
            if spec.name == "gateway" {
                expected.push(i32::from(door()));
            }
            expected.sort_unstable();
            assert_eq!(ports, expected, "{}: {}", set.name, spec.name);
            let words = ["service", spec.name, "--config", &format!("/etc/assay/{}.toml", spec.name)]
                .map(str::to_owned);
            assert_eq!(container.args.clone().unwrap_or_default(), words, "{}: {}", set.name, spec.name);

            let services = of::<Service>(&set.objects, "Service");
            let service = services.iter().find(|s| s.metadata.name.as_deref() == Some(spec.name)).unwrap();
            let service = service.spec.as_ref().unwrap();
            let headless = service.cluster_ip.as_deref() == Some("None");
            assert_eq!(headless, spec.name != "gateway", "{}: {}", set.name, spec.name);
            let served: Vec<i32> = service.ports.iter().flatten().map(|port| port.port).collect();
            assert!(served.contains(&i32::from(spec.port)), "{}: {} serves {served:?}", set.name, spec.name);

            let budgets = set.objects.iter().filter(|o| kind(o) == "PodDisruptionBudget");
            let selectors = budgets.map(|o| &o["spec"]["selector"]["matchLabels"]["app.kubernetes.io/name"]);
            assert_eq!(
                selectors.filter(|s| *s == spec.name).count(),
                1,
                "{}: budget of {}",
                set.name,
                spec.name
            );
        }
    }
}

#[test]
fn exactly_the_services_without_a_store_are_scaled() {
    for set in sets() {
        let scaled: Vec<&str> =
            set.objects.iter().filter(|o| kind(o) == "HorizontalPodAutoscaler").map(name).collect();
        for service in ["gateway", "generation", "validation", "parser"] {
            assert!(scaled.contains(&service), "{}: nothing scales {service}", set.name);
        }
        for object in &set.objects {
            if !["Deployment", "StatefulSet"].contains(&kind(object)) {
                continue;
            }
            let fixed = object["spec"]["replicas"].as_i64();
            let shared = set.name.ends_with("/elasticsearch") && name(object) == "retrieval";
            if shared {
                assert_eq!(fixed, Some(2), "{}: {} shares its indexes", set.name, name(object));
            } else if scaled.contains(&name(object)) {
                assert_eq!(fixed, None, "{}: {} would be scaled back by an apply", set.name, name(object));
            } else {
                assert_eq!(fixed, Some(1), "{}: {} has one owner of its store", set.name, name(object));
            }
        }
    }
}

/// Whether an image is named by a digest, without a tag.
fn pinned(image: &str) -> bool {
    let hex = |digest: &str| digest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    image.split_once("@sha256:").is_some_and(|(name, digest)| {
        !name.rsplit('/').next().unwrap_or(name).contains(':') && digest.len() == 64 && hex(digest)
    })
}

#[test]
fn a_tag_is_no_digest() {
    let digest = "0123456789abcdef".repeat(4);
    assert!(pinned(&format!("registry.example:5000/assay@sha256:{digest}")));
    for image in [
        "assay".to_owned(),
        "ollama/ollama:0.12.6".to_owned(),
        format!("ollama/ollama:0.12.6@sha256:{digest}"),
        format!("assay@sha256:{}", &digest[1..]),
    ] {
        assert!(!pinned(&image), "{image}");
    }
}

#[test]
fn production_names_images_by_digest() {
    for set in sets() {
        for workload in workloads(&set.objects) {
            let spec = workload.template.spec.unwrap();
            for container in spec.containers.iter().chain(spec.init_containers.iter().flatten()) {
                let image = container.image.as_deref().unwrap_or_default();
                let right = match set.name.as_str() {
                    "components/images"
                    | "overlays/production"
                    | "overlays/elasticsearch"
                    | "tests/everything" => pinned(image),
                    "overlays/local" => image == concat!("localhost/assay:", env!("CARGO_PKG_VERSION")),
                    // Base and components leave the choice to the overlay: no registry has these names.
                    _ => ["assay", "model-server"].contains(&image),
                };
                assert!(right, "{}: {} runs {image}", set.name, workload.name);
            }
        }
    }
}

#[test]
fn the_set_of_everything_has_what_every_component_adds() {
    let all = sets();
    let Some(everything) = all.iter().find(|set| set.name == "tests/everything") else {
        assert!(all.is_empty(), "tests/everything was not rendered");
        return;
    };
    // Those that exclude others: what plaintext is for, TLS does; Elasticsearch takes the volume of the indexes away.
    let excluding = ["components/plaintext", "components/elasticsearch"];
    let together = |s: &&Set| s.name.starts_with("components/") && !excluding.contains(&&*s.name);
    for set in all.iter().filter(together) {
        for object in &set.objects {
            let same = |o: &Value| kind(o) == kind(object) && name(o) == name(object);
            assert!(
                everything.objects.iter().any(same),
                "tests/everything lacks {} {} of {}",
                kind(object),
                name(object),
                set.name
            );
        }
    }
}
