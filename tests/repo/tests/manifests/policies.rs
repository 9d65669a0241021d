//! Who reaches whom through the network policies, worked out as a cluster would: exactly the calls of the specifications.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::networking::v1::{NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::objects::{of, workloads};
use crate::rendered::{Set, sets};
use crate::{admin, door, spec, specs};

type Labels = BTreeMap<String, String>;

/// One end of a connection: a pod's labels and the labels of its namespace; none means an address outside.
#[derive(Debug, Clone)]
struct End {
    name: String,
    labels: Option<(Labels, Labels)>,
}

fn matches(selector: &LabelSelector, labels: &Labels) -> bool {
    assert!(selector.match_expressions.is_none(), "expressions are not understood here");
    selector.match_labels.iter().flatten().all(|(key, value)| labels.get(key) == Some(value))
}

/// Whether a peer of a rule, in a policy of the namespace `assay`, means this end.
fn is(peer: &NetworkPolicyPeer, end: &End) -> bool {
    let Some((pod, namespace)) = &end.labels else { return peer.ip_block.is_some() };
    if peer.ip_block.is_some() {
        return false;
    }
    let ours = namespace.get("kubernetes.io/metadata.name").map(String::as_str) == Some("assay");
    let there = peer.namespace_selector.as_ref().map_or(ours, |selector| matches(selector, namespace));
    there && peer.pod_selector.as_ref().is_none_or(|selector| matches(selector, pod))
}

fn holds(ports: Option<&Vec<NetworkPolicyPort>>, port: u16) -> bool {
    let Some(ports) = ports.filter(|ports| !ports.is_empty()) else { return true };
    ports.iter().any(|p| {
        assert_eq!(p.end_port, None, "ranges are not understood here");
        p.port == Some(IntOrString::Int(i32::from(port)))
    })
}

/// Whether the policies of the namespace let one of its pods be reached, or reach out.
fn allowed(policies: &[NetworkPolicy], direction: &str, pod: &End, other: &End, port: u16) -> bool {
    let Some((labels, _)) = &pod.labels else { return true };
    let mut governed = false;
    for policy in policies {
        let policy = policy.spec.as_ref().unwrap();
        let types = policy.policy_types.clone().expect("every policy says its types");
        let selected = policy.pod_selector.as_ref().is_none_or(|selector| matches(selector, labels));
        if !types.iter().any(|t| t == direction) || !selected {
            continue;
        }
        governed = true;
        let lets = if direction == "Ingress" {
            policy.ingress.iter().flatten().any(|rule| {
                rule.from.as_ref().is_none_or(|from| from.iter().any(|peer| is(peer, other)))
                    && holds(rule.ports.as_ref(), port)
            })
        } else {
            policy.egress.iter().flatten().any(|rule| {
                rule.to.as_ref().is_none_or(|to| to.iter().any(|peer| is(peer, other)))
                    && holds(rule.ports.as_ref(), port)
            })
        };
        if lets {
            return true;
        }
    }
    !governed
}

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn ours() -> Labels {
    labels(&[("kubernetes.io/metadata.name", "assay")])
}

/// A pod in another namespace, which has no policies of its own.
fn stranger(namespace: &str) -> End {
    let namespace_labels = labels(&[("kubernetes.io/metadata.name", namespace)]);
    End { name: format!("a pod in {namespace}"), labels: Some((Labels::new(), namespace_labels)) }
}

fn outside() -> End {
    End { name: "an address outside".to_owned(), labels: None }
}

/// Every (from, to, port) that is open between the given ends.
fn open(set: &Set, from: &[End], to: &[End], ports: &[u16]) -> BTreeSet<(String, String, u16)> {
    let policies: Vec<NetworkPolicy> = of(&set.objects, "NetworkPolicy");
    let inside = |end: &End| end.labels.as_ref().is_some_and(|(_, namespace)| *namespace == ours());
    let mut edges = BTreeSet::new();
    for a in from {
        for b in to {
            for port in ports {
                let leaves = !inside(a) || allowed(&policies, "Egress", a, b, *port);
                let enters = !inside(b) || allowed(&policies, "Ingress", b, a, *port);
                if leaves && enters && a.name != b.name {
                    edges.insert((a.name.clone(), b.name.clone(), *port));
                }
            }
        }
    }
    edges
}

fn pods(set: &Set) -> Vec<End> {
    let mut all: Vec<End> = workloads(&set.objects)
        .into_iter()
        .map(|workload| {
            let labels = workload.template.metadata.unwrap().labels.unwrap_or_default();
            End { name: workload.name, labels: Some((labels, ours())) }
        })
        .collect();
    all.push(End { name: "a pod of no service".to_owned(), labels: Some((Labels::new(), ours())) });
    all
}

/// Every port that anything listens on, and a few that nothing should be open for.
fn ports() -> Vec<u16> {
    let mut ports: Vec<u16> = specs().iter().flat_map(|spec| [spec.port, admin(spec)]).collect();
    ports.extend([door(), 22, 53, 80, 443, 4317, 4318, 9200, 11434]);
    ports
}

fn edge(from: &str, to: &str, port: u16) -> (String, String, u16) {
    (from.to_owned(), to.to_owned(), port)
}

/// Panics with what is open and should not be, and what should be and is not.
fn same(set: &Set, found: &BTreeSet<(String, String, u16)>, expected: &BTreeSet<(String, String, u16)>) {
    let (too_much, missing): (Vec<_>, Vec<_>) =
        (found.difference(expected).collect(), expected.difference(found).collect());
    assert!(
        too_much.is_empty() && missing.is_empty(),
        "{}: open: {too_much:?}; closed: {missing:?}",
        set.name
    );
}

#[test]
fn inside_the_namespace_exactly_the_specified_calls_are_open() {
    for set in sets() {
        let ends = pods(set);
        let mut expected = BTreeSet::new();
        for spec in specs() {
            for callee in spec.calls {
                expected.insert(edge(spec.name, callee, crate::spec(callee).port));
            }
        }
        let has = |name: &str| ends.iter().any(|end| end.name == name);
        if has("ingest-guide") {
            expected.insert(edge("ingest-guide", "gateway", door()));
        }
        if has("model-server") {
            expected.insert(edge("generation", "model-server", 11434));
        }
        same(set, &open(set, &ends, &ends, &ports()), &expected);
    }
}

#[test]
fn other_namespaces_reach_only_front_door_and_metrics() {
    for set in sets() {
        let pods = pods(set);
        let front = [spec("gateway").port, door()];
        for from in [stranger("other"), outside()] {
            let expected: BTreeSet<_> = front.map(|port| edge(&from.name, "gateway", port)).into();
            same(set, &open(set, &[from], &pods, &ports()), &expected);
        }
        let from = stranger("monitoring");
        let mut expected: BTreeSet<_> = front.map(|port| edge(&from.name, "gateway", port)).into();
        expected.extend(specs().iter().map(|spec| edge(&from.name, spec.name, admin(spec))));
        same(set, &open(set, &[from], &pods, &ports()), &expected);
    }
}

#[test]
fn out_of_the_namespace_goes_only_what_a_component_opens() {
    for set in sets() {
        let pods = pods(set);
        let with = |component: &str| match set.name.as_str() {
            "tests/everything" => component != "elasticsearch",
            "overlays/production" => ["telemetry", "minilm"].contains(&component),
            "overlays/elasticsearch" => ["telemetry", "minilm", "elasticsearch"].contains(&component),
            name => name == format!("components/{component}"),
        };
        let mut expected = BTreeSet::new();
        for (component, pod) in
            [("hosted-models", "generation"), ("minilm", "retrieval"), ("model-server", "model-server")]
        {
            if with(component) {
                expected.insert(edge(pod, "an address outside", 443));
            }
        }
        same(set, &open(set, &pods, &[outside()], &ports()), &expected);

        let mut expected = BTreeSet::new();
        if with("telemetry") {
            for spec in specs() {
                expected.extend([4317, 4318].map(|port| edge(spec.name, "a pod in monitoring", port)));
            }
        }
        same(set, &open(set, &pods, &[stranger("monitoring")], &ports()), &expected);
        let mut expected = BTreeSet::new();
        if with("elasticsearch") {
            expected.extend(["retrieval", "router"].map(|pod| edge(pod, "a pod in elastic", 9200)));
        }
        same(set, &open(set, &pods, &[stranger("elastic")], &ports()), &expected);
        same(set, &open(set, &pods, &[stranger("other")], &ports()), &BTreeSet::new());

        let mut names = stranger("kube-system");
        names.labels.as_mut().unwrap().0.insert("k8s-app".to_owned(), "kube-dns".to_owned());
        let expected: BTreeSet<_> = pods.iter().map(|pod| edge(&pod.name, &names.name, 53)).collect();
        same(set, &open(set, &pods, &[names], &ports()), &expected);
    }
}
