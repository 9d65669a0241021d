//! Every pod: no rights, bounded resources, probes that ask the admin port, and time enough to leave.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Container, GRPCAction, PodSpec, Probe};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::objects::{Workload, kind, name, workloads};
use crate::rendered::sets;
use crate::{admin, specs};

/// Every container of every workload of every set.
fn each(check: impl Fn(&str, &Workload, &PodSpec, &Container)) {
    for set in sets() {
        for workload in workloads(&set.objects) {
            let pod = workload.template.spec.clone().unwrap();
            let place = format!("{}: {} {}", set.name, workload.kind, workload.name);
            for container in pod.containers.iter().chain(pod.init_containers.iter().flatten()) {
                check(&place, &workload, &pod, container);
            }
        }
    }
}

#[test]
fn no_pod_has_rights() {
    each(|place, workload, pod, container| {
        let whole = pod.security_context.as_ref().expect(place);
        assert_eq!(whole.run_as_non_root, Some(true), "{place}");
        assert!(whole.run_as_user.is_some_and(|user| user >= 1000), "{place}");
        assert_eq!(whole.seccomp_profile.as_ref().unwrap().type_, "RuntimeDefault", "{place}");
        assert_eq!(pod.automount_service_account_token, Some(false), "{place}");
        assert_eq!(pod.service_account_name.as_deref(), Some(workload.name.as_str()), "{place}");
        assert_eq!(pod.enable_service_links, Some(false), "{place}");
        assert!(pod.host_network.is_none() && pod.host_pid.is_none() && pod.host_ipc.is_none(), "{place}");

        let own = container.security_context.as_ref().expect(place);
        assert_eq!(own.allow_privilege_escalation, Some(false), "{place}");
        assert_eq!(own.read_only_root_filesystem, Some(true), "{place}");
        assert_eq!(own.capabilities.as_ref().unwrap().drop, Some(vec!["ALL".to_owned()]), "{place}");
        assert!(own.privileged.is_none() && own.capabilities.as_ref().unwrap().add.is_none(), "{place}");
        assert!(container.volume_mounts.iter().flatten().all(|m| m.mount_path != "/"), "{place}");
    });
}

#[test]
fn every_service_account_exists_and_carries_no_token() {
    for set in sets() {
        let accounts: Vec<_> = set.objects.iter().filter(|o| kind(o) == "ServiceAccount").collect();
        for workload in workloads(&set.objects) {
            let account = accounts.iter().find(|a| name(a) == workload.name);
            let account = account.unwrap_or_else(|| panic!("{}: no account {}", set.name, workload.name));
            assert_eq!(account["automountServiceAccountToken"], false, "{}: {}", set.name, workload.name);
        }
    }
}

#[test]
fn every_container_asks_for_what_it_needs_and_is_bounded() {
    each(|place, _, _, container| {
        let resources = container.resources.as_ref().unwrap_or_else(|| panic!("{place}: no resources"));
        let requests = resources.requests.clone().unwrap_or_default();
        let limits = resources.limits.clone().unwrap_or_default();
        assert!(requests.contains_key("cpu") && requests.contains_key("memory"), "{place}: {requests:?}");
        let (least, most) = (&requests["memory"], limits.get("memory"));
        let most = most.unwrap_or_else(|| panic!("{place}: memory has no limit"));
        assert!(bytes(least) <= bytes(most), "{place}: asks for {least:?} of at most {most:?}");
    });
}

#[test]
fn the_local_overlay_fits_two_cores() {
    for set in sets().iter().filter(|set| set.name == "overlays/local") {
        let (mut cpu, mut memory) = (0, 0);
        for workload in workloads(&set.objects) {
            for container in workload.template.spec.unwrap().containers {
                let requests = container.resources.unwrap().requests.unwrap();
                cpu += millicores(&requests["cpu"]);
                memory += bytes(&requests["memory"]);
            }
        }
        assert!(cpu <= 1000, "{cpu} millicores are asked for");
        assert!(memory <= 2 << 30, "{memory} bytes are asked for");
    }
}

fn millicores(quantity: &Quantity) -> u64 {
    quantity
        .0
        .strip_suffix('m')
        .map_or_else(|| 1000 * quantity.0.parse::<u64>().unwrap(), |m| m.parse().unwrap())
}

fn bytes(quantity: &Quantity) -> u64 {
    let units = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40)];
    let found = units.iter().find_map(|(unit, shift)| Some((quantity.0.strip_suffix(unit)?, shift)));
    let (number, shift) = found.unwrap_or_else(|| panic!("{quantity:?} has no binary unit"));
    number.parse::<u64>().unwrap() << shift
}

#[test]
fn probes_ask_the_admin_port() {
    let asks = |probe: &Option<Probe>| -> GRPCAction { probe.as_ref().unwrap().grpc.clone().unwrap() };
    each(|place, workload, _, container| {
        let Some(spec) = specs().into_iter().find(|spec| spec.name == workload.name) else { return };
        if container.name != "assay" {
            return;
        }
        let port = i32::from(admin(spec));
        let alive = GRPCAction { port, service: None };
        let ready = GRPCAction { port, service: Some("ready".to_owned()) };
        assert_eq!(asks(&container.startup_probe), alive, "{place}");
        assert_eq!(asks(&container.liveness_probe), alive, "{place}");
        assert_eq!(asks(&container.readiness_probe), ready, "{place}");
    });
}

#[test]
fn mounts_and_volumes_match() {
    for set in sets() {
        for workload in workloads(&set.objects) {
            let pod = workload.template.spec.unwrap();
            let mut volumes: BTreeSet<String> = workload.claims.into_iter().collect();
            volumes.extend(pod.volumes.iter().flatten().map(|volume| volume.name.clone()));
            let containers = pod.containers.iter().chain(pod.init_containers.iter().flatten());
            let mounts: BTreeSet<String> =
                containers.flat_map(|c| c.volume_mounts.iter().flatten()).map(|m| m.name.clone()).collect();
            assert_eq!(mounts, volumes, "{}: {}", set.name, workload.name);
        }
    }
}

#[test]
fn pods_of_a_scaled_service_spread_over_zones_and_nodes() {
    for set in sets() {
        for workload in workloads(&set.objects) {
            if !["gateway", "generation", "validation", "parser"].contains(&workload.name.as_str()) {
                continue;
            }
            let spread = workload.template.spec.unwrap().topology_spread_constraints.unwrap_or_default();
            let keys: Vec<&str> = spread.iter().map(|s| s.topology_key.as_str()).collect();
            assert_eq!(keys, ["topology.kubernetes.io/zone", "kubernetes.io/hostname"], "{}", set.name);
            let strict = if ["overlays/production", "overlays/elasticsearch"].contains(&&*set.name) {
                "DoNotSchedule"
            } else {
                "ScheduleAnyway"
            };
            assert_eq!(spread[1].when_unsatisfiable, strict, "{}: {}", set.name, workload.name);
        }
    }
}
