//! Where claims begin and end, and of which kind they are: a table of answers with the claims they hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_domain::report::{Claim, ClaimKind};
use assay_reading as reading;

/// An answer and its claims, each as `kind|text`: f factual, m meta, q question, r refusal, c code.
type Row = (&'static str, &'static [&'static str]);

fn short(claim: &Claim) -> String {
    let kind = match claim.kind {
        ClaimKind::Factual => 'f',
        ClaimKind::Meta => 'm',
        ClaimKind::Question => 'q',
        ClaimKind::Refusal => 'r',
        ClaimKind::Code => 'c',
    };
    format!("{kind}|{}", claim.text)
}

/// Holds every row, says all that differ, and that every span is the stretch of the answer that it claims to be.
fn hold(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (answer, expected) in rows {
        let reading = reading::read(answer, 9);
        let found: Vec<String> = reading.claims.iter().map(short).collect();
        if found != *expected {
            wrong.push(format!("{answer:?}\n   found    {found:?}\n   expected {expected:?}"));
        }
        let mut last = 0;
        for claim in &reading.claims {
            let span = claim.span;
            assert!(span.byte_start >= last && span.byte_end > span.byte_start, "{answer:?}: {span:?}");
            let stretch = answer.get(span.byte_start..span.byte_end).expect("a span cuts no character");
            assert_eq!(stretch, stretch.trim(), "{answer:?}");
            assert_eq!(stretch.chars().count(), span.char_end - span.char_start, "{answer:?}");
            assert_eq!(stretch.encode_utf16().count(), span.utf16_end - span.utf16_start, "{answer:?}");
            last = span.byte_end;
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn carriage_return_alone_ends_a_line() {
    let answer = "Text.\n\n```python\nx = 1\n```\n\n- One thing.\n- Another\n  thing.\n\n# A head\nThe end.";
    let seen = |answer: &str| -> Vec<_> {
        reading::read(answer, 9).claims.iter().map(|claim| (claim.kind, claim.span)).collect()
    };
    let expected = seen(answer);
    assert!(expected.iter().any(|(kind, _)| *kind == ClaimKind::Code), "{expected:?}");
    assert_eq!(seen(&answer.replace('\n', "\r")), expected);
}

#[test]
fn sentences_end_where_a_reader_ends_them() {
    hold(&[
        ("It starts. It stops.", &["f|It starts.", "f|It stops."]),
        ("It starts! It stops.", &["f|It starts!", "f|It stops."]),
        ("The job runs nightly.\nIt takes an hour.", &["f|The job runs nightly.", "f|It takes an hour."]),
        ("The job runs\nnightly.", &["f|The job runs nightly."]),
        ("The job runs nightly", &["f|The job runs nightly"]),
        ("The queue is full... The worker waits.", &["f|The queue is full...", "f|The worker waits."]),
        ("The queue is full… The worker waits.", &["f|The queue is full…", "f|The worker waits."]),
        ("The queue… well, the queue is full.", &["f|The queue… well, the queue is full."]),
        ("The queue ... the one in memory ... is full.", &["f|The queue ... the one in memory ... is full."]),
        ("It works!! The cache is warm.", &["f|It works!!", "f|The cache is warm."]),
        (
            "The server restarts. (It takes a minute.) Then it listens.",
            &["f|The server restarts.", "f|(It takes a minute.)", "f|Then it listens."],
        ),
        (
            "The server restarts (this takes a minute. Be patient) and listens.",
            &["f|The server restarts (this takes a minute. Be patient) and listens."],
        ),
        (
            "The server restarts.The client reconnects.",
            &["f|The server restarts.", "f|The client reconnects."],
        ),
        (
            "The flag is off by default; the operator turns it on.",
            &["f|The flag is off by default; the operator turns it on."],
        ),
        (
            "First sentence.  Second sentence.   Third.",
            &["f|First sentence.", "f|Second sentence.", "f|Third."],
        ),
        ("The port is 80.\n\nThe host is local.", &["f|The port is 80.", "f|The host is local."]),
        ("The port is 80.\tThe host is local.", &["f|The port is 80.", "f|The host is local."]),
        (
            "The log is kept 90 days. 12 of them are on disk.",
            &["f|The log is kept 90 days.", "f|12 of them are on disk."],
        ),
        (
            "The server listens on port 8080. TLS is off.",
            &["f|The server listens on port 8080.", "f|TLS is off."],
        ),
        (
            "The limit is 5000 rows.  \nLarger files fail.",
            &["f|The limit is 5000 rows.", "f|Larger files fail."],
        ),
        ("The value is 5 MB. iOS clients ignore it.", &["f|The value is 5 MB.", "f|iOS clients ignore it."]),
        ("Set it to A. Then set B to C.", &["f|Set it to A.", "f|Then set B to C."]),
        ("The plan is called Plan B. It is unused.", &["f|The plan is called Plan B.", "f|It is unused."]),
        ("La cola está llena. El proceso espera.", &["f|La cola está llena.", "f|El proceso espera."]),
        ("La cola está llena... El proceso espera.", &["f|La cola está llena...", "f|El proceso espera."]),
        ("这是第一句。 这是第二句。", &["f|这是第一句。", "f|这是第二句。"]),
    ]);
}

#[test]
fn abbreviations_end_nothing() {
    hold(&[
        ("Use a store, e.g. Redis, for sessions.", &["f|Use a store, e.g. Redis, for sessions."]),
        ("Use a store (e.g. Redis). It is fast.", &["f|Use a store (e.g. Redis).", "f|It is fast."]),
        ("Use E.g. Redis for sessions.", &["f|Use E.g. Redis for sessions."]),
        ("It uses one lock, i.e. One writer at a time.", &["f|It uses one lock, i.e. One writer at a time."]),
        ("Dr. Smith wrote the parser.", &["f|Dr. Smith wrote the parser."]),
        (
            "Mr. and Mrs. Jones maintain it. They live in Leeds.",
            &["f|Mr. and Mrs. Jones maintain it.", "f|They live in Leeds."],
        ),
        ("Prof. A. B. Clark reviewed it. It passed.", &["f|Prof. A. B. Clark reviewed it.", "f|It passed."]),
        ("The meeting is at 5 p.m. on Monday.", &["f|The meeting is at 5 p.m. on Monday."]),
        ("The job starts at 5 a.m. It ends at noon.", &["f|The job starts at 5 a.m.", "f|It ends at noon."]),
        ("It stores rows, columns, etc. in a file.", &["f|It stores rows, columns, etc. in a file."]),
        (
            "It stores rows, columns, etc. The file is small.",
            &["f|It stores rows, columns, etc.", "f|The file is small."],
        ),
        (
            "See Fig. 3 and Eq. 4 in Sec. 2. They agree.",
            &["f|See Fig. 3 and Eq. 4 in Sec. 2.", "f|They agree."],
        ),
        (
            "It is from the U.S. and works in the U.K. as well.",
            &["f|It is from the U.S. and works in the U.K. as well."],
        ),
        ("Acme Inc. sells it. Beta Ltd. buys it.", &["f|Acme Inc. sells it.", "f|Beta Ltd. buys it."]),
        ("Speed is approx. 20 MB/s vs. 5 MB/s before.", &["f|Speed is approx. 20 MB/s vs. 5 MB/s before."]),
        ("The release was on Jan. 5. It broke.", &["f|The release was on Jan. 5.", "f|It broke."]),
        ("No. 5 is the default.", &["f|No. 5 is the default."]),
        ("St. Louis hosts the server.", &["f|St. Louis hosts the server."]),
        ("J. R. R. Tolkien is the sample author.", &["f|J. R. R. Tolkien is the sample author."]),
        ("It holds max. 5 items and min. 1 item.", &["f|It holds max. 5 items and min. 1 item."]),
        ("Smith et al. describe it. It is new.", &["f|Smith et al. describe it.", "f|It is new."]),
        ("Cf. the manual, vol. 2, pp. 4-6.", &["f|Cf. the manual, vol. 2, pp. 4-6."]),
        (
            "The office is in Washington D.C. and opens early.",
            &["f|The office is in Washington D.C. and opens early."],
        ),
        (
            "El Sr. Pérez y la Sra. Gómez mantienen el servicio.",
            &["f|El Sr. Pérez y la Sra. Gómez mantienen el servicio."],
        ),
        ("Admite formatos, p. ej. CSV y JSON.", &["f|Admite formatos, p. ej. CSV y JSON."]),
        (
            "Admite formatos (p.ej. CSV). El resto falla.",
            &["f|Admite formatos (p.ej. CSV).", "f|El resto falla."],
        ),
        (
            "El centro de datos está en EE. UU. y en Europa.",
            &["f|El centro de datos está en EE. UU. y en Europa."],
        ),
        (
            "El centro de datos está en EE. UU. El otro está en Europa.",
            &["f|El centro de datos está en EE. UU.", "f|El otro está en Europa."],
        ),
        ("El centro está en EE.UU. y es nuevo.", &["f|El centro está en EE.UU. y es nuevo."]),
        (
            "La Dra. Ruiz y el Dr. Mora lo revisaron. Funciona.",
            &["f|La Dra. Ruiz y el Dr. Mora lo revisaron.", "f|Funciona."],
        ),
        ("Ud. puede cambiarlo. Uds. también.", &["f|Ud. puede cambiarlo.", "f|Uds. también."]),
        ("Véase la pág. 12 y el cap. 3 del manual.", &["f|Véase la pág. 12 y el cap. 3 del manual."]),
        ("Guarda filas, columnas, etc. en un fichero.", &["f|Guarda filas, columnas, etc. en un fichero."]),
        (
            "Según el art. 5, el límite es fijo. No cambia.",
            &["f|Según el art. 5, el límite es fijo.", "f|No cambia."],
        ),
        ("El núm. 5 es el valor por defecto.", &["f|El núm. 5 es el valor por defecto."]),
        ("Tarda aprox. 5 min. por fichero.", &["f|Tarda aprox. 5 min. por fichero."]),
    ]);
}

#[test]
fn figures_versions_names_and_addresses_stay_whole() {
    hold(&[
        ("The ratio is 3.14. It is fixed.", &["f|The ratio is 3.14.", "f|It is fixed."]),
        ("Use version 1.2.3. It is stable.", &["f|Use version 1.2.3.", "f|It is stable."]),
        ("Use v2.0-rc.1 or later.", &["f|Use v2.0-rc.1 or later."]),
        ("Edit config.toml. Then restart.", &["f|Edit config.toml.", "f|Then restart."]),
        (
            "Edit /etc/app/config.d/main.toml before the start.",
            &["f|Edit /etc/app/config.d/main.toml before the start."],
        ),
        ("The file is .env. It holds secrets.", &["f|The file is .env.", "f|It holds secrets."]),
        (
            "See https://example.com/a.b/c?d=e.f. It has more.",
            &["f|See https://example.com/a.b/c?d=e.f.", "f|It has more."],
        ),
        (
            "See <https://example.com/a.b>. It has more.",
            &["f|See https://example.com/a.b.", "f|It has more."],
        ),
        ("Read [the guide](https://example.com/x.y). It helps.", &["f|Read the guide.", "f|It helps."]),
        (
            "Call `client.close()`. It frees the socket.",
            &["f|Call client.close().", "f|It frees the socket."],
        ),
        ("Call `a. B` first. Then stop.", &["f|Call a. B first.", "f|Then stop."]),
        ("Call `open`. `close` is implied.", &["f|Call open.", "f|close is implied."]),
        ("The address is 10.0.0.1. The mask is 24.", &["f|The address is 10.0.0.1.", "f|The mask is 24."]),
        ("Mail ops@example.com. They answer.", &["f|Mail ops@example.com.", "f|They answer."]),
        ("It costs $1.50 per 1.000 calls.", &["f|It costs $1.50 per 1.000 calls."]),
        ("Node.js and ASP.NET are supported.", &["f|Node.js and ASP.NET are supported."]),
        (
            "The class is com.example.Main. It runs first.",
            &["f|The class is com.example.Main.", "f|It runs first."],
        ),
        ("It takes .5 seconds. That is fast.", &["f|It takes .5 seconds.", "f|That is fast."]),
        ("La versión 2.1 tarda 0,5 s. Es estable.", &["f|La versión 2.1 tarda 0,5 s.", "f|Es estable."]),
        ("El límite es de 1.000 filas. No cambia.", &["f|El límite es de 1.000 filas.", "f|No cambia."]),
        ("Edita config.toml. Luego reinicia.", &["f|Edita config.toml.", "f|Luego reinicia."]),
        ("Use the `..` path. It goes up.", &["f|Use the .. path.", "f|It goes up."]),
        ("Yahoo! is a company. It is old.", &["f|Yahoo! is a company.", "f|It is old."]),
    ]);
}

#[test]
fn quotations_and_spanish_marks_stay_with_their_sentence() {
    hold(&[
        ("The log says \"Stop. Now.\" and ends.", &["f|The log says \"Stop. Now.\" and ends."]),
        ("The log says \"Stopped.\" Then it ends.", &["f|The log says \"Stopped.\"", "f|Then it ends."]),
        ("The log says “Stopped.” Then it ends.", &["f|The log says “Stopped.”", "f|Then it ends."]),
        ("The error is 'Not found.' It is fatal.", &["f|The error is 'Not found.'", "f|It is fatal."]),
        ("\"Why?\" is the only message.", &["f|\"Why?\" is the only message."]),
        (
            "The prompt asks \"Continue?\" before it deletes.",
            &["f|The prompt asks \"Continue?\" before it deletes."],
        ),
        ("El mensaje dice «Parado. Fin.» y termina.", &["f|El mensaje dice «Parado. Fin.» y termina."]),
        ("El mensaje dice «Parado». Luego termina.", &["f|El mensaje dice «Parado».", "f|Luego termina."]),
        ("¿Por qué falla? Porque falta el fichero.", &["q|¿Por qué falla?", "f|Porque falta el fichero."]),
        ("¡Cuidado! El fichero se borra.", &["m|¡Cuidado!", "f|El fichero se borra."]),
        (
            "El proceso para. ¿Por qué? Falta memoria.",
            &["f|El proceso para.", "q|¿Por qué?", "f|Falta memoria."],
        ),
        ("Si falla, ¿qué ocurre?", &["q|Si falla, ¿qué ocurre?"]),
        ("El proceso para. ¡Nunca se reinicia solo!", &["f|El proceso para.", "f|¡Nunca se reinicia solo!"]),
        ("Why does it fail? The file is missing.", &["q|Why does it fail?", "f|The file is missing."]),
        ("El aviso (¿falta algo?) aparece siempre.", &["f|El aviso (¿falta algo?) aparece siempre."]),
        ("It's the server's job. It isn't yours.", &["f|It's the server's job.", "f|It isn't yours."]),
    ]);
}

#[test]
fn blocks_give_their_sentences_and_labels_what_they_state() {
    hold(&[
        ("# Title\n\nIt works.", &["f|It works."]),
        ("Title\n=====\n\nIt works.", &["f|It works."]),
        ("## The limit is 500 rows.\n\nIt works.", &["f|The limit is 500 rows.", "f|It works."]),
        ("## Limits of the rows\n\nIt works.", &["f|It works."]),
        ("**Overview**\n\nThe job runs.", &["m|Overview", "f|The job runs."]),
        ("**Note:** The job runs.", &["f|Note: The job runs."]),
        (
            "- It reads files.\n- It skips rows. It stops.",
            &["f|It reads files.", "f|It skips rows.", "f|It stops."],
        ),
        ("* one file per row\n* two rows per file", &["f|one file per row", "f|two rows per file"]),
        ("1. Open the file.\n2. Close the file.", &["f|Open the file.", "f|Close the file."]),
        ("1) Open the file.\n2) Close the file.", &["f|Open the file.", "f|Close the file."]),
        (
            "The steps are: 1. Open the file. 2. Close the file.",
            &["f|The steps are: 1. Open the file.", "f|2. Close the file."],
        ),
        (
            "- It reads files.\n  - They are CSV.\n    - They are small.",
            &["f|It reads files.", "f|They are CSV.", "f|They are small."],
        ),
        (
            "- It reads files.\n\n  It also writes them.\n- Done well.",
            &["f|It reads files.", "f|It also writes them.", "f|Done well."],
        ),
        ("> It reads files.\n> It writes them.", &["f|It reads files.", "f|It writes them."]),
        ("> - It reads files.", &["f|It reads files."]),
        ("- [ ] It reads files.\n- [x] It writes files.", &["f|It reads files.", "f|It writes files."]),
        ("| setting | value |\n|---|---|\n| port | 8080 |", &["m|port", "f|8080"]),
        (
            "| setting | meaning |\n|---|---|\n| port | The port that is opened. It is TCP. |",
            &["m|port", "f|The port that is opened. It is TCP."],
        ),
        (
            "Text before.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nText after.",
            &["f|Text before.", "f|1", "f|2", "f|Text after."],
        ),
        ("It works.\n\n---\n\nIt stops.", &["f|It works.", "f|It stops."]),
        ("Run this:\n\n```sh\nmake all\n```\n\nIt builds.", &["m|Run this:", "c|make all", "f|It builds."]),
        ("It builds.\n\n    make all\n", &["f|It builds.", "c|make all"]),
        ("<!-- It works. -->\n\nIt stops.", &["f|It stops."]),
        ("It works.<br>It stops.", &["f|It works.", "f|It stops."]),
        ("It works.[^1]\n\n[^1]: A footnote. It has text.", &["f|It works.", "f|It has text."]),
        ("It works.[^1]\n\n[^1]: docs/a.md, section Limits", &["f|It works."]),
        ("![A chart. It grows.](a.png)\n\nIt works.", &["f|It works."]),
        (
            "- **Port**: the port is 80.\n- **Host**: the host is local.",
            &["f|Port: the port is 80.", "f|Host: the host is local."],
        ),
        ("- Port\n- Host", &["f|Port", "f|Host"]),
        ("The answer is:\n\n- port 80", &["m|The answer is:", "f|port 80"]),
        ("   \n\n", &[]),
        ("", &[]),
        ("***", &[]),
        ("\u{feff}It works. It stops.", &["f|It works.", "f|It stops."]),
        ("It works.\r\nIt stops.\r\n", &["f|It works.", "f|It stops."]),
        ("Term\n: It is defined.", &["f|Term : It is defined."]),
    ]);
}

#[test]
fn markers_are_taken_out_and_leave_whole_sentences() {
    hold(&[
        ("It works [^1]. It stops [^2].", &["f|It works.", "f|It stops."]),
        ("It works.[^1] It stops.[^2]", &["f|It works.", "f|It stops."]),
        ("It works. [^1] It stops. [^2]", &["f|It works.", "f|It stops."]),
        ("It works [^1], and it stops [^2].", &["f|It works, and it stops."]),
        ("It works[^1][^2].", &["f|It works."]),
        ("It works. (Passage 2) It stops.", &["f|It works.", "f|It stops."]),
        ("El límite es 5[^1]. ¿Y el otro?[^2]", &["f|El límite es 5.", "q|¿Y el otro?"]),
        ("It works (see [^1]).", &["f|It works (see )."]),
    ]);
}

#[test]
fn kinds_in_english() {
    hold(&[
        ("I hope this helps!", &["m|I hope this helps!"]),
        ("Let me know if you have other questions.", &["m|Let me know if you have other questions."]),
        ("Here is a short overview:", &["m|Here is a short overview:"]),
        ("Here are the settings.", &["m|Here are the settings."]),
        ("Below is an example that shows the call.", &["m|Below is an example that shows the call."]),
        ("Sure!", &["m|Sure!"]),
        ("Certainly. The port is 80.", &["m|Certainly.", "f|The port is 80."]),
        ("Great question! The port is 80.", &["m|Great question!", "f|The port is 80."]),
        ("In summary, the port is 80.", &["f|In summary, the port is 80."]),
        ("Based on the sources, the port is 80.", &["f|Based on the sources, the port is 80."]),
        (
            "According to the documentation, the port is 80.",
            &["f|According to the documentation, the port is 80."],
        ),
        ("I will explain how the importer works.", &["m|I will explain how the importer works."]),
        (
            "This answer covers the import in three steps.",
            &["m|This answer covers the import in three steps."],
        ),
        (
            "To answer your question, I looked at two documents.",
            &["m|To answer your question, I looked at two documents."],
        ),
        ("See the example below.", &["m|See the example below."]),
        ("For more information, see the sources below.", &["m|For more information, see the sources below."]),
        ("You're welcome!", &["m|You're welcome!"]),
        ("Thanks for asking.", &["m|Thanks for asking."]),
        ("Would you like an example?", &["q|Would you like an example?"]),
        ("What does it do?", &["q|What does it do?"]),
        ("The sources do not say how long it takes.", &["r|The sources do not say how long it takes."]),
        ("I could not find this in the documentation.", &["r|I could not find this in the documentation."]),
        ("I don't know.", &["r|I don't know."]),
        (
            "The provided context does not contain information about billing.",
            &["r|The provided context does not contain information about billing."],
        ),
        ("This is not covered by the documentation.", &["r|This is not covered by the documentation."]),
        (
            "Unfortunately, the documents don't mention a limit.",
            &["r|Unfortunately, the documents don't mention a limit."],
        ),
        ("There isn't any information on this.", &["r|There isn't any information on this."]),
        ("I'm unable to answer that from the sources.", &["r|I'm unable to answer that from the sources."]),
        ("The sources are silent on this point.", &["r|The sources are silent on this point."]),
        (
            "The parser does not mention the line in its error.",
            &["f|The parser does not mention the line in its error."],
        ),
        ("The file does not contain a header.", &["f|The file does not contain a header."]),
        ("The response does not include the body.", &["f|The response does not include the body."]),
        ("The importer cannot determine the encoding.", &["f|The importer cannot determine the encoding."]),
        ("You can not find deleted rows in the table.", &["f|You can not find deleted rows in the table."]),
        ("Note that the port is 80.", &["f|Note that the port is 80."]),
        ("If you need TLS, set the flag.", &["f|If you need TLS, set the flag."]),
        ("If you need more help, ask.", &["m|If you need more help, ask."]),
        ("Thank you messages are sent by the mailer.", &["f|Thank you messages are sent by the mailer."]),
        ("Hello is the default greeting.", &["f|Hello is the default greeting."]),
        ("I can help with that.", &["m|I can help with that."]),
        ("No, the port is 80.", &["f|No, the port is 80."]),
        ("Yes.", &["m|Yes."]),
    ]);
}

#[test]
fn kinds_in_spanish() {
    hold(&[
        ("¡Hola!", &["m|¡Hola!"]),
        ("¡Claro! El puerto es el 80.", &["m|¡Claro!", "f|El puerto es el 80."]),
        ("Espero que esto te ayude.", &["m|Espero que esto te ayude."]),
        ("Si necesitas más ayuda, avísame.", &["m|Si necesitas más ayuda, avísame."]),
        ("Si necesitas TLS, activa la opción.", &["f|Si necesitas TLS, activa la opción."]),
        ("Aquí tienes un ejemplo:", &["m|Aquí tienes un ejemplo:"]),
        ("A continuación se muestra un ejemplo.", &["m|A continuación se muestra un ejemplo."]),
        ("En resumen, el puerto es el 80.", &["f|En resumen, el puerto es el 80."]),
        ("Según la documentación, el puerto es el 80.", &["f|Según la documentación, el puerto es el 80."]),
        ("¿Quieres un ejemplo?", &["q|¿Quieres un ejemplo?"]),
        ("Las fuentes no dicen cuánto tarda.", &["r|Las fuentes no dicen cuánto tarda."]),
        ("La documentación no menciona ningún límite.", &["r|La documentación no menciona ningún límite."]),
        (
            "No he encontrado esa información en las fuentes.",
            &["r|No he encontrado esa información en las fuentes."],
        ),
        ("No lo sé.", &["r|No lo sé."]),
        ("No tengo información sobre la facturación.", &["r|No tengo información sobre la facturación."]),
        ("Esto no está documentado.", &["r|Esto no está documentado."]),
        ("No se menciona en las fuentes.", &["r|No se menciona en las fuentes."]),
        (
            "Lamentablemente, los documentos no contienen ese dato.",
            &["r|Lamentablemente, los documentos no contienen ese dato."],
        ),
        ("El fichero no contiene cabecera.", &["f|El fichero no contiene cabecera."]),
        ("La respuesta no incluye el cuerpo.", &["f|La respuesta no incluye el cuerpo."]),
        (
            "El importador no puede determinar la codificación.",
            &["f|El importador no puede determinar la codificación."],
        ),
        ("No se puede borrar una tabla en uso.", &["f|No se puede borrar una tabla en uso."]),
        ("Ten en cuenta que el puerto es el 80.", &["f|Ten en cuenta que el puerto es el 80."]),
        ("Por supuesto.", &["m|Por supuesto."]),
        ("Sí, el puerto es el 80.", &["f|Sí, el puerto es el 80."]),
        ("Gracias por preguntar.", &["m|Gracias por preguntar."]),
        ("Te explico cómo funciona el importador.", &["m|Te explico cómo funciona el importador."]),
        ("Hola es el saludo por defecto.", &["f|Hola es el saludo por defecto."]),
        ("Los pasos son los siguientes:", &["m|Los pasos son los siguientes:"]),
        ("Consulta el ejemplo de abajo.", &["m|Consulta el ejemplo de abajo."]),
    ]);
}

#[test]
fn markers_bind_to_the_claim_they_stand_in_or_follow() {
    let rows: &[(&str, &[Option<u32>])] = &[
        ("It works [^1]. It stops [^2].", &[Some(0), Some(1)]),
        ("It works.[^1] It stops.[^2]", &[Some(0), Some(1)]),
        ("It works. [^1]\nIt stops. [^2]", &[Some(0), Some(1)]),
        ("It works.\n\n[^1]", &[Some(0)]),
        ("[^1] It works.", &[Some(0)]),
        ("It uses Redis, e.g. version 7. [^1] It stops.", &[Some(0)]),
        ("- It works. [^1]\n- It stops. [^2]", &[Some(0), Some(1)]),
        ("- It works.\n\n  [^1]\n- It stops.", &[Some(0)]),
        ("El centro está en EE. UU. [^1] El otro está en Europa. [^2]", &[Some(0), Some(1)]),
        ("¿Falla? [^1] No falla nunca. [^2]", &[Some(0), Some(1)]),
        ("> It works. [^1]", &[Some(0)]),
        ("It says \"Stop.\" [^1] It stops. [^2]", &[Some(0), Some(1)]),
        ("```sh\nmake\n```\n\n[^1]", &[None]),
        ("| a | b |\n|---|---|\n| It works. | [^1] |", &[Some(0)]),
    ];
    for (answer, expected) in rows {
        let reading = reading::read(answer, 9);
        let found: Vec<Option<u32>> = reading.citations.iter().map(|citation| citation.claim).collect();
        assert_eq!(found, *expected, "{answer:?}: {:#?}", reading.claims);
    }
}

#[test]
fn what_states_something_is_judged_however_it_begins() {
    hold(&[
        ("Thanks to the cache, the limit is 500 rows.", &["f|Thanks to the cache, the limit is 500 rows."]),
        ("Let me note that the port is 80.", &["f|Let me note that the port is 80."]),
        ("I will add that the cache is never cleared.", &["f|I will add that the cache is never cleared."]),
        (
            "Let me explain that the cache is never cleared.",
            &["f|Let me explain that the cache is never cleared."],
        ),
        ("Sorry, but the port is 80.", &["f|Sorry, but the port is 80."]),
        (
            "If you need more than 5 rows, raise the limit.",
            &["f|If you need more than 5 rows, raise the limit."],
        ),
        ("Here is the limit: 500 rows.", &["f|Here is the limit: 500 rows."]),
        ("Hello, the limit is 500 rows.", &["f|Hello, the limit is 500 rows."]),
        (
            "Gracias a la caché, el límite es de 500 filas.",
            &["f|Gracias a la caché, el límite es de 500 filas."],
        ),
        ("A continuación se borra la tabla.", &["f|A continuación se borra la tabla."]),
        ("Te explico que el puerto es el 80.", &["f|Te explico que el puerto es el 80."]),
        (
            "The sources do not say how long it takes, but the limit is five rows.",
            &["f|The sources do not say how long it takes, but the limit is five rows."],
        ),
        (
            "The sources do not say how long it takes, but it may be documented elsewhere.",
            &["r|The sources do not say how long it takes, but it may be documented elsewhere."],
        ),
        (
            "Las fuentes no dicen cuánto tarda, pero el límite es de cinco filas.",
            &["f|Las fuentes no dicen cuánto tarda, pero el límite es de cinco filas."],
        ),
        ("<p>The limit is 500 rows.</p>", &["f|The limit is 500 rows."]),
        (
            "<div>\nThe limit is <b>500</b> rows.<br>It is fixed.\n<!-- The port is 80. -->\n</div>\n\nDone well.",
            &["f|The limit is 500 rows.", "f|It is fixed.", "f|Done well."],
        ),
        ("<script>\nlet x = 5; // It works.\n</script>", &[]),
        (
            "<ul>\n<li>one file per row</li>\n<li>two rows per file</li>\n</ul>",
            &["f|one file per row", "f|two rows per file"],
        ),
        ("<details>\n<summary>More</summary>\n\nIt works.\n\n</details>", &["f|More", "f|It works."]),
    ]);
}

#[test]
fn markers_in_html_are_text_and_its_words_claims() {
    let reading = reading::read("<p>The limit is 500 rows [^1].</p>", 3);
    assert!(reading.citations.is_empty());
    assert_eq!(reading.claims.len(), 1);
}
