//! Figures that no source holds and that follow from those of the sources: cases of a bound, sums, shares, times of day; each
//! beside one that does not follow. And words that take something out of what is said.
#![allow(clippy::unwrap_used)]

mod common;

use assay_domain::report::ClaimStatus;
use common::{judge, left_alone};

#[track_caller]
fn caught(text: &str, claim: &str) {
    let judged = judge(text, claim);
    let bad = matches!(judged.status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    assert!(bad, "{claim}: {:?} {}", judged.status, judged.reason);
}

#[track_caller]
fn no_figure_accused(text: &str, claim: &str) {
    let judged = judge(text, claim);
    assert!(!judged.reason.starts_with("number"), "{claim}: {:?} {}", judged.status, judged.reason);
}

const SHED: &str = "Paint cans must be kept below 28 °C. Trailers of more than 750 kg need a licence of their own. \
Hedges over 3 metres are cut by the town, all others by the owner. Ponies from 4 to 9 years carry children. \
Crates must not exceed 40 kg. Logs are deleted when they are older than 30 days.";

#[test]
fn a_case_of_a_bound_follows_from_it() {
    no_figure_accused(SHED, "Paint cans can be kept at 21 °C.");
    caught(SHED, "Paint cans can be kept at 33 °C.");
    no_figure_accused(SHED, "A trailer of 500 kg needs no licence of its own.");
    caught(SHED, "A trailer of 500 kg needs a licence of its own.");
    no_figure_accused(SHED, "A crate of 35 kg is fine.");
    caught(SHED, "A crate of 55 kg is fine.");
    no_figure_accused(SHED, "A log that is 40 days old is deleted.");
    caught(SHED, "A log that is 20 days old is deleted.");
}

#[test]
fn a_figure_that_sets_a_limit_is_no_case_of_another() {
    caught(SHED, "Crates must not exceed 35 kg.");
    caught(SHED, "Logs are deleted after 20 days.");
}

const STALL: &str = "A single ride costs 4 euros and a book of ten rides 32 euros. The show lasts 50 minutes, followed by another 20 \
minutes of questions. The gate opens at 17:45 and closes at 22:00. The kiln is heated to 900 °C. It is then cooled to 640 °C. \
Roughly 62 % of the seats are on the left. Each bag holds 250 g of seed, and a box has six bags.";

#[test]
fn what_was_counted_is_no_addition() {
    no_figure_accused(STALL, "With the book each ride costs 3.20 euros.");
    caught(STALL, "With the book each ride costs 3.60 euros.");
    no_figure_accused(STALL, "Together the show and the questions take 70 minutes.");
    caught(STALL, "Together the show and the questions take 85 minutes.");
    no_figure_accused(STALL, "The temperature of the kiln falls by 260 degrees.");
    no_figure_accused(STALL, "More than 60 % of the seats are on the left.");
    caught(STALL, "More than 70 % of the seats are on the left.");
}

#[test]
fn a_time_of_day_in_words_is_the_one_in_digits() {
    left_alone(STALL, "The gate opens at a quarter to six.");
    left_alone(STALL, "The gate closes at ten in the evening.");
    caught(STALL, "The gate closes at 23:00.");
}

const RULES: &str = "The reading room is closed on Mondays. Workers never exceed 24 threads. Photos are forbidden except in the \
yard. The offer ends on Friday if it is not extended. Do not open the lid until the drum has stopped. \
Entries cannot be changed after they have been printed.";

#[test]
fn what_is_taken_out_of_all_says_the_same_as_the_rest() {
    left_alone(RULES, "The reading room is open every day but Monday.");
    caught(RULES, "The reading room is open on Mondays.");
    left_alone(RULES, "There are 24 threads at most.");
    left_alone(RULES, "You may take photos only in the yard.");
    left_alone(RULES, "The offer ends on Friday unless it is extended.");
    left_alone(RULES, "The lid may only be opened once the drum has stopped.");
    caught(RULES, "Open the lid before the drum has stopped.");
    left_alone(RULES, "Entries can be changed only before they have been printed.");
}

#[test]
fn what_is_denied_for_a_case_is_not_allowed_in_it() {
    caught(RULES, "Entries can be changed after they have been printed.");
    left_alone("You do not have to bring a towel.", "Bringing a towel is optional.");
    let fee = "You cannot board without a ticket.";
    caught(fee, "You can board without a ticket.");
    caught("You can board without a ticket.", fee);
    left_alone(fee, "Nobody may board without a ticket.");
    left_alone(fee, "Without a ticket you cannot board.");
    left_alone("The pump runs without oil and does not need water.", "The pump runs without oil.");
}

#[test]
fn unless_is_if_not_and_what_follows_is_the_same() {
    let alarm = "The alarm sounds if the door is not closed.";
    caught(alarm, "The alarm does not sound unless the door is closed.");
    left_alone(alarm, "The alarm sounds unless the door is closed.");
    let refund = "You get no refund unless you call first.";
    caught(refund, "You get a refund if you do not call first.");
    left_alone(refund, "You get a refund if you call first.");
    left_alone(refund, "You get no refund if you do not call first.");
    let fee = "The fee is refunded unless you cancel late.";
    caught(fee, "The fee is refunded if you cancel late.");
    left_alone(fee, "The fee is not refunded if you cancel late.");
}

#[test]
fn an_exception_is_no_part_of_the_rest() {
    let museum = "The museum is open every day except Monday.";
    caught(museum, "The museum is open on Monday.");
    left_alone(museum, "It is closed on Mondays.");
    left_alone(museum, "On Monday the museum is not open.");
    let rooms = "All rooms except the attic have heating.";
    caught(rooms, "The attic has heating.");
    left_alone(rooms, "All rooms have heating; the attic does not.");
    left_alone(rooms, "The attic has no heating.");
    left_alone(rooms, "All rooms but the attic have heating.");
    let bread = "Todos los productos menos el pan llevan IVA reducido.";
    caught(bread, "El pan lleva IVA reducido.");
    left_alone(bread, "El pan no lleva IVA reducido.");
    let reset = "All settings are kept except the password, which must be entered again.";
    caught(reset, "The password is kept.");
    left_alone(reset, "The password must be entered again.");
    left_alone("Apart from swimming, guests can also play tennis.", "Guests can swim and play tennis.");
}
