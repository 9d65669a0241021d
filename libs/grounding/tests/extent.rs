//! How much, how often and how bindingly: each rule in other words than the source's, from both sides.

mod common;

use assay_domain::report::ClaimStatus;
use common::{judge, left_alone};

const LIBRARY: &str = "Library rules. Only members with a valid card may borrow books. Everyone can read in the hall. \
Food is never allowed in the reading room. A member can have at most six books at a time. \
Reservations are kept for three days at most. Lost cards must be reported within two days. \
Returning books at the counter is recommended; the box outside may be used as well. \
Children need the signature of a parent and proof of address. \
All rooms except the archive are open on Saturdays. The annex is open only on Mondays.";

const DEVICE: &str = "Updates must be signed by the maker. Rolling back is possible only to the version installed before. \
Debug mode should not be used in production. Model B requires the watchdog; on model A it is optional. \
Logs are kept even if the device is reset. At least 64 MB of free memory are needed. \
The device sometimes restarts after an update. The console can be reached from localhost only.";

const GYM: &str = "El gimnasio abre todos los días excepto los festivos. Solo los socios pueden usar la piscina. \
Las taquillas se pueden usar como máximo cuatro horas. Es obligatorio llevar toalla en la sala de máquinas. \
Los menores nunca pueden entrar solos en la sauna. Para apuntarse hay que presentar el DNI y un certificado médico. \
Las clases se imparten aunque haya un solo alumno. La pista se alquila solo en verano.";

#[track_caller]
fn caught(text: &str, claim: &str) {
    let judged = judge(text, claim);
    // What never happens is denied as well.
    let rule = judged.reason.starts_with("quantifier") || judged.reason.starts_with("negation");
    let named = judged.status == ClaimStatus::Contradicted && rule;
    assert!(named, "{claim}: {:?} {}", judged.status, judged.reason);
}

#[test]
fn what_is_kept_for_some_is_not_for_all() {
    caught(LIBRARY, "Books can be borrowed by everybody.");
    left_alone(LIBRARY, "Members with a valid card can borrow books.");
    left_alone(LIBRARY, "Anyone can read in the hall, but only members may borrow books.");
    caught(LIBRARY, "Only members can read in the hall.");
    left_alone(LIBRARY, "Everybody may read in the hall.");
    caught(DEVICE, "You can roll back to any version.");
    left_alone(DEVICE, "You can only go back to the version installed before.");
    caught(DEVICE, "From localhost the console can be reached, and also from the office.");
    left_alone(DEVICE, "The console is only reachable from localhost.");
    caught(GYM, "Cualquiera puede usar la piscina.");
    left_alone(GYM, "La piscina es únicamente para los socios.");
    caught(GYM, "La pista se alquila también en invierno.");
}

#[test]
fn an_exception_stays_one() {
    caught(LIBRARY, "On Saturdays all rooms are open without exception.");
    left_alone(LIBRARY, "On Saturdays every room but the archive is open.");
    caught(LIBRARY, "The annex is open every day except Mondays.");
    left_alone(LIBRARY, "Mondays are the only days on which the annex is open.");
    caught(GYM, "El gimnasio abre todos los días, sin excepción.");
}

#[test]
fn a_case_that_changes_nothing_does_not_decide() {
    caught(DEVICE, "The logs are kept unless you reset the device.");
    left_alone(DEVICE, "Even when the device is reset the logs are kept.");
    caught(GYM, "Las clases se imparten salvo cuando hay un solo alumno.");
    left_alone(GYM, "Incluso con un solo alumno se imparten las clases.");
}

#[test]
fn what_is_recommended_is_not_required_and_the_other_way_round() {
    caught(LIBRARY, "You have to return books at the counter.");
    left_alone(LIBRARY, "You should return books at the counter, but you may use the box outside.");
    caught(LIBRARY, "Reporting a lost card is optional.");
    left_alone(LIBRARY, "You need to report a lost card within two days.");
    caught(DEVICE, "Updates should be signed by the maker.");
    left_alone(DEVICE, "Every update has to be signed by the maker.");
    caught(DEVICE, "Debug mode is recommended in production.");
    left_alone(DEVICE, "It is not recommended to use debug mode in production.");
    caught(GYM, "Se recomienda llevar toalla en la sala de máquinas.");
    left_alone(GYM, "Hay que llevar toalla en la sala de máquinas.");
}

#[test]
fn what_never_happens_does_not_happen_sometimes() {
    caught(LIBRARY, "Food is sometimes allowed in the reading room.");
    left_alone(LIBRARY, "You must never bring food into the reading room.");
    caught(DEVICE, "The device never restarts after an update.");
    left_alone(DEVICE, "After an update the device may restart.");
    caught(GYM, "Los menores a veces pueden entrar solos en la sauna.");
}

#[test]
fn a_limit_keeps_its_side_in_other_words() {
    caught(LIBRARY, "You can have six books or more at a time.");
    left_alone(LIBRARY, "No more than six books can be out at a time.");
    caught(DEVICE, "64 MB of free memory at the most are needed.");
    left_alone(DEVICE, "You need 64 MB of free memory or more.");
    caught(GYM, "Las taquillas se usan por lo menos cuatro horas.");
    left_alone(GYM, "Se puede usar una taquilla hasta cuatro horas.");
}

#[test]
fn what_needs_both_does_not_need_either() {
    caught(GYM, "Para apuntarse hay que presentar el DNI o un certificado médico.");
    left_alone(GYM, "Para apuntarse se necesitan el DNI y un certificado médico.");
    left_alone(LIBRARY, "Children need both a signature of a parent and proof of address.");
}

#[test]
fn what_is_bounded_is_not_of_any_size() {
    let text = "Images larger than 50 MB are processed in tiles. Files of any size can be sent.";
    caught(text, "Images of any size are processed in tiles.");
    left_alone(text, "Images of more than 50 MB are processed in tiles.");
    left_alone(text, "Any size of file can be sent.");
    let text = "The file sets the least length of a passphrase, 12 characters by default.";
    caught(text, "By default a passphrase needs twelve characters or fewer.");
    left_alone(text, "By default a passphrase needs twelve characters or more.");
}

#[test]
fn what_is_denied_of_more_is_a_bound() {
    for (text, bounded, turned) in [
        (
            "The exam is longer than 90 minutes.",
            "The exam takes more than 90 minutes.",
            "The exam is no longer than 90 minutes.",
        ),
        (
            "The exam is no longer than 90 minutes.",
            "The exam isn't longer than 90 minutes.",
            "The exam is longer than 90 minutes.",
        ),
        (
            "The exam takes no longer than 90 minutes.",
            "The exam takes at most 90 minutes.",
            "The exam takes longer than 90 minutes.",
        ),
        (
            "The exam takes no longer than 90 minutes.",
            "The exam takes 90 minutes or less.",
            "The exam takes more than 90 minutes.",
        ),
        (
            "The box holds no more than 5 books.",
            "The box holds up to 5 books.",
            "The box holds more than 5 books.",
        ),
        (
            "The box holds more than 5 books.",
            "The box holds over 5 books.",
            "The box holds no more than 5 books.",
        ),
        (
            "The box holds at most 5 books.",
            "The box holds not more than 5 books.",
            "The box holds more than 5 books.",
        ),
        (
            "The deposit is not less than 50 euros.",
            "The deposit is at least 50 euros.",
            "The deposit is less than 50 euros.",
        ),
        (
            "The crew has fewer than six members.",
            "The crew has less than six members.",
            "The crew has no fewer than six members.",
        ),
        (
            "The crew has at least six members.",
            "The crew has no fewer than six members.",
            "The crew has fewer than six members.",
        ),
        (
            "The suitcase is no heavier than 20 kg.",
            "The suitcase weighs at most 20 kg.",
            "The suitcase is heavier than 20 kg.",
        ),
        (
            "The file must not be larger than 5 MB.",
            "The file is no larger than 5 MB.",
            "The file may be larger than 5 MB.",
        ),
        (
            "The car must not be more than 10 years old.",
            "The car must be at most 10 years old.",
            "The car must be more than 10 years old.",
        ),
        (
            "La caja contiene no más de 5 libros.",
            "La caja contiene hasta 5 libros.",
            "La caja contiene más de 5 libros.",
        ),
        (
            "La caja contiene menos de 5 libros.",
            "La caja contiene menos de cinco libros.",
            "La caja contiene no menos de 5 libros.",
        ),
    ] {
        left_alone(text, bounded);
        caught(text, turned);
    }
    // What is no longer so is denied, whatever stands behind.
    caught("The shop is no longer open on Mondays.", "The shop is open on Mondays.");
    caught("The course is no longer than the old one.", "The course is longer than the old one.");
    caught("The rent is no longer higher than 500 euros.", "The rent is higher than 500 euros.");
    // Nor is what is compared with a thing or a year bounded, or what nobody may do.
    caught("The bus is not cheaper than a taxi.", "The bus is cheaper than a taxi.");
    caught("The file must not be larger than an A4 page.", "The file must be larger than an A4 page.");
    caught("Sales are not higher than in 2020.", "Sales are higher than in 2020.");
    caught("Nobody taller than 2 m may ride.", "People taller than 2 m may ride.");
    caught("Nothing larger than 5 MB is stored.", "Files larger than 5 MB are stored.");
    caught("Nadie menor de 18 años puede entrar.", "Los menores de 18 años pueden entrar.");
}
