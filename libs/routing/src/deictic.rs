//! Does a message refer to an earlier one? English and Spanish, deterministic (RC-03).
//!
//! Pronouns count only without an antecedent in the same message; "that" as a relative word or before a clause is no
//! reference; "this project" and the like point at the world, not at the conversation.

use assay_text::{Word, listed, normalize, words};

/// Things of a conversation that a demonstrative can point at.
const THINGS: &str = "\
    function functions code answer answers example examples one ones explanation loop endpoint \
    script command commands part error errors line lines block blocks result response reply message \
    snippet program step steps point approach solution version method class query bit paragraph \
    sentence section last first second text list variable parameter stuff thing things way output \
    question topic summary funcion funciones codigo respuesta ejemplo ejemplos explicacion bucle \
    comando parte errores linea lineas bloque resultado mensaje fragmento programa paso punto \
    solucion metodo clase consulta parrafo frase seccion texto lista parametro forma manera cosa \
    pregunta resumen enfoque ultimo ultima primero primera segundo segunda";

/// Nouns after "this" that belong to the caller's world.
const WORLD: &str = "\
    project plan account subscription workspace organization organisation team tenant month week \
    year quarter day morning afternoon evening period cycle billing time language documentation \
    proyecto cuenta suscripcion mes semana ano trimestre dia periodo ciclo espacio equipo lenguaje \
    documentacion tarde noche manana";

/// Words before "that" after which it stands for something.
const BEFORE_THAT: &str = "\
    explain repeat rephrase rewrite summarize summarise translate clarify simplify shorten expand \
    show change fix test run do does did is was of in about with for to from on like than and but \
    or into after before without use using put say said make convert turn refactor improve optimize \
    optimise why how what what's would could can will should where when isn't doesn't didn't \
    elaborate continue undo compare mean by all not just please modify adapt write port extend copy \
    again get understand try if at then doing because thanks wait hmm ok okay so now got read debug \
    complete finish document";

/// Words after "that" with which it opens a clause instead.
const AFTER_THAT_CLAUSE: &str = "\
    the a an i i'm we you you're he she they there there's it it's my our your each every no";

/// Words that carry no antecedent: whatever stands before "it" beside these is one.
const EMPTY: &str = "\
    a an the please can could would will should you i we me do does did is was are how what why when \
    where which who and but or so now then also ok okay to of for with in on about let's want need \
    like just not don't doesn't thanks thank great nice hi hello hey again explain repeat rephrase \
    rewrite summarize summarise translate clarify simplify shorten expand show change fix test run \
    make convert turn refactor improve optimize optimise use put say understand get try modify \
    adapt write port extend complete finish document debug tell give read much many if may might \
    must i'd keep elaborate continue add remove update describe still really actually wait no yes \
    call mean by go over through break sum up perfect cool instead rather help";

/// Words after "it" with which it stands for nothing.
const EXPLETIVE: &str = "\
    possible necessary true ok okay safe better worth important enough allowed required normal \
    common take takes cost costs";

/// Verbs whose Spanish enclitic pronoun refers back: `explicalo`, `reescribirla`, `traducemelo`.
const CLITIC_STEMS: &str = "\
    explica repite repeti reescribe reescribi resume resumi traduce traduci simplifica acorta amplia \
    aclara corrige corregi arregla cambia optimiza convierte converti mejora modifica adapta haz \
    hace pon pone di deci completa termina reformula refactoriza prueba proba usa escribe escribi \
    pasa muestra mostra documenta detalla abrevia redu reduce reduci expande expandi extiende \
    continua deja quita entende";

/// Phrases that refer whatever stands around them.
const PHRASES: &str = "\
    the above|code above|example above|function above|answer above|as above|see above|\
    previous answer|previous response|previous reply|previous message|previous question|\
    previous example|previous code|previous function|previous one|previous explanation|last answer|\
    last response|last reply|last message|last question|last example|last one|last explanation|\
    last thing|last code|last function|last point|last snippet|your answer|your last|your previous|\
    your explanation|your response|your reply|your example|your code|your solution|your suggestion|\
    earlier answer|earlier example|you said|you just|you wrote|you mentioned|you gave|you explained|\
    you showed|you told|you suggested|did you mean|do you mean|you mean|the former|the latter|\
    the same thing|the same but|the same for|the same in|the same with|once more|one more time|\
    say again|come again|we discussed|what about|how about|lo anterior|lo de antes|lo de arriba|\
    lo mismo|lo que dijiste|lo que has dicho|lo que acabas|lo que explicaste|lo que me|\
    respuesta anterior|funcion anterior|codigo anterior|ejemplo anterior|mensaje anterior|\
    pregunta anterior|explicacion anterior|anterior respuesta|ultima respuesta|ultimo mensaje|\
    ultimo ejemplo|ultima funcion|ultima pregunta|ultimo codigo|tu respuesta|tu explicacion|\
    tu ejemplo|tu codigo|tu solucion|otra vez|de nuevo|una vez mas|acabas de|has dicho|\
    quieres decir|quisiste decir|el de arriba|de arriba|que dijiste|que me diste|que explicaste|\
    que escribiste|y en cambio|y que pasa si";

/// Whether the message refers to an earlier one.
#[must_use]
pub fn refers(message: &str) -> bool {
    let folded = normalize(message);
    let words = words(&folded);
    let spaced = format!(" {} ", words.iter().map(|word| word.text).collect::<Vec<_>>().join(" "));
    PHRASES.split('|').any(|phrase| spaced.contains(&format!(" {phrase} ")))
        || (0..words.len()).any(|at| word_refers(&words, at))
}

fn word_refers(words: &[Word<'_>], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let previous = at.checked_sub(1).and_then(|before| words.get(before)).filter(|word| !word.stop);
    let next = words.get(at + 1).filter(|_| !word.stop).map(|word| word.text.trim_end_matches("'s"));
    let is_thing = next.is_some_and(|next| listed(THINGS, next));
    match word.text {
        "this" | "that's" => !next.is_some_and(|next| listed(WORLD, next)),
        "that" => that_refers(previous.map(|word| word.text), next, is_thing),
        "these" | "those" => {
            is_thing
                || !next
                    .is_some_and(|next| ["who", "that", "which", "of"].contains(&next) || listed(WORLD, next))
        }
        "it" | "its" | "them" => {
            !has_antecedent(words, at) && !next.is_some_and(|next| listed(EXPLETIVE, next))
        }
        "again" => words.len() <= 9 || next.is_none(),
        "above" => next.is_none() && !previous.is_some_and(|word| word.text.chars().all(char::is_numeric)),
        "esto" | "eso" | "aquello" => true,
        "este" | "esta" | "ese" | "esa" | "estos" | "estas" | "esos" | "esas" | "aquel" | "aquella" => {
            is_thing
        }
        text => clitic(text) && !has_antecedent_es(words, at),
    }
}

fn that_refers(previous: Option<&str>, next: Option<&str>, is_thing: bool) -> bool {
    let opened = previous.is_none_or(|word| listed(BEFORE_THAT, word));
    match next {
        _ if !opened => false,
        None => true,
        Some(_) if is_thing => true,
        Some(next) if listed(AFTER_THAT_CLAUSE, next) => false,
        // "that" before anything but a noun of the conversation stands for itself: "explain that in two sentences".
        Some(_) => true,
    }
}

/// Whether an earlier word of the message can be what a pronoun stands for.
fn has_antecedent(words: &[Word<'_>], at: usize) -> bool {
    words[..at].iter().any(|word| !listed(EMPTY, word.text))
}

/// The same for enclitics: something else than a verb of asking stands before.
fn has_antecedent_es(words: &[Word<'_>], at: usize) -> bool {
    const EMPTY_ES: &str = "\
    por favor puedes podrias puede ahora y pero vale ok gracias hola me te no lo la quiero que \
    necesito bien perfecto genial entonces tambien mejor ademas si como puedo tu se podria queria \
    gustaria muy";
    words[..at].iter().any(|word| !listed(EMPTY_ES, word.text))
}

/// Whether a Spanish verb ends in a pronoun that refers back.
fn clitic(word: &str) -> bool {
    let Some(verb) = ["lo", "la", "los", "las"].iter().find_map(|pronoun| word.strip_suffix(pronoun)) else {
        return false;
    };
    let verb = verb.strip_suffix("me").or_else(|| verb.strip_suffix("noslo")).unwrap_or(verb);
    let verb = verb.strip_suffix('r').unwrap_or(verb);
    listed(CLITIC_STEMS, verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_in_english_fire() {
        for message in [
            "Explain that again in two sentences",
            "What does this mean?",
            "rewrite it",
            "Rewrite that function with error handling",
            "Can you make it shorter?",
            "How does it work?",
            "and what about lists?",
            "Translate your last answer into Spanish",
            "I don't understand that",
            "What was the previous answer?",
            "Could you simplify that?",
            "use that in a loop",
            "Convert those lines to a function",
        ] {
            assert!(refers(message), "{message}");
        }
    }

    #[test]
    fn references_in_spanish_fire() {
        for message in [
            "¿Qué significa esto?",
            "Explica lo anterior",
            "reescríbelo",
            "¿Puedes explicarlo otra vez?",
            "Resume eso en dos frases",
            "mejora ese código",
            "tradúcelo al inglés",
            "No entiendo esa función",
            "hazlo más corto",
        ] {
            assert!(refers(message), "{message}");
        }
    }

    #[test]
    fn a_message_that_stands_alone_does_not() {
        for message in [
            "Write an endpoint that returns the date",
            "How do I read a request parameter and return it?",
            "How much of this project's quota is left?",
            "How much have we used this month?",
            "Is it possible to nest loops?",
            "Which functions are there that take a list?",
            "Make sure that the loop ends",
            "I think that the parameter is missing",
            "What happens if the value is above 20",
            "How does addParam work?",
            "Escribe un endpoint que devuelva la fecha de hoy",
            "¿Cómo está definida una función?",
            "¿Cuánto llevo gastado este mes?",
            "¿Cómo leo un parámetro y lo devuelvo?",
            "Thanks a lot!",
        ] {
            assert!(!refers(message), "{message}");
        }
    }
}
