//! Words of a source count as said only where the source says them itself: behind a denial or a condition they do not.

mod common;

use assay_domain::report::ClaimStatus;
use common::judge;

#[track_caller]
fn contradicted(text: &str, claim: &str) {
    let judged = judge(text, claim);
    let told = format!("{claim}: {:?} {:?} {}", judged.status, judged.support, judged.reason);
    assert_eq!(judged.status, ClaimStatus::Contradicted, "{told}");
}

#[track_caller]
fn said(text: &str, claim: &str) {
    let judged = judge(text, claim);
    let told = format!("{claim}: {:?} {:?} {}", judged.status, judged.support, judged.reason);
    assert_eq!(judged.status, ClaimStatus::Supported, "{told}");
    assert!(judged.support.is_some_and(|support| support > 0.95), "{told}");
}

#[test]
fn what_stands_behind_a_denial_is_not_said() {
    contradicted("No se admiten perros en la terraza.", "Se admiten perros en la terraza.");
    contradicted("Do not restart the server during an upgrade.", "Restart the server during an upgrade.");
    contradicted("No customer data is stored on the device.", "Customer data is stored on the device.");
    contradicted(
        "No hay que reiniciar el router después de cambiar la clave.",
        "Hay que reiniciar el router después de cambiar la clave.",
    );
    contradicted("Nunca abra la tapa con la máquina en marcha.", "Abra la tapa con la máquina en marcha.");
    contradicted("No está permitido fumar en el patio.", "Está permitido fumar en el patio.");
}

#[test]
fn honest_quotes_stay_verbatim() {
    said("If the fuse is blown, replace the unit.", "Replace the unit.");
    said("No se admiten perros en la terraza.", "No se admiten perros en la terraza.");
    said("Do not open the lid because the steam is hot.", "The steam is hot.");
    said("The case is not sealed but the battery is protected.", "The battery is protected.");
    said("It is not only fast. The index is rebuilt every night.", "The index is rebuilt every night.");
    said("Dogs are not allowed. In the garden dogs are allowed.", "Dogs are allowed.");
    said("No lo abras. Los perros sí pueden entrar en el patio.", "Pueden entrar en el patio.");
}

#[test]
fn one_place_that_says_it_suffices() {
    let text = "Do not restart the server during an upgrade. In an emergency, restart the server.";
    said(text, "Restart the server.");
}
