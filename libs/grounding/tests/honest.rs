//! Honest sentences that say in another order, voice or clause what the source says: no rule speaks against them. Most
//! have a changed sister that is still caught.

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

/// The claims that no rule flags or contradicts.
fn passed(rows: &[(&str, &str)]) -> Vec<String> {
    let kept = |(text, claim): &(&str, &str)| {
        let judged = judge(text, claim);
        (judged.status == ClaimStatus::Supported)
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
        &[],
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
        &[],
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
        &[],
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

#[test]
fn statements_turned_in_a_near_copy_are_caught() {
    check(
        &[
            ("4.7.2 is affected; 4.4 and older are not.", "Versions 4.4 and older are not affected."),
            ("It need not be restarted.", "It does not have to be restarted."),
            (
                "Las líneas de más de 10 MB producen un error.",
                "Un error producen las líneas de más de 10 MB.",
            ),
        ],
        &[
            (
                "All versions from 4.5.0 to 4.7.2 are affected; 4.4 and older are not.",
                "All versions from 4.5.0 to 4.7.2 are affected; 4.4 and older are too.",
            ),
            (
                "The files become read-only after 30 days but are not deleted.",
                "The files become read-only after 30 days and are deleted.",
            ),
            (
                "Viewers may read the reports of the last week.",
                "Viewers will always read the reports of the last week.",
            ),
            (
                "Sin la contraseña los datos no se pueden recuperar.",
                "Sin la contraseña los datos no se tienen que recuperar.",
            ),
            (
                "Las líneas de más de 10 MB producen un error.",
                "Las líneas de por debajo de 10 MB producen un error.",
            ),
            (
                "Leaving a bike outside the service area costs 20 euros. A rental ends when the bike is locked inside the service area.",
                "A rental ends when the bike is locked outside the service area.",
            ),
        ],
    );
}

#[test]
fn claim_without_any_word_of_the_sources_is_unsupported() {
    let text = "A cursor lasts ten minutes. Keys are made in the console and shown once.";
    for claim in ["Penguins swim far.", "Giraffes sleep little."] {
        assert_eq!(judge(text, claim).status, ClaimStatus::Unsupported, "{claim}");
    }
}

#[test]
fn what_is_mirrored_says_the_same() {
    check(
        &[
            (
                "Filling a pool of more than 10 cubic metres needs a permit.",
                "A pool of up to 10 cubic metres can be filled without a permit.",
            ),
            (
                "Las obras de consulta y los periódicos no salen de la sala.",
                "No salen de la sala las obras de consulta ni los periódicos.",
            ),
            (
                "Deleted rows are marked and removed at night. Until then they use memory but are never returned.",
                "Deleted rows use memory, and they are not returned.",
            ),
            ("Images belong in the folder and are copied without changes.", "Images are copied as they are."),
            ("El programa dura 3 horas y 40 minutos.", "El programa dura casi cuatro horas."),
            (
                "Reports are due every 30 minutes for severity 1 and every 2 hours for severity 2.",
                "Reports are due every 30 minutes for severity 1, less often for severity 2.",
            ),
        ],
        &[
            (
                "Filling a pool of more than 10 cubic metres needs a permit.",
                "Filling a pool of up to 10 cubic metres needs a permit.",
            ),
            ("The rows are returned after the commit.", "The rows are not returned after the commit."),
        ],
    );
}

#[test]
fn a_tilde_before_a_figure_is_about() {
    check(
        &[
            (
                "Memory use grows by ~25% with the new engine.",
                "Memory use grows by about 25 % with the new engine.",
            ),
            (
                "Memory use grows by ~25% with the new engine.",
                "Memory use grows by about a quarter with the new engine.",
            ),
            ("The copy takes ~30 s.", "The copy takes about half a minute."),
        ],
        &[(
            "Memory use grows by ~25% with the new engine.",
            "Memory use grows by about 35 % with the new engine.",
        )],
    );
}

#[test]
fn a_figure_of_another_thing_excuses_none() {
    check(
        &[
            ("A warning is sent to 25 % of the users.", "A warning is sent to a quarter of the users."),
            ("The copy takes 90 minutes.", "The copy takes an hour and a half."),
        ],
        &[
            (
                "Backups are kept for 48 hours. The job runs three times a day.",
                "Backups are kept for 24 hours.",
            ),
            (
                "The contract lasts 24 months. Prices are reviewed once a year.",
                "The contract lasts 12 months.",
            ),
            ("The discount is 15 %. It applies from the tenth order on.", "The discount is 10 %."),
            (
                "The limit of the disk is 30 %. A warning is sent to a quarter of the users.",
                "The limit of the disk is 25 %.",
            ),
            ("The timeout is 5 s. After that a second server takes over.", "The timeout is 1 s."),
            (
                "The provider keeps 40 % of the fee. Data is shared with a third party.",
                "The provider keeps 33 % of the fee.",
            ),
            (
                "The cache holds entries for 30 days. A report is sent once a week.",
                "The cache holds entries for 7 days.",
            ),
            ("The pump is checked daily. The filter is changed every 7 days.", "The pump is checked weekly."),
        ],
    );
}

#[test]
fn denials_are_read_together_with_their_scope() {
    check(
        &[
            ("El aula 2 tiene como máximo ocho mesas.", "El aula 2 no tiene más de ocho mesas."),
            ("Cada cuenta admite solo 3 sesiones abiertas.", "Cada cuenta admite hasta 3 sesiones abiertas."),
            (
                "The folder holds nothing but the logs of the last week.",
                "The folder holds the logs of the last week.",
            ),
            (
                "The monitor is a process of the database. The monitor must restart the database within ten seconds after a crash.",
                "The process must restart the database within ten seconds after a crash.",
            ),
        ],
        &[
            (
                "En el edificio hay más de ocho salas de reunión.",
                "En el edificio no hay más de ocho salas de reunión.",
            ),
            ("El coche no gasta más de 5 litros.", "El coche gasta más de 5 litros."),
            ("The driver is not loaded, nor is the module.", "The driver is not loaded, and the module is."),
            (
                "No se borran los datos, ni se mueven los ficheros.",
                "No se borran los datos, y se mueven los ficheros.",
            ),
        ],
    );
}

#[test]
fn two_opposites_excuse_one_another_only_as_condition_and_outcome() {
    check(
        &[("Access is allowed only if the header is present.", "Access is denied if the header is missing.")],
        &[
            ("The upper switch starts the pump.", "The lower switch stops the pump."),
            ("Internal users may enable the feature.", "External users may disable the feature."),
            (
                "Messages are accepted until the queue is full.",
                "Messages are rejected when the queue is empty.",
            ),
        ],
    );
}
