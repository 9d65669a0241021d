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
    let item = "Refunds are given only if the item is unopened.";
    caught(item, "Refunds are given unless the item is unopened.");
    left_alone(item, "Refunds are given if the item is unopened.");
    let entry = "Entry is free unless there is a concert.";
    caught(entry, "Entry is free only if there is a concert.");
    left_alone(entry, "Entry is free only if there is no concert.");
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

#[test]
fn a_plain_figure_in_the_place_of_a_bound_is_no_case() {
    caught("At least 5 members must be present.", "8 members must be present.");
    caught("More than 200 trees were planted.", "900 trees were planted.");
    caught("At least 40 exhibitors are expected.", "90 exhibitors are expected.");
    caught("At most 30 pupils are in a class.", "25 pupils are in a class.");
    caught("Up to 6 boats are moored at the pier.", "Three boats are moored at the pier.");
    caught("The rope must hold a load of at least 300 kg.", "The rope must hold a load of 500 kg.");
    caught("Bring a rope of at least 20 m.", "Bring a rope of 45 m.");
    let deposit = "The deposit is refunded with at least 14 days of notice.";
    caught(deposit, "The deposit is refunded with 20 days of notice.");
    caught(
        "The tank is filled with at least 40 litres of water.",
        "The tank is filled with 90 litres of water.",
    );
    caught("Cook it with less than 2 litres of water.", "Cook it with 1 litre of water.");
    caught("The bus has a ramp that holds at least 300 kg.", "The bus has a ramp that holds 400 kg.");
    caught("The king is at least 40 years old.", "The king is 44 years old.");
}

#[test]
fn another_figure_of_the_sentence_is_not_the_one_that_is_bounded() {
    let toll = "The toll is 6 euros; the fine is 50 euros.";
    caught(toll, "The toll is more than 40 euros.");
    caught(toll, "The fine is less than 8 euros.");
    no_figure_accused(toll, "The fine is more than 40 euros.");
    caught("The toll is 6 euros. The fine is 50 euros.", "The toll is more than 40 euros.");
    caught("The bus has 50 seats and 8 bikes.", "The bus has less than 10 seats.");
    caught("Rent is 900 euros and the deposit 1,800 euros.", "Rent is over 1,500 euros.");
}

#[test]
fn a_denial_of_another_statement_turns_no_bound() {
    let loads = "Loads over 500 kg are not permitted, and no person may ride.";
    caught(loads, "A load of 600 kg is permitted.");
    caught(loads, "A load of 400 kg is not permitted.");
    no_figure_accused(loads, "A load of 400 kg is permitted.");
    let parted = "Loads over 500 kg are not permitted; no person may ride.";
    caught(parted, "A load of 600 kg is permitted.");
    let turned = "No person may ride, and loads over 500 kg are not permitted.";
    caught(turned, "A load of 600 kg is permitted.");
    let sauna = "Guests over 18 may use the sauna, and nobody may use a phone there.";
    caught(sauna, "A guest of 16 may use the sauna.");
    caught(sauna, "A guest of 20 may not use the sauna.");
    no_figure_accused(sauna, "A guest of 20 may use the sauna.");
    let oven = "Do not use the oven below 5 °C or without the tray.";
    caught(oven, "At 3 °C the oven may be used.");
    caught(oven, "At 10 °C the oven may not be used.");
    let cabin = "Batteries under 100 Wh are allowed in the cabin but not in the hold.";
    caught(cabin, "A battery of 120 Wh is allowed in the cabin.");
    caught(cabin, "A battery of 80 Wh is not allowed in the cabin.");
    caught(cabin, "A battery of 80 Wh is allowed in the hold.");
    no_figure_accused(cabin, "A battery of 80 Wh is allowed in the cabin.");
    caught("Not more than 5 guests may stay, and no guest may smoke.", "With 8 guests you may stay.");
}

#[test]
fn each_bound_has_a_price_of_its_own() {
    let two = "Parcels up to 2 kg cost 4 euros, others 7 euros.";
    caught(two, "A parcel of 1 kg costs 7 euros.");
    no_figure_accused(two, "A parcel of 1 kg costs 4 euros.");
    no_figure_accused(two, "A parcel of 4 kg costs 7 euros.");
    let three = "Parcels up to 2 kg cost 4 euros, up to 5 kg 7 euros, up to 10 kg 11 euros.";
    caught(three, "A parcel of 1 kg costs 7 euros.");
    let apart = "Parcels up to 2 kg cost 4 euros. Parcels up to 5 kg cost 7 euros.";
    caught(apart, "A parcel of 1 kg costs 7 euros.");
    let ages = "Children up to 5 years pay nothing, those from 6 to 14 years pay 3 euros.";
    caught(ages, "A child of 10 years pays nothing.");
    caught(ages, "A child of 4 years pays 3 euros.");
    no_figure_accused(ages, "A child of 10 years pays 3 euros.");
    let half = "Cancel up to 24 hours before and you get all back; later you get half.";
    caught(half, "If you cancel 30 hours before you get half back.");
    let pair = "Divers must be at least 12 and at most 60 years old.";
    no_figure_accused(pair, "A diver who is 30 years old may take part.");
}
