//! What a claim counts from the figures that the sources have: totals, differences, products, times of day. Each with a wrong one.

mod common;

use assay_domain::report::ClaimStatus;
use common::{judge, left_alone};

#[track_caller]
fn wrong(text: &str, claim: &str) {
    let judged = judge(text, claim);
    let number = judged.reason.contains("number: ");
    assert!(
        number && judged.status != ClaimStatus::Supported,
        "{claim}: {:?} {}",
        judged.status,
        judged.reason
    );
}

const PRICES: &str = "Adults pay 12 euros and children 5 euros.";

#[test]
fn a_total_includes_nothing_that_no_source_has() {
    wrong(PRICES, "Adults pay 17 euros including the tour.");
    wrong(PRICES, "An adult pays 17 euros in total.");
    left_alone(PRICES, "An adult and a child together pay 17 euros.");
    wrong(PRICES, "An adult and a child together pay 19 euros.");
}

#[test]
fn each_part_of_a_total_is_named_or_none_is() {
    let rent = "Rent is 900 euros and the deposit 1,800 euros.";
    left_alone(rent, "Rent and deposit come to 2,700 euros.");
    wrong(rent, "Rent is 2,700 euros in total.");
    let pay = "Pay 30 euros now and 50 euros later.";
    left_alone(pay, "In total you pay 80 euros.");
    wrong(pay, "In total you pay 90 euros.");
    let trip = "The trip costs 300 euros. The insurance costs 40 euros.";
    left_alone(trip, "The trip costs 340 euros including insurance.");
    left_alone(trip, "With insurance the trip costs 340 euros.");
    wrong(trip, "The trip costs 350 euros including insurance.");
    wrong(trip, "The trip costs 340 euros.");
}

#[test]
fn the_two_sides_of_a_difference_are_those_that_the_claim_names() {
    let times = "The bus takes 50 minutes, the train 35 minutes and the ferry 20 minutes.";
    left_alone(times, "The train is 15 minutes faster than the bus.");
    wrong(times, "The train is 30 minutes faster than the bus.");
    let prices = "A ticket costs 4 euros. A pass costs 20 euros. A map costs 3 euros.";
    left_alone(prices, "A pass costs 16 euros more than a ticket.");
    wrong(prices, "A pass costs 17 euros more than a ticket.");
    let jars = "The big jar weighs 900 g. The small jar weighs 400 g. The lid weighs 50 g.";
    left_alone(jars, "The big jar weighs 500 g more than the small jar.");
    wrong(jars, "The big jar weighs 450 g more than the small jar.");
    let teams = "Team A has 14 players and team B 11.";
    left_alone(teams, "Team A has three more players than team B.");
    wrong(teams, "Team A has five more players than team B.");
    // People are no euros.
    wrong("A pass costs 20 euros, and 5 people may use it.", "A pass is 15 euros cheaper.");
}

#[test]
fn some_of_a_thing_come_to_as_many_times_what_one_has() {
    left_alone(PRICES, "Two adults pay 24 euros.");
    wrong(PRICES, "Two adults pay 26 euros.");
    left_alone("One tablet has 400 mg.", "Three tablets have 1,200 mg.");
    wrong("One tablet has 400 mg.", "Three tablets have 1,400 mg.");
    wrong("Ten rides cost 32 euros.", "Two rides cost 64 euros.");
    wrong("A group ticket for adults costs 20 euros.", "Two adults pay 40 euros.");
    left_alone("A course has 12 lessons of 45 minutes each.", "A course has 9 hours of lessons.");
    left_alone("Half of the 60 places are for members.", "30 places are for members.");
}

#[test]
fn a_time_of_day_follows_from_another_and_how_long_it_takes() {
    let lesson = "The lesson starts at 9:00 and ends at 10:30.";
    wrong(lesson, "The lesson lasts two hours.");
    let film = "The film starts at 20:15 and lasts 110 minutes.";
    left_alone(film, "The film ends at 22:05.");
    let judged = judge(lesson, "The lesson lasts 90 minutes.");
    assert!(!judged.reason.contains("number: "), "{}", judged.reason);
}

#[test]
fn what_no_word_of_the_claim_says_it_counted_is_not_counted() {
    left_alone("The 3 pumps use 900 watts.", "Each pump uses 300 watts.");
    left_alone(
        "The early bus takes 40 minutes, the later bus 55 minutes.",
        "The early bus is 15 minutes faster.",
    );
    left_alone("Students get 20 % off the fee of 50 euros.", "Students pay 40 euros.");
    left_alone(
        "Un abono de quince baños cuesta 45 euros.",
        "Un abono de quince baños sale a 3 euros el baño.",
    );
    for (text, claim) in [
        ("Take 1–2 tablets every 4–6 hours.", "Take 1 to 2 tablets every 6 to 8 hours."),
        ("Take 1–2 tablets every 4–6 hours.", "Take 2 to 3 tablets every 4 to 6 hours."),
        ("Take 1–2 tablets every 4–6 hours.", "Take 1 to 2 tablets every 6 to 12 hours."),
        (
            "Take two tablets every 6 hours. Two doses are given 28 days apart.",
            "Take the tablets every 3 hours.",
        ),
        (
            "Take two tablets every 6 hours. Two doses are given 28 days apart.",
            "Two doses are given 14 days apart.",
        ),
        ("The 3 pumps use 900 watts. The box has 12 pens and costs 36 euros.", "The pumps use 300 watts."),
        ("The 3 pumps use 900 watts. The box has 12 pens and costs 36 euros.", "The box costs 3 euros."),
        ("The early bus takes 40 minutes, the later bus 55 minutes.", "The later bus takes 15 minutes."),
        (
            "The team was led by 5 doctors and helped by 12 nurses. The work is finished by 18:00 and checked by 20:00.",
            "The team was led by 7 doctors.",
        ),
        (
            "The team was led by 5 doctors and helped by 12 nurses. The work is finished by 18:00 and checked by 20:00.",
            "The work is finished by 2:00.",
        ),
        (
            "Total cost of the licence is 30 euros. Total cost of the licence is 30 euros per seat.",
            "Total cost of the licence is 60 euros.",
        ),
        (
            "The interval is half-open from 0 to 1,000. The half board costs 60 euros.",
            "The interval is half-open from 0 to 500.",
        ),
        (
            "The interval is half-open from 0 to 1,000. The half board costs 60 euros.",
            "The half board costs 30 euros.",
        ),
        ("Each ticket costs 12 euros and the museum has 3 floors.", "Each ticket costs 36 euros."),
        (
            "The set costs 100 euros, of which 21 % is tax. Students get 20 % off the fee of 50 euros.",
            "The set costs 79 euros.",
        ),
        (
            "The set costs 100 euros, of which 21 % is tax. Students get 20 % off the fee of 50 euros.",
            "Students pay 10 euros.",
        ),
    ] {
        let judged = judge(text, claim);
        assert_ne!(judged.status, ClaimStatus::Supported, "{claim} {text}");
    }
}

#[test]
fn a_price_is_that_of_the_thing_that_the_claim_counts() {
    let locker = "Adults pay 5 euros and a locker 3 euros.";
    wrong(locker, "Two adults pay 6 euros.");
    left_alone(locker, "Two adults pay 10 euros.");
    let families = "Adults pay 5 euros and children 3 euros.";
    wrong(families, "Two adults pay 6 euros.");
    wrong(families, "Two children pay 10 euros.");
    left_alone(families, "Two children pay 6 euros.");
    let entry = "An adult pays 5 euros for entry and 3 euros for a locker.";
    wrong(entry, "Two adults pay 6 euros for entry.");
    wrong(entry, "Two adults pay 10 euros for lockers.");
    left_alone(entry, "Two adults pay 10 euros for entry.");
    left_alone(entry, "Two adults pay 6 euros for lockers.");
    let tablet = "One tablet has 400 mg of iron and 30 mg of zinc.";
    wrong(tablet, "Three tablets have 90 mg of iron.");
    wrong(tablet, "Three tablets have 1,200 mg of zinc.");
    left_alone(tablet, "Three tablets have 90 mg of zinc.");
    left_alone("Un adulto paga 12 euros y un niño 5 euros.", "Dos niños pagan 10 euros.");
    wrong("Un adulto paga 12 euros y un niño 5 euros.", "Dos niños pagan 24 euros.");
}

#[test]
fn a_share_is_taken_off_the_amount_that_it_stands_with() {
    let fee = "Students get 20 % off the fee of 50 euros and pay a deposit of 80 euros.";
    wrong(fee, "Students pay a fee of 64 euros.");
    left_alone(fee, "Students pay a fee of 40 euros.");
    let course = "The course costs 200 euros and the book 40 euros, with 10 % off the book.";
    wrong(course, "The course costs 180 euros.");
    left_alone(
        "The course costs 200 euros, and members get 10 % off.",
        "Members pay 180 euros for the course.",
    );
}

#[test]
fn two_currencies_have_no_sum() {
    let both = "The ticket costs $5 and the guide costs €7.";
    wrong(both, "The ticket and the guide cost 12 dollars together.");
    wrong(both, "The ticket and the guide cost 12 euros in total.");
    wrong("The ticket costs $5. The guide costs €7.", "The ticket and the guide cost 12 dollars together.");
    wrong(
        "The ticket costs 5 dollars and the guide costs 7 euros.",
        "The guide is 2 euros more expensive than the ticket.",
    );
    for one in [
        "The ticket costs $5 and the guide costs $7.",
        "The ticket costs 5 dollars and the guide costs $7.",
        "The ticket costs 5 and the guide costs $7.",
    ] {
        left_alone(one, "The ticket and the guide cost 12 dollars together.");
        left_alone(one, "The ticket and the guide cost $12 in total.");
    }
    left_alone(
        "The ticket costs $5.50 and the locker 50 cents.",
        "The ticket and the locker cost $6 together.",
    );
}

#[test]
fn many_sums_in_two_currencies_are_counted_in_bounded_time() {
    for prices in ["$5 €5 ", "$5 and €5, ", "$5. €5. "] {
        let text = prices.repeat(3000);
        let claim = prices.repeat(300);
        judge(&format!("The ticket costs {text}"), &format!("The ticket costs 12 dollars in total: {claim}"));
        judge(&text, "Together the tickets cost 12 dollars.");
    }
}
