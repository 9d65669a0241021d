//! Until when and from when on something is.

mod common;

use common::{contradicted as caught, left_alone};

#[test]
fn what_is_until_a_time_is_not_after_it() {
    caught("The kitchen serves hot food until 22:00.", "The kitchen serves hot food after 22:00.", "order: ");
    caught(
        "Applications are accepted until 31 March.",
        "Applications are accepted after 31 March.",
        "order: ",
    );
    let branch = "Until Friday you can change the branch; afterwards it cannot be changed.";
    caught(branch, "The branch can be changed after Friday.", "order: ");
    left_alone(branch, "The branch cannot be changed after Friday.");
    caught(
        "Orders can be changed until 6 pm, and cannot be changed after that.",
        "Orders can be changed after 6 pm.",
        "order: ",
    );
    let list = "La inscripción está abierta hasta el 12 de mayo.";
    caught(list, "La inscripción está abierta después del 12 de mayo.", "order: ");
    left_alone(list, "Después del 12 de mayo no está abierta la inscripción.");
}

#[test]
fn what_follows_from_a_limit_is_no_contradiction() {
    left_alone("The kitchen serves hot food until 22:00.", "The kitchen serves no hot food after 22:00.");
    left_alone("The bakery is closed until noon.", "The bakery opens at noon.");
    left_alone("The bakery is closed until noon.", "The bakery is open after noon.");
    let valve = "Do not open the valve until the light is green.";
    left_alone(valve, "Do not open the valve before the light is green.");
    left_alone(valve, "Open the valve only after the light is green.");
    caught(valve, "Open the valve before the light is green.", "");
}

#[test]
fn what_names_a_limit_ends_before_another_noun() {
    caught("Since March the library lends games.", "Until March the library lends games.", "order: ");
    caught(
        "The guarantee runs until the end of 2027.",
        "The guarantee runs from the end of 2027.",
        "order: ",
    );
    let lift = "The lift works until 23:00 and from 6:00.";
    caught(lift, "The lift works after 23:00.", "order: ");
    left_alone(lift, "From 6:00 the lift works again.");
    left_alone("Knead the dough until it is smooth.", "Stop kneading once the dough is smooth.");
}

#[test]
fn places_and_limits_within_limits_are_none() {
    left_alone("Unplug the gauge from the sender.", "The gauge is unplugged from the sender.");
    let door = "The door does not open until 2 minutes after the end.";
    caught(door, "The door opens 2 minutes before the end.", "");
}

#[test]
fn what_is_no_limit_in_time_excuses_no_denial() {
    for (text, claim) in [
        ("Cada mando admite hasta 6 sensores.", "Cada mando no admite 6 sensores."),
        ("El ascensor lleva hasta seis personas.", "El ascensor no lleva seis personas."),
        ("La beca llega hasta los 900 euros.", "La beca no llega a los 900 euros."),
        (
            "El billete es válido hasta la estación central.",
            "El billete no es válido en la estación central.",
        ),
        ("The ticket is valid until Leeds.", "The ticket is not valid in Leeds."),
        ("Hasta el director puede pedir un permiso.", "El director no puede pedir un permiso."),
    ] {
        caught(text, claim, "");
    }
}

#[test]
fn what_comes_before_something_says_nothing_of_after_it() {
    for (text, claim) in [
        ("The bridge was painted after the war.", "The bridge was not painted before the war."),
        ("Tickets can be bought before the show.", "Tickets cannot be bought after the show."),
        ("Wash your hands before eating.", "Do not wash your hands after eating."),
    ] {
        caught(text, claim, "");
    }
}
