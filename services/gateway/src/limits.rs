//! Three limits: failed attempts per client, requests per principal, questions under way per principal.
//!
//! All of them use memory that a stranger cannot make grow: attempts live in a table of fixed size, the others hold only
//! principals that proved who they are and are forgotten when they rest.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use assay_domain::{Code, Failure, Identity};
use assay_rpc::{clock, entropy};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use assay_rpc::connections::client_prefix;

/// Settings of the limits. They hold where authentication is on; 0 switches one off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateOptions {
    /// Requests a minute that a principal may make in the long run.
    pub requests_per_minute: u32,
    /// Requests that it may make at once.
    pub burst: u32,
    /// Questions that it may have under way at the same time.
    pub concurrent_asks: u32,
    /// Failed attempts a minute that a client address may make in the long run.
    pub failures_per_minute: u32,
    /// Failed attempts that it may make at once.
    pub failure_burst: u32,
}

impl Default for RateOptions {
    fn default() -> Self {
        Self {
            requests_per_minute: 600,
            burst: 60,
            concurrent_asks: 16,
            failures_per_minute: 60,
            failure_burst: 20,
        }
    }
}

impl RateOptions {
    /// Refuses a rate without a burst.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let pairs = [
            (self.requests_per_minute, self.burst, "rates.burst"),
            (self.failures_per_minute, self.failure_burst, "rates.failure_burst"),
        ];
        match pairs.into_iter().find(|(rate, burst, _)| *rate > 0 && *burst == 0) {
            Some((_, _, field)) => {
                let text = format!("{field} is 0, so that nothing would be let in; it must be at least 1");
                Err(Failure::new(Code::Configuration, text).field(field))
            }
            None => Ok(()),
        }
    }
}

/// Time between two of `per_minute`.
fn interval(per_minute: u32) -> Duration {
    Duration::from_secs(60) / per_minute.max(1)
}

/// Places of the table of attempts. Two clients share one with a chance of 1 in this many.
const PLACES: usize = 16_384;

/// Counts failed attempts of clients: the generic cell rate algorithm over a table of fixed size.
pub(crate) struct Attempts {
    /// When each place will have paid off its failures, in microseconds since `origin`.
    places: Box<[AtomicU64]>,
    origin: Instant,
    /// Chosen at start, so that nobody can aim at another's place.
    seed: [u8; 16],
    interval: u64,
    /// Debt at which a client is refused, in microseconds.
    tolerance: u64,
}

// === impl Attempts ===

impl Attempts {
    /// None if the limit is off.
    pub(crate) fn new(options: &RateOptions) -> Option<Self> {
        let interval = micros(interval(options.failures_per_minute)).max(1);
        (options.failures_per_minute > 0).then(|| Self {
            places: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
            origin: clock::now(),
            seed: entropy::bytes16(),
            interval,
            tolerance: interval.saturating_mul(u64::from(options.failure_burst.max(1)) - 1),
        })
    }

    fn place(&self, client: IpAddr) -> Option<&AtomicU64> {
        let mut hasher = DefaultHasher::new();
        (self.seed, client_prefix(client)).hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % PLACES as u64).ok()?;
        self.places.get(index)
    }

    fn at(&self, now: Instant) -> u64 {
        micros(now.saturating_duration_since(self.origin))
    }

    /// How long a client that failed too often must wait; none if it may try.
    pub(crate) fn wait(&self, client: IpAddr, now: Instant) -> Option<Duration> {
        let debt = self.place(client)?.load(Ordering::Relaxed).saturating_sub(self.at(now));
        (debt > self.tolerance).then(|| Duration::from_micros(debt - self.tolerance))
    }

    /// Counts a failure.
    pub(crate) fn failed(&self, client: IpAddr, now: Instant) {
        let at = self.at(now);
        if let Some(place) = self.place(client) {
            let pay = |until: u64| Some(until.max(at).saturating_add(self.interval));
            // The closure never declines.
            let _ = place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay);
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// How a principal stands with its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Requests a minute that are allowed.
    pub(crate) per_minute: u32,
    /// Requests that may be made at once now.
    pub(crate) remaining: u32,
    /// Seconds until the whole burst is there again, or for a refused request until the next one; rounded up.
    pub(crate) seconds: u64,
}

/// Requests after which principals at rest are forgotten.
const SWEEP: u64 = 4096;

/// The clock of this process.
#[derive(Debug, Clone, Copy)]
struct OurClock;

impl governor::clock::Clock for OurClock {
    type Instant = Instant;

    fn now(&self) -> Instant {
        clock::now()
    }
}

type Limiter = RateLimiter<String, DefaultKeyedStateStore<String>, OurClock, StateInformationMiddleware>;

/// Requests of principals.
pub(crate) struct Rates {
    limiter: Limiter,
    per_minute: u32,
    burst: u32,
    spent: AtomicU64,
}

/// A principal among all tenants. Neither part has control characters.
fn name(identity: &Identity) -> String {
    format!("{}\0{}", identity.tenant, identity.principal)
}

// === impl Rates ===

impl Rates {
    /// None if the limit is off.
    pub(crate) fn new(options: &RateOptions) -> Option<Self> {
        let burst = NonZeroU32::new(options.burst)?;
        NonZeroU32::new(options.requests_per_minute)?;
        let quota = Quota::with_period(interval(options.requests_per_minute))?.allow_burst(burst);
        Some(Self {
            limiter: RateLimiter::new(quota, DefaultKeyedStateStore::default(), OurClock),
            per_minute: options.requests_per_minute,
            burst: options.burst,
            spent: AtomicU64::new(0),
        })
    }

    /// Takes one request of a principal.
    ///
    /// # Errors
    /// How it stands, if it has none left.
    pub(crate) fn spend(&self, identity: &Identity) -> Result<Standing, Standing> {
        if self.spent.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        let standing = |remaining, wait: Duration| Standing {
            per_minute: self.per_minute,
            remaining,
            seconds: wait.as_secs() + u64::from(wait.subsec_nanos() > 0),
        };
        match self.limiter.check_key(&name(identity)) {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let missing = self.burst.saturating_sub(remaining);
                Ok(standing(remaining, interval(self.per_minute) * missing))
            }
            Err(until) => Err(standing(0, until.wait_time_from(clock::now()))),
        }
    }

    /// Principals that are remembered.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.limiter.len()
    }
}

/// Questions under way per principal.
#[derive(Debug, Default)]
pub(crate) struct AskPermits {
    most: usize,
    running: Arc<Mutex<HashMap<String, usize>>>,
}

/// A question under way; ends when dropped.
#[derive(Debug)]
pub(crate) struct AskPermit {
    name: String,
    running: Arc<Mutex<HashMap<String, usize>>>,
}

// === impl AskPermits ===

impl AskPermits {
    /// At most `most` at a time; 0 for no limit.
    pub(crate) fn new(most: u32) -> Self {
        Self { most: usize::try_from(most).unwrap_or(usize::MAX), running: Arc::default() }
    }

    /// Begins a question; none where there is no limit.
    ///
    /// # Errors
    /// `resource_exhausted` naming `concurrent_asks`.
    pub(crate) fn begin(&self, identity: &Identity) -> Result<Option<AskPermit>, Failure> {
        if self.most == 0 {
            return Ok(None);
        }
        let name = name(identity);
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let count = running.entry(name.clone()).or_default();
        if *count >= self.most {
            let text = format!(
                "the caller has {} questions under way, as many as the setting rates.concurrent_asks allows; wait for one to end",
                self.most
            );
            return Err(Failure::new(Code::ResourceExhausted, text).field("concurrent_asks"));
        }
        *count += 1;
        Ok(Some(AskPermit { name, running: Arc::clone(&self.running) }))
    }
}

impl Drop for AskPermit {
    fn drop(&mut self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = running.get_mut(&self.name) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn rates(requests_per_minute: u32, burst: u32) -> RateOptions {
        RateOptions { requests_per_minute, burst, ..RateOptions::default() }
    }

    fn who(principal: &str) -> Identity {
        Identity { principal: principal.into(), ..Identity::local() }
    }

    #[test]
    fn failing_client_waits_and_pays_off_its_failures() {
        let options = RateOptions { failures_per_minute: 60, failure_burst: 3, ..RateOptions::default() };
        let attempts = Attempts::new(&options).unwrap();
        let client: IpAddr = "192.0.2.1".parse().unwrap();
        let start = clock::now();
        for _ in 0..3 {
            assert_eq!(attempts.wait(client, start), None);
            attempts.failed(client, start);
        }
        let wait = attempts.wait(client, start).unwrap();
        assert!(wait > Duration::ZERO && wait <= Duration::from_secs(1), "{wait:?}");
        let later = start + Duration::from_millis(1001);
        assert_eq!(attempts.wait(client, later), None, "one failure is paid off a second");
        attempts.failed(client, later);
        assert!(attempts.wait(client, later).is_some());
        assert_eq!(attempts.wait(client, start + Duration::from_secs(60)), None);
        assert!(Attempts::new(&RateOptions { failures_per_minute: 0, ..options }).is_none());
    }

    #[test]
    fn a_thousand_clients_do_not_stand_for_one_another() {
        let attempts = Attempts::new(&RateOptions { failure_burst: 2, ..RateOptions::default() }).unwrap();
        let now = clock::now();
        let bad: IpAddr = "198.51.100.7".parse().unwrap();
        for _ in 0..5 {
            attempts.failed(bad, now);
        }
        let others = (0..1000_u32).map(|n| IpAddr::V4((0x0a00_0000 + n).into()));
        let refused = others.filter(|other| attempts.wait(*other, now).is_some()).count();
        assert!(refused <= 3, "{refused} of 1000 share the place of the one");
    }

    #[test]
    fn principal_has_its_burst_then_waits_for_its_rate() {
        let rates = Rates::new(&rates(60, 3)).unwrap();
        let ada = who("ada");
        let remaining: Vec<u32> = (0..3).map(|_| rates.spend(&ada).unwrap().remaining).collect();
        assert_eq!(remaining, [2, 1, 0]);
        let refused = rates.spend(&ada).unwrap_err();
        assert_eq!((refused.per_minute, refused.remaining, refused.seconds), (60, 0, 1));
        assert!(rates.spend(&who("eve")).is_ok(), "another principal has its own");
        let elsewhere = Identity { tenant: "south".into(), ..who("ada") };
        assert!(rates.spend(&elsewhere).is_ok(), "the same name in another tenant is another principal");
    }

    #[test]
    fn principals_at_rest_are_forgotten() {
        let rates = Rates::new(&rates(u32::MAX, 1)).unwrap();
        for number in 0..SWEEP * 2 {
            let _ = rates.spend(&who(&number.to_string()));
        }
        assert!(rates.len() < usize::try_from(SWEEP).unwrap() + 2, "{}", rates.len());
    }

    #[test]
    fn zero_means_no_limit_and_a_rate_needs_a_burst() {
        assert!(Rates::new(&rates(0, 5)).is_none());
        assert!(rates(0, 0).check().is_ok());
        assert_eq!(rates(5, 0).check().unwrap_err().field, "rates.burst");
        let options = RateOptions { failure_burst: 0, ..RateOptions::default() };
        assert_eq!(options.check().unwrap_err().field, "rates.failure_burst");
        assert!(AskPermits::new(0).begin(&who("ada")).unwrap().is_none());
    }

    #[test]
    fn a_principal_gets_its_permits_back() {
        let permits = AskPermits::new(2);
        let first = permits.begin(&who("ada")).unwrap();
        let second = permits.begin(&who("ada")).unwrap();
        let failure = permits.begin(&who("ada")).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::ResourceExhausted, "concurrent_asks"));
        assert!(permits.begin(&who("eve")).unwrap().is_some());
        drop(first);
        assert!(permits.begin(&who("ada")).is_ok());
        drop(second);
        assert!(permits.running.lock().unwrap().is_empty(), "who rests is forgotten");
    }
}
