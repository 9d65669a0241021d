//! The parts of the manifests that the specifications decide; `ASSAY_WRITE=1` writes them.

use std::fmt::Write as _;
use std::path::Path;

use assay_rpc::ServiceSpec;

use crate::{admin, callers, door, root, specs};

const HEADER: &str = "# Written by `make fix-manifests` from the services' specifications.\n";

fn is_gateway(spec: &ServiceSpec) -> bool {
    spec.name == assay_gateway::SPEC.name
}

/// One Service each: headless, so that callers see every pod and balance over them; the front door has an address.
fn services() -> String {
    let mut text = String::from(HEADER);
    let mut separator = "";
    for spec in specs() {
        let name = spec.name;
        write!(
            text,
            "{separator}apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec:\n{}  selector: \
             {{app.kubernetes.io/name: {name}}}\n  ports:\n",
            if is_gateway(spec) { "" } else { "  clusterIP: None\n" }
        )
        .unwrap();
        if is_gateway(spec) {
            let (http, grpc) = (spec.port, door());
            writeln!(text, "    - {{name: http, port: {http}, targetPort: http, appProtocol: http}}")
                .unwrap();
            let protocol = "appProtocol: kubernetes.io/h2c";
            writeln!(text, "    - {{name: grpc, port: {grpc}, targetPort: grpc, {protocol}}}").unwrap();
        } else {
            writeln!(text, "    - {{name: grpc, port: {}, targetPort: grpc}}", spec.port).unwrap();
        }
        separator = "---\n";
    }
    text
}

const COMMON_POLICIES: &str = "\
# Nothing may talk to anything unless a policy below says so.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: default-deny}
spec:
  podSelector: {}
  policyTypes: [Ingress, Egress]
---
# Everyone may look up names.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: names}
spec:
  podSelector: {}
  policyTypes: [Egress]
  egress:
    - to:
        - namespaceSelector:
            matchLabels: {kubernetes.io/metadata.name: kube-system}
          podSelector:
            matchLabels: {k8s-app: kube-dns}
      ports:
        - {protocol: UDP, port: 53}
        - {protocol: TCP, port: 53}
";

/// Default deny, names, and for each service whom it may be called by and whom it may call.
fn network() -> String {
    let mut text = format!("{HEADER}{COMMON_POLICIES}");
    for spec in specs() {
        let name = spec.name;
        write!(
            text,
            "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: {name}}}\nspec:\n  \
             podSelector:\n    matchLabels: {{app.kubernetes.io/name: {name}}}\n  policyTypes: [Ingress, \
             Egress]\n  ingress:\n"
        )
        .unwrap();
        if is_gateway(spec) {
            text.push_str("    # The front door: it authenticates everyone.\n    - ports:\n");
            for port in [spec.port, door()] {
                writeln!(text, "        - {{protocol: TCP, port: {port}}}").unwrap();
            }
        } else {
            text.push_str("    - from:\n");
            for caller in callers(spec) {
                peer(&mut text, caller);
            }
            writeln!(text, "      ports:\n        - {{protocol: TCP, port: {}}}", spec.port).unwrap();
        }
        write!(
            text,
            "    # Scrapers.\n    - from:\n        - namespaceSelector:\n            matchLabels: \
             {{kubernetes.io/metadata.name: monitoring}}\n      ports:\n        - {{protocol: TCP, port: {}}}\n",
            admin(spec)
        )
        .unwrap();
        if spec.calls.is_empty() {
            continue;
        }
        text.push_str("  egress:\n");
        for callee in spec.calls {
            text.push_str("    - to:\n");
            peer(&mut text, callee);
            let port = crate::spec(callee).port;
            writeln!(text, "      ports:\n        - {{protocol: TCP, port: {port}}}").unwrap();
        }
    }
    text
}

fn peer(text: &mut String, name: &str) {
    writeln!(text, "        - podSelector:\n            matchLabels: {{app.kubernetes.io/name: {name}}}")
        .unwrap();
}

/// Ports and probes of a service's container.
fn probes(spec: &ServiceSpec) -> String {
    let (port, admin) = (spec.port, admin(spec));
    let mut text = String::from("          ports:\n");
    if is_gateway(spec) {
        writeln!(text, "            - {{name: http, containerPort: {port}}}").unwrap();
        writeln!(text, "            - {{name: grpc, containerPort: {}}}", door()).unwrap();
    } else {
        writeln!(text, "            - {{name: grpc, containerPort: {port}}}").unwrap();
    }
    write!(
        text,
        "            - {{name: admin, containerPort: {admin}}}
          startupProbe:
            grpc: {{port: {admin}}}
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 150
          readinessProbe:
            grpc: {{port: {admin}, service: ready}}
            periodSeconds: 3
            timeoutSeconds: 3
          livenessProbe:
            grpc: {{port: {admin}}}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
"
    )
    .unwrap();
    text
}

/// Where a service listens and where those are that it calls.
fn addresses(spec: &ServiceSpec) -> String {
    let mut text = format!("listen = \"0.0.0.0:{}\"\nadmin = \"0.0.0.0:{}\"\n", spec.port, admin(spec));
    if !spec.calls.is_empty() {
        text.push_str("\n[peers]\n");
    }
    for callee in spec.calls {
        writeln!(text, "{callee} = \"http://{callee}:{}\"", crate::spec(callee).port).unwrap();
    }
    text
}

/// The file with the text between the marks replaced.
fn between(path: &Path, what: &str, indent: &str, fresh: &str) -> String {
    let old = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let begin = format!("{indent}# {what}: written by `make fix-manifests`\n");
    let end = format!("{indent}# end of {what}\n");
    let at =
        old.find(&begin).unwrap_or_else(|| panic!("{}: no line {begin:?}", path.display())) + begin.len();
    let until = old.find(&end).unwrap_or_else(|| panic!("{}: no line {end:?}", path.display()));
    format!("{}{fresh}{}", &old[..at], &old[until..])
}

#[test]
fn what_the_specifications_decide_is_in_the_manifests() {
    let base = root().join("k8s/base");
    let mut files = vec![(base.join("services.yaml"), services()), (base.join("network.yaml"), network())];
    for spec in specs() {
        let workload = base.join(format!("{}.yaml", spec.name));
        let fresh = between(&workload, "ports and probes", "          ", &probes(spec));
        files.push((workload, fresh));
        let config = base.join(format!("config/{}.toml", spec.name));
        let fresh = between(&config, "addresses", "", &addresses(spec));
        files.push((config, fresh));
    }
    let writing = std::env::vars_os().any(|(key, _)| key == "ASSAY_WRITE");
    for (path, fresh) in files {
        if writing {
            std::fs::write(&path, fresh).unwrap();
            continue;
        }
        let old = std::fs::read_to_string(&path).unwrap();
        assert!(
            old == fresh,
            "{} is not what the specifications say; run `make fix-manifests`",
            path.display()
        );
    }
}
