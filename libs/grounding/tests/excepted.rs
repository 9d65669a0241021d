//! Exceptions: what is taken out of the rest, what is forgotten of it, and what nobody took out.
#![allow(clippy::unwrap_used)]

mod common;

use common::{caught, left_alone};

#[test]
fn what_is_said_of_all_forgets_the_exception() {
    caught("The museum is open every day except Monday.", "The museum is open every day.", "exception: ");
    caught("All trains except the night train carry bicycles.", "All trains carry bicycles.", "exception: ");
    caught("The fee covers everything except breakfast.", "The fee covers everything.", "");
    let rooms = "Todas las salas salvo la biblioteca cierran a las ocho.";
    caught(rooms, "Todas las salas cierran a las ocho.", "exception: ");
    left_alone(rooms, "Todas las salas menos la biblioteca cierran a las ocho.");
    left_alone(rooms, "La biblioteca no cierra a las ocho.");
}

#[test]
fn an_exception_may_stand_behind_what_it_takes_out_or_before_the_rest() {
    let pool = "The pool is open every day, Mondays excepted, from 9 to 20.";
    caught(pool, "The pool is open on Mondays.", "exception: ");
    caught(pool, "The pool is open every day.", "exception: ");
    left_alone(pool, "The pool is not open on Mondays.");
    left_alone(pool, "The pool is closed on Mondays.");
    let sundays = "Salvo los domingos, la piscina abre a las nueve.";
    caught(sundays, "Los domingos la piscina abre a las nueve.", "exception: ");
    left_alone(sundays, "Los domingos la piscina no abre a las nueve.");
}

#[test]
fn an_exception_that_no_source_has_is_an_addition() {
    let rooms = "All rooms have heating.";
    caught(rooms, "All rooms except the attic have heating.", "exception: ");
    caught(rooms, "All rooms but the attic have heating.", "exception: ");
    left_alone(rooms, "Every room has heating.");
    caught(
        "Todos los socios pueden votar.",
        "Todos los socios menos los menores pueden votar.",
        "exception: ",
    );
    caught("Visitors may feed the goats.", "Visitors may feed the goats except at weekends.", "exception: ");
    let goats = "Visitors may feed the goats. At weekends nobody may feed them.";
    left_alone(goats, "Visitors may feed the goats except at weekends.");
}

#[test]
fn more_than_what_is_taken_out_is_no_excuse() {
    let shop = "The shop is open every day except Monday.";
    left_alone(shop, "The shop is closed on Mondays.");
    caught(shop, "The shop is closed on Monday and Tuesday.", "");
    let owner = "Only the account owner can delete a workspace.";
    left_alone(owner, "No one but the account owner is able to delete a workspace.");
    caught(owner, "Everyone can delete a workspace.", "");
    let nurse = "Nobody except the nurse may open the cabinet.";
    left_alone(nurse, "The nurse may open the cabinet.");
    caught(nurse, "The nurse may not open the cabinet.", "");
}

#[test]
fn words_that_are_the_same_but_for_a_denial_contradict() {
    caught("No se puede entrar sin entrada.", "Se puede entrar sin entrada.", "negation: ");
    caught("No se permite acampar sin permiso.", "Se permite acampar sin permiso.", "negation: ");
    left_alone("No se puede entrar sin entrada.", "Sin entrada no se puede entrar.");
    left_alone("You cannot drive without a licence.", "You need a licence to drive.");
    caught("You cannot drive without a licence.", "You need no licence to drive.", "");
    left_alone("No se aceptan tarjetas sin firma.", "Las tarjetas deben llevar firma.");
    left_alone("Dogs are not allowed.", "No, dogs are not allowed.");
}

#[test]
fn the_other_days_are_those_that_are_not_taken_out() {
    let closed = "The museum is closed on Monday.";
    left_alone(closed, "The museum is open Tuesday to Sunday.");
    left_alone(closed, "The museum is open every day but Monday.");
    caught(closed, "The museum is open on Monday.", "");
    caught(closed, "The museum is open Monday to Sunday.", "");
    let open = "The museum is open every day except Monday.";
    left_alone(open, "The museum is open from Tuesday to Sunday.");
    caught(open, "The museum is closed on Tuesdays.", "");
    let shop = "La tienda abre de lunes a viernes.";
    left_alone(shop, "La tienda cierra los sábados y los domingos.");
    left_alone(shop, "La tienda abre los martes.");
    caught(shop, "La tienda cierra los martes.", "");
}

#[test]
fn days_of_one_statement_excuse_nothing_of_another() {
    let bar = "The restaurant opens daily; the bar opens on Fridays.";
    caught(bar, "The bar opens on Mondays.", "");
    let office = "The form must be sent from Monday to Wednesday; the office is closed on Thursdays.";
    caught(office, "The office is closed on Mondays.", "");
    let trams = "Trams run daily until midnight, night buses on Fridays and Saturdays.";
    caught(trams, "Night buses run on Mondays.", "");
    let doctor = "The nurse visits on Mondays, Tuesdays and Fridays; the doctor never comes on Mondays.";
    caught(doctor, "The doctor comes on Wednesdays.", "");
    left_alone(doctor, "The nurse visits on Tuesdays.");
}

#[test]
fn a_shorter_span_is_another_schedule() {
    let open = "The museum is open from Tuesday to Sunday.";
    caught(open, "The museum is open from Tuesday to Friday.", "");
    left_alone(open, "The museum is open on Fridays.");
    left_alone(open, "The museum is closed on Mondays.");
    caught("Los cursos se dan de lunes a viernes.", "Los cursos se dan de lunes a jueves.", "");
    caught("Los cursos se dan de lunes a viernes.", "Los cursos se dan de martes a jueves.", "");
}

#[test]
fn an_exception_for_a_case_takes_out_no_more_than_that_case() {
    let winter = "The museum is open every day except on Mondays in winter.";
    caught(winter, "The museum is closed on Mondays.", "");
    caught(winter, "The museum is not open on Mondays.", "");
    caught(winter, "The museum is open every day except on Mondays.", "exception: ");
    left_alone(winter, "The museum is closed on Mondays in winter.");
    left_alone(winter, "In winter the museum is not open on Mondays.");
    let salvo = "El museo abre todos los días salvo los lunes en invierno.";
    caught(salvo, "El museo cierra los lunes.", "");
    caught(salvo, "El museo abre todos los días salvo los lunes.", "exception: ");
    left_alone(salvo, "El museo cierra los lunes en invierno.");
    let children = "The garden is open to everyone except children on Sundays.";
    caught(children, "The garden is open to everyone except children.", "exception: ");
    let october = "The museum is open every day except Mondays from October.";
    caught(october, "The museum is open every day except on Mondays.", "exception: ");
    left_alone(october, "From October the museum is open every day except on Mondays.");
    let shop = "The shop is open every day except Mondays and holidays.";
    caught(shop, "The shop is open every day except Mondays.", "exception: ");
    left_alone(shop, "The shop is closed on holidays.");
    left_alone(shop, "The shop is closed on Mondays.");
    let cleaned = "The museum is open every day except Monday, when staff clean it.";
    left_alone(cleaned, "The museum is open every day except Monday.");
    let members = "The pool is open every day except Monday for members.";
    caught(members, "The pool is closed on Mondays.", "");
}

#[test]
fn what_one_thing_is_excepted_from_says_nothing_of_another() {
    let cinema = "The cinema is open every day except Monday. The theatre shows plays.";
    caught(cinema, "The theatre is closed on Mondays.", "exception: ");
    caught(cinema, "The theatre is not open on Mondays.", "exception: ");
    caught(cinema, "The theatre is open from Tuesday to Sunday.", "");
    left_alone(cinema, "The cinema is closed on Mondays.");
    caught("The cinema is open on Mondays, the theatre on Fridays.", "The theatre is open on Mondays.", "");
    caught(
        "The cinema is open on Mondays. The theatre is open on Fridays.",
        "The theatre is open on Mondays.",
        "",
    );
    let storms = "Ferries run daily except in storms. Buses run in any weather.";
    caught(storms, "Buses do not run in storms.", "");
    left_alone(storms, "Ferries do not run in storms.");
    // The building may be the library that was spoken of.
    let library = "The library lends games. The building is open every day except Monday.";
    left_alone(library, "The library is closed on Mondays.");
    let kitchen = "Every room except the kitchen has a window. The kitchen has a fan.";
    left_alone(kitchen, "The kitchen has no window.");
}
