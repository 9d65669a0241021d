//! Which address a call goes to, and which may be tried, at moments that the tests name.
#![allow(clippy::unwrap_used, clippy::panic)]
use super::*;
use std::collections::BTreeMap;

const S: Duration = Duration::from_secs(1);

fn address(port: u16) -> Address {
    Address::Socket(SocketAddr::from(([127, 0, 0, 1], port)))
}

#[allow(clippy::disallowed_methods, reason = "any moment will do; the tests count from it")]
fn start() -> Instant {
    Instant::now()
}

fn connect(set: &mut Set<u16>, now: Instant) {
    for address in set.connect_due(now) {
        let Address::Socket(socket) = address else { continue };
        let id = set.next_id();
        assert!(set.connected(address, id, socket.port()));
    }
}

fn go(set: &mut Set<u16>, avoid: Option<Address>) -> Chosen<u16> {
    match set.pick(avoid) {
        Pick::Go(chosen) => chosen,
        other => panic!("{other:?}"),
    }
}

#[test]
fn calls_spread_over_all_addresses() {
    let mut set = Set::new(&[address(1), address(2), address(3)]);
    connect(&mut set, start());
    let mut counts = BTreeMap::new();
    for _ in 0..3000 {
        *counts.entry(go(&mut set, None).connection).or_insert(0) += 1;
    }
    assert!(counts.len() == 3 && counts.values().all(|count| (800..1200).contains(count)), "{counts:?}");
}

#[test]
fn a_loaded_address_gets_fewer_calls() {
    let mut set = Set::new(&[address(1), address(2)]);
    connect(&mut set, start());
    let held: Vec<_> = (0..100).map(|_| go(&mut set, Some(address(2)))).collect();
    assert!((0..50).all(|_| go(&mut set, None).connection == 2));
    drop(held);
    assert!((0..50).any(|_| go(&mut set, None).connection == 1));
}

#[test]
fn an_address_is_avoided_only_if_there_is_another() {
    let mut set = Set::new(&[address(1), address(2)]);
    connect(&mut set, start());
    assert!((0..50).all(|_| go(&mut set, Some(address(1))).connection == 2));
    set.replace(&[address(1)]);
    assert_eq!(go(&mut set, Some(address(1))).connection, 1);
}

#[test]
fn a_refused_address_waits_and_the_others_are_used() {
    let now = start();
    let mut set: Set<u16> = Set::new(&[address(1), address(2)]);
    assert_eq!(set.connect_due(now).len(), 2);
    let id = set.next_id();
    assert!(set.connected(address(2), id, 2));
    let failed = set.failed(address(1), "refused", now, |_| S).unwrap();
    assert_eq!(failed, Failed { failures: 1, begins: false });
    assert_eq!(go(&mut set, None).connection, 2);
    assert!(set.connect_due(now).is_empty());
    assert_eq!(set.connect_due(now + S), [address(1)]);
}

#[test]
fn patience_runs_from_first_failure_to_next_answer() {
    let now = start();
    let mut set: Set<u16> = Set::new(&[address(1)]);
    assert!(!set.out_of_patience(now, Duration::ZERO));
    for second in 0..12 {
        let at = now + S * second;
        assert_eq!(set.connect_due(at), [address(1)]);
        let failed = set.failed(address(1), "refused", at, |_| S).unwrap();
        assert_eq!(failed.begins, second == 0, "an outage is told once");
        assert_eq!(set.out_of_patience(at, 10 * S), second >= 10, "{second}");
    }
    connect(&mut set, now + 12 * S);
    let chosen = go(&mut set, None);
    assert!(set.out_of_patience(now + 12 * S, 10 * S), "a connection alone proves nothing");
    assert_eq!(set.proven(chosen.address, chosen.id, now + 12 * S), Some(12 * S));
    assert!(!set.out_of_patience(now + 99 * S, 10 * S));
    assert_eq!(set.proven(chosen.address, chosen.id, now + 13 * S), None);
}

#[test]
fn a_connection_that_breaks_unproven_counts_as_a_failure() {
    let now = start();
    let mut set: Set<u16> = Set::new(&[address(1)]);
    connect(&mut set, now);
    let chosen = go(&mut set, None);
    let failed = set.lost(chosen.address, chosen.id, "alert", now, |_| S).unwrap();
    assert_eq!(failed, Failed { failures: 1, begins: true });
    assert!(matches!(set.pick(None), Pick::Waiting));
    connect(&mut set, now + S);
    let chosen = go(&mut set, None);
    set.proven(chosen.address, chosen.id, now + S);
    let failed = set.lost(chosen.address, chosen.id, "reset", now + S, |_| S).unwrap();
    assert_eq!(failed, Failed { failures: 0, begins: false });
    assert_eq!(set.connect_due(now + S), [address(1)], "a proven one may be made anew at once");
}

#[test]
fn an_old_connection_cannot_take_down_a_new_one() {
    let now = start();
    let mut set: Set<u16> = Set::new(&[address(1)]);
    connect(&mut set, now);
    let old = go(&mut set, None);
    set.proven(old.address, old.id, now);
    set.lost(old.address, old.id, "reset", now, |_| S);
    connect(&mut set, now);
    assert_eq!(set.lost(old.address, old.id, "reset", now, |_| S), None);
    assert!(matches!(set.pick(None), Pick::Go(_)));
}

#[test]
fn a_failed_look_up_forgets_nobody() {
    let now = start();
    let mut set: Set<u16> = Set::new(&[address(1)]);
    connect(&mut set, now);
    assert!(!set.lookup_failed("no such name", now));
    assert!(matches!(set.pick(None), Pick::Go(_)));
    let mut empty: Set<u16> = Set::new(&[]);
    assert!(empty.lookup_failed("no such name", now));
    assert!(matches!(empty.pick(None), Pick::Waiting));
    assert_eq!(empty.trouble(), "no such name");
}
