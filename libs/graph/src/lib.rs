//! The answer graph: one pure, total state machine that decides what happens next in a request.
//!
//! [`step`] takes the plan of a request, its state and one event, and returns the next state and the effects to
//! perform. It does no I/O, reads no clock and holds no text: a driver performs effects, keeps texts and evidence,
//! and reports back. Unary and streaming requests take the same road.
//!
//! ```text
//! Received → Routing ─ RETRIEVAL ───────► Searching → (Judging) ─ enough, or budget spent ─► Drafting → Checking → Settled
//!               │                            └ not enough, First ─► Reformulating → Searching ─┘ (one draft, as Retry)
//!               ├ CODE_GENERATION ──────► Gathering (search and examples) ─► Drafting → Checking → Settled
//!               └ CONVERSATIONAL, PLATFORM ────────────────────────────────► Drafting → Checking → Settled
//! Checking asks for a retry and the budget and the time are there ─► Drafting, defects quoted → Checking → Settled
//! ```
//!
//! A draft is checked while it is written: [`Effect::Draft`] and [`Effect::Check`] start both, [`Effect::FinishCheck`]
//! waits for the report. The graph also decides which checked segments are sent.
//!
//! Invariants, each a property test: every (state, event) pair has an answer and none panics · a run ends within
//! [`MAX_STEPS`] useful events · at most two drafts and two searches · exactly one settlement · a conversational or
//! platform request never searches · no draft of a model is settled before its check is over.
//!
//! | module | holds |
//! |---|---|
//! | [`state`] | plan, state, event, effect, settlement |
//! | [`step`](mod@step) | the transition function: every state and every event |
//! | `next` | the decisions: what follows an event |
//! | [`assess`] | what a report means to the graph, and which of two attempts is worse |

pub mod assess;
mod next;
pub mod state;
pub mod step;

pub use assess::Assessment;
pub use next::RETRY_MARGIN_MS;
pub use state::{Effect, Event, EventKind, Nth, Plan, Round, Settlement, Skipped, State, Written};
pub use step::{MAX_STEPS, step};
