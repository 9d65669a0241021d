//! The alerts: over metrics that exist, explained in the operations page, firing when they should.

use std::process::Command;

use serde_json::Value;

use crate::objects::documents;
use crate::root;

fn groups() -> Value {
    let path = root().join("k8s/components/prometheus-operator/rules.yaml");
    documents("rules.yaml", &std::fs::read_to_string(path).unwrap())[0]["spec"].clone()
}

fn rules() -> Vec<Value> {
    let groups = groups()["groups"].as_array().cloned().unwrap();
    groups.iter().flat_map(|group| group["rules"].as_array().cloned().unwrap()).collect()
}

#[test]
fn every_alert_uses_metrics_that_exist_and_is_explained() {
    let page = std::fs::read_to_string(root().join("docs/operations.md")).unwrap();
    let word = regex::Regex::new(r"\bassay_[a-z_]+\b").unwrap();
    let known: Vec<&str> = assay_telemetry::names::metrics::TABLE.iter().map(|(name, _, _)| *name).collect();
    for rule in rules() {
        let alert = rule["alert"].as_str().unwrap();
        assert!(page.contains(&format!("| `{alert}` |")), "docs/operations.md does not explain {alert}");
        for name in word.find_iter(rule["expr"].as_str().unwrap()) {
            assert!(known.contains(&name.as_str()), "{alert} uses {}, which nothing counts", name.as_str());
        }
    }
}

#[test]
fn the_alerts_fire_when_they_should() {
    if Command::new("promtool").arg("--version").output().is_err() {
        assay_testkit::external::loudly(format_args!(
            "SKIPPED: promtool is not installed; alerts are not tried"
        ));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rules.yaml"), serde_yaml_ng::to_string(&groups()).unwrap()).unwrap();
    let cases = root().join("tests/repo/tests/manifests/rules.test.yaml");
    std::fs::copy(cases, folder.path().join("rules.test.yaml")).unwrap();
    for arguments in [["check", "rules", "rules.yaml"], ["test", "rules", "rules.test.yaml"]] {
        let output = Command::new("promtool").args(arguments).current_dir(&folder).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(output.status.success(), "{}", said.concat());
    }
}
