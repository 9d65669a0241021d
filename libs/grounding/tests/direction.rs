//! Who does what to whom, what comes first and what follows from what: the claim that turns it round, and the rewording that
//! does not.

mod common;

use assay_domain::report::ClaimStatus;
use common::{judge, left_alone};

const ENGLISH: &str = "The gateway validates the token before it reads the body.\n\
The class inherits its table name from the parent.\nHeaders set by the upstream replace those of the gateway.\n\
If the worker crashes, the job returns to the queue.\nThe probe sends the values to the base station.\n\
In winter the crossing takes longer than in summer.\nThe lid must be closed before the sensor is switched on.";

const SPANISH: &str = "La tasa se paga antes de presentar el formulario.\n\
Primero se carga la copia completa y después las incrementales en orden.";

#[track_caller]
fn caught(text: &str, claim: &str) {
    let judged = judge(text, claim);
    let turned = judged.reason.starts_with("direction") || judged.reason.starts_with("order");
    assert!(
        judged.status == ClaimStatus::Contradicted && turned,
        "{claim}: {:?} {}",
        judged.status,
        judged.reason
    );
}

#[test]
fn what_comes_first() {
    caught(ENGLISH, "The body is read first; then the token is validated.");
    caught(ENGLISH, "The gateway reads the body before it validates the token.");
    caught(ENGLISH, "Switch the sensor on first and close the lid afterwards.");
    left_alone(ENGLISH, "The token is validated first, then the body is read.");
    left_alone(ENGLISH, "The body is read after the token has been validated.");
    left_alone(ENGLISH, "Close the lid first and switch the sensor on afterwards.");
    caught(SPANISH, "Primero se presenta el formulario y después se paga la tasa.");
    caught(SPANISH, "Primero se cargan las incrementales en orden y después la copia completa.");
    left_alone(SPANISH, "Primero se paga la tasa y después se presenta el formulario.");
}

#[test]
fn what_follows_from_what() {
    caught(ENGLISH, "If the job returns to the queue, the worker crashes.");
    left_alone(ENGLISH, "The job returns to the queue when the worker crashes.");
}

#[test]
fn which_is_more() {
    caught(ENGLISH, "In summer the crossing takes longer than in winter.");
    left_alone(ENGLISH, "The crossing takes longer in winter than in summer.");
}

#[test]
fn who_does_what_to_whom() {
    caught(ENGLISH, "Headers set by the upstream are replaced by those of the gateway.");
    caught(ENGLISH, "The base station sends the values to the probe.");
    left_alone(ENGLISH, "The values are sent to the base station by the probe.");
    left_alone(ENGLISH, "Headers of the gateway are replaced by those that the upstream sets.");
}
