//! Honest sentences that say in another order, voice or clause what the source says: no rule speaks against them, and each
//! has its changed sister that is still caught.

mod common;

use assay_domain::report::ClaimStatus;
use common::judge;

/// What a rule says against some claims, each with its source; empty where none does.
fn spoken(rows: &[(&str, &str)]) -> Vec<String> {
    let against = |(text, claim): &(&str, &str)| {
        let judged = judge(text, claim);
        let spoken = judged.status == ClaimStatus::Contradicted || judged.reason.contains(": ");
        spoken.then(|| format!("{claim} | {:?} {}", judged.status, judged.reason))
    };
    rows.iter().filter_map(against).collect()
}

/// The claims that no rule contradicts.
fn passed(rows: &[(&str, &str)]) -> Vec<String> {
    let kept = |(text, claim): &(&str, &str)| {
        let judged = judge(text, claim);
        (judged.status != ClaimStatus::Contradicted)
            .then(|| format!("{claim} | {:?} {}", judged.status, judged.reason))
    };
    rows.iter().filter_map(kept).collect()
}

#[track_caller]
fn check(honest: &[(&str, &str)], changed: &[(&str, &str)]) {
    let (spoken, passed) = (spoken(honest), passed(changed));
    assert!(spoken.is_empty() && passed.is_empty(), "falsely: {spoken:#?}\nmissed: {passed:#?}");
}

#[test]
fn a_pronoun_brings_the_thing_of_the_clause_before() {
    check(
        &[
            (
                "The doctor signs the chart, and the nurse checks it every morning.",
                "The nurse checks the chart.",
            ),
            (
                "The agent compresses the dumps, and the server stores them for a week.",
                "The server stores the dumps for a week.",
            ),
            ("El administrador crea la cuenta y el socio puede leerla.", "El socio puede leer la cuenta."),
            (
                "El vigilante cierra la puerta y el portero la abre a las ocho.",
                "El portero abre la puerta a las ocho.",
            ),
        ],
        &[
            ("The doctor signs the chart, and the nurse checks the pulse.", "The nurse signs the chart."),
            (
                "The console reads the settings, the agent writes the reports.",
                "The console writes the reports.",
            ),
        ],
    );
}

#[test]
fn a_line_that_runs_both_ways_is_read_both_ways() {
    let both = "The ferry runs from Bonn to Mainz in the morning and from Mainz to Bonn in the evening.";
    check(
        &[
            (both, "The ferry runs from Mainz to Bonn in the evening."),
            (both, "In the morning the ferry runs from Bonn to Mainz."),
        ],
        &[(
            "The ferry runs from Bonn to Mainz in the morning.",
            "The ferry runs from Mainz to Bonn in the morning.",
        )],
    );
}

#[test]
fn what_is_inverted_twice_says_the_same() {
    check(
        &[
            (
                "After the token is checked, the body is read.",
                "Before the body is read, the token is checked.",
            ),
            (
                "Before the index is built, the files are sorted.",
                "After the files are sorted, the index is built.",
            ),
            ("The router uses less memory than the switch.", "The switch uses more memory than the router."),
            ("The ceiling fan is louder than the desk fan.", "The desk fan is quieter than the ceiling fan."),
            ("Access is allowed only if a key is present.", "Access is denied if a key is missing."),
            ("Messages are kept until they expire.", "Messages are discarded when they expire."),
            (
                "El router gasta menos memoria que el conmutador.",
                "El conmutador gasta más memoria que el router.",
            ),
        ],
        &[
            ("The router uses less memory than the switch.", "The router uses more memory than the switch."),
            (
                "After the token is checked, the body is read.",
                "Before the token is checked, the body is read.",
            ),
            ("Access is allowed if a key is present.", "Access is denied if a key is present."),
            ("Messages are kept for a week.", "Messages are discarded for a week."),
        ],
    );
}

#[test]
fn rates_are_the_same_however_they_are_said() {
    check(
        &[
            ("The filter is changed every month.", "The filter is changed every four weeks."),
            ("The filter is changed weekly.", "The filter is changed every 7 days."),
            ("The filter is changed every seven days.", "The filter is changed weekly."),
            ("The filter is changed every 24 hours.", "The filter is changed daily."),
            ("The pump is checked twice a day.", "The pump is checked every 12 hours."),
            ("The pump is checked every other day.", "The pump is checked every two days."),
            ("The pump is checked every second day.", "The pump is checked every 48 hours."),
            ("La bomba se revisa a diario.", "La bomba se revisa todos los días."),
            ("El informe semanal se envía los lunes.", "El informe se envía cada semana, los lunes."),
            ("El diario se guarda en la carpeta y se borra cada semana.", "El diario se borra cada semana."),
        ],
        &[
            ("The pump is checked daily.", "The pump is checked every second day."),
            ("The pump is checked every second day.", "The pump is checked daily."),
            ("The pump is checked every day.", "The pump is checked every second day."),
            ("The filter is changed every month.", "The filter is changed every second month."),
            ("The filter is changed every 7 days.", "The filter is changed monthly."),
        ],
    );
}

#[test]
fn a_noun_is_no_verb_and_clauses_may_change_places() {
    check(
        &[
            (
                "The primary copies its log to the replica.",
                "The replica gets a copy of the log from the primary.",
            ),
            (
                "The replica gets a copy of the log from the primary.",
                "The primary copies its log to the replica.",
            ),
            (
                "The importer reads the files and the exporter writes the tables.",
                "The exporter writes the tables and the importer reads the files.",
            ),
            (
                "Backups run at night and reports are sent in the morning.",
                "Reports are sent in the morning and backups run at night.",
            ),
        ],
        &[("The primary copies its log to the replica.", "The replica copies its log to the primary.")],
    );
}

#[test]
fn denials_that_say_the_same() {
    check(
        &[
            ("The server does not run without a token.", "The server runs only with a token."),
            ("The server only runs with a token.", "The server does not run without a token."),
            ("Sin ficha el servidor no arranca.", "El servidor solo arranca con ficha."),
            ("The nodes trust each other.", "The nodes trust one another."),
            ("The nodes trust one another.", "Nodes trust each other."),
            ("Users may not share keys.", "Users must not share keys."),
            ("Users must not share keys.", "Users may not share keys."),
            ("Los usuarios no pueden compartir claves.", "Los usuarios no deben compartir claves."),
            (
                "The service reads changes on the fly, without requiring an instance restart.",
                "The service reads changes without a restart.",
            ),
            (
                "Raise the deadline for systems that are not latency sensitive.",
                "The deadline may be raised for systems where latency does not matter.",
            ),
            (
                "Requests are retried without loss of data unless the endpoint is down for more than 2 hours.",
                "Nothing is lost unless the endpoint stays down for over two hours.",
            ),
        ],
        &[
            ("The server does not run without a token.", "The server runs without a token."),
            ("Users may not share keys.", "Users may share keys."),
        ],
    );
}
