//! Objects of the cluster as the types that its API has; a field that no type knows is an error.

use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{
    ConfigMap, Namespace, PersistentVolumeClaim, PodTemplateSpec, Service, ServiceAccount,
};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The objects of a text of YAML documents.
///
/// # Panics
/// If a document is no YAML.
pub(crate) fn documents(name: &str, text: &str) -> Vec<Value> {
    serde_yaml_ng::Deserializer::from_str(text)
        .map(|document| {
            let value = serde_yaml_ng::Value::deserialize(document).unwrap_or_else(|e| panic!("{name}: {e}"));
            serde_json::to_value(value).unwrap_or_else(|e| panic!("{name}: {e}"))
        })
        .filter(|value: &Value| !value.is_null())
        .collect()
}

/// Kind of an object.
pub(crate) fn kind(object: &Value) -> &str {
    object["kind"].as_str().unwrap_or_default()
}

/// Name of an object.
pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// Every object of a kind, as its type.
pub(crate) fn of<T: DeserializeOwned>(objects: &[Value], wanted: &str) -> Vec<T> {
    let found = objects.iter().filter(|object| kind(object) == wanted);
    found.map(|object| serde_json::from_value(object.clone()).unwrap()).collect()
}

/// What runs pods.
#[derive(Debug, Clone)]
pub(crate) struct Workload {
    /// Deployment, StatefulSet or Job.
    pub(crate) kind: String,
    /// Its name.
    pub(crate) name: String,
    /// Its pods.
    pub(crate) template: PodTemplateSpec,
    /// Names of the claims that each pod gets of its own.
    pub(crate) claims: Vec<String>,
}

impl Workload {
    /// The label by which the pods are known.
    pub(crate) fn label(&self, key: &str) -> String {
        let labels = self.template.metadata.as_ref().and_then(|m| m.labels.clone()).unwrap_or_default();
        labels.get(key).cloned().unwrap_or_default()
    }
}

/// Everything that runs pods.
pub(crate) fn workloads(objects: &[Value]) -> Vec<Workload> {
    let named = |metadata: &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta| {
        metadata.name.clone().unwrap_or_default()
    };
    let mut all = Vec::new();
    for d in of::<Deployment>(objects, "Deployment") {
        let template = d.spec.unwrap().template;
        all.push(Workload { kind: "Deployment".into(), name: named(&d.metadata), template, claims: vec![] });
    }
    for s in of::<StatefulSet>(objects, "StatefulSet") {
        let spec = s.spec.unwrap();
        let claims = spec.volume_claim_templates.unwrap_or_default();
        let claims = claims.iter().map(|claim| named(&claim.metadata)).collect();
        let template = spec.template;
        all.push(Workload { kind: "StatefulSet".into(), name: named(&s.metadata), template, claims });
    }
    for j in of::<Job>(objects, "Job") {
        let template = j.spec.unwrap().template;
        all.push(Workload { kind: "Job".into(), name: named(&j.metadata), template, claims: vec![] });
    }
    all
}

/// Panics unless the object has exactly the fields of its type.
pub(crate) fn check(origin: &str, object: &Value) {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    let same = match (version, kind(object)) {
        ("v1", "Namespace") => round_trip::<Namespace>(object),
        ("v1", "ServiceAccount") => round_trip::<ServiceAccount>(object),
        ("v1", "Service") => round_trip::<Service>(object),
        ("v1", "ConfigMap") => round_trip::<ConfigMap>(object),
        ("v1", "PersistentVolumeClaim") => round_trip::<PersistentVolumeClaim>(object),
        ("apps/v1", "Deployment") => round_trip::<Deployment>(object),
        ("apps/v1", "StatefulSet") => round_trip::<StatefulSet>(object),
        ("batch/v1", "Job") => round_trip::<Job>(object),
        ("policy/v1", "PodDisruptionBudget") => round_trip::<PodDisruptionBudget>(object),
        ("autoscaling/v2", "HorizontalPodAutoscaler") => round_trip::<HorizontalPodAutoscaler>(object),
        ("networking.k8s.io/v1", "NetworkPolicy") => round_trip::<NetworkPolicy>(object),
        ("cert-manager.io/v1", "Issuer") => round_trip::<Custom<Issuer>>(object),
        ("cert-manager.io/v1", "Certificate") => round_trip::<Custom<Certificate>>(object),
        ("monitoring.coreos.com/v1", "PodMonitor") => round_trip::<Custom<PodMonitor>>(object),
        ("monitoring.coreos.com/v1", "PrometheusRule") => round_trip::<Custom<PrometheusRule>>(object),
        (version, kind) => Err(format!("no type for {version} {kind}; add one to objects.rs")),
    };
    if let Err(error) = same {
        panic!("{origin}: {} {}: {error}", kind(object), name(object));
    }
}

fn round_trip<T: DeserializeOwned + Serialize>(object: &Value) -> Result<(), String> {
    let typed: T = serde_json::from_value(object.clone()).map_err(|error| error.to_string())?;
    let back = serde_json::to_value(&typed).map_err(|error| error.to_string())?;
    lost("", object, &back)
        .map_or(Ok(()), |path| Err(format!("{path} is no field of this kind, or has another type")))
}

/// The first path of `from` that `to` does not have with the same value.
fn lost(path: &str, from: &Value, to: &Value) -> Option<String> {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => from.iter().find_map(|(key, value)| match to.get(key) {
            Some(kept) => lost(&format!("{path}.{key}"), value, kept),
            None => Some(format!("{path}.{key}")),
        }),
        (Value::Array(from), Value::Array(to)) if from.len() == to.len() => {
            from.iter().zip(to).enumerate().find_map(|(at, (a, b))| lost(&format!("{path}[{at}]"), a, b))
        }
        _ => (from != to).then(|| path.to_owned()),
    }
}

// Kinds that others define: the fields that are used here.

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Custom<S> {
    api_version: String,
    kind: String,
    metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
    spec: S,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Issuer {
    #[serde(skip_serializing_if = "Option::is_none")]
    self_signed: Option<Empty>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ca: Option<Authority>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Empty {}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Authority {
    secret_name: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Certificate {
    #[serde(rename = "isCA", default, skip_serializing_if = "std::ops::Not::not")]
    is_ca: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    common_name: String,
    secret_name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dns_names: Vec<String>,
    duration: String,
    renew_before: String,
    private_key: PrivateKey,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    usages: Vec<String>,
    issuer_ref: Reference,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PrivateKey {
    algorithm: String,
    size: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    rotation_policy: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    name: String,
    kind: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PodMonitor {
    selector: k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector,
    pod_target_labels: Vec<String>,
    pod_metrics_endpoints: Vec<Endpoint>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Endpoint {
    port: String,
    path: String,
    interval: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PrometheusRule {
    groups: Vec<Group>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    interval: String,
    rules: Vec<Rule>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    alert: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    record: String,
    expr: String,
    #[serde(default, rename = "for", skip_serializing_if = "String::is_empty")]
    lasts: String,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    labels: serde_json::Map<String, Value>,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    annotations: serde_json::Map<String, Value>,
}

#[test]
fn a_field_that_the_type_does_not_have_is_found() {
    let good = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 1}\n";
    check("good", &documents("good", good)[0]);
    for bad in ["spec: {replica: 1}", "spec: {template: {spec: {containers: [{name: a, imag: b}]}}}"] {
        let text = format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\n{bad}\n");
        let object = documents("bad", &text).remove(0);
        assert!(std::panic::catch_unwind(|| check("bad", &object)).is_err(), "{bad} was taken");
    }
}
