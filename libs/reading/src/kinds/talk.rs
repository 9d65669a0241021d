//! Recognises talk about the answer or to the reader: greetings, wishes, offers, introductions, pointers.

use super::states::{gives_value, states};
use super::{LONGEST, matches};
use crate::clauses;
use assay_text::fold;
use assay_text::language;
use assay_text::patterns::pattern;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Beginnings of talk that introduces or points; what follows them may not state anything.
static INTRODUCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^[¡¿\s]*(",
        r"((i['’]ll|i\s+will|i\s+can(\s+also)?|let['’]s|let\s+me)\s+(help|explain|show|provide|walk|give|describe|outline|summari[sz]e|answer|start|look|break|go|try|list)\b)",
        r"|(would\s+you\s+like\b)",
        r"|(to\s+answer\s+(your|the|this)\s+question(\W+(i|we|let|here|below)\b|\W*$))",
        r"|((this|the\s+following)\s+(answer|summary|overview|response)\s+(is|covers|explains|describes|shows|lists|summari[sz]es|outlines)\b)",
        r"|((here['’]s|here\s+(is|are)|below\s+(is|are)|aqu[ií]\s+(tienes?|est[aá]n?|va)|a\s+continuaci[oó]n\s+(se\s+|te\s+|os\s+|le\s+)?(muestr|present|detall|explic|describ|tienes|encontrar|list|indic)\w*)(\W|$))",
        r"|((puedo\s+(ayudar|explicar)|(te|le|os)\s+(explico|muestro|cuento|resumo|dejo|ayudo)|d[ée]jame\s+(explicar|mostrar)|voy\s+a\s+(explicar|mostrar|resumir)|para\s+responder\s+a)\b)",
        r")",
    ))
});

/// Beginnings of greetings, wishes and offers; only words of the same kind may follow them.
static GREETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^[¡¿\s]*(",
        r"(((i\s+)?hope\s+(this|that|these|it|you\s+(find|found|enjoy)|the\s+(answer|information|explanation|example|summary))|let\s+me\s+know|feel\s+free|please\s+let\s+(me|us)\s+know|happy\s+to|glad\s+to)\b)",
        r"|(if\s+you\s+(need|have|want|would\s+like)\s+(any\s+|more\s+|further\s+|additional\s+|other\s+)+(help|information|info|details?|questions?|assistance|clarification|examples?|support)\b)",
        r"|((sorry|i\s+apologi[sz]e|lo\s+siento|espero\s+que|av[ií]same|no\s+dudes|si\s+(necesitas?|tienes?|quieres?)\s+(alguna\s+|alg[uú]n\s+|m[aá]s\s+|otra\s+)+(ayuda|informaci[oó]n|detalles?|preguntas?|dudas?|ejemplos?|consulta))\b)",
        r"|((thanks?|thank\s+you|gracias)(\s+(for|so\s+much|very\s+much|a\s+lot|por)\b|\W*$))",
        r")",
    ))
});

/// Whether a folded word follows such a beginning.
fn greets(word: &str) -> bool {
    GREETING.split(' ').any(|other| other == word)
}

/// Words that follow such a beginning; function words may stand anywhere.
const GREETING: &str = "\
    helps help helpful useful assist assistance answers answer answering question questions asking ask \
    know clarifies clarify clarification explains explanation understand information details detail \
    example examples further need want please free feel happy glad hesitate contact reach support things \
    anything something reading patience confusion inconvenience mistake misunderstanding much lot ayude \
    ayuda ayudar sirva util avisame necesitas pregunta preguntar preguntas dudas duda preguntarme \
    consultar leer informacion detalles ejemplo ejemplos molestias aclare let else concern concerns \
    consideration request considering understanding best issue issues inquiry interest pleasure welcome \
    great day nice additional clear clearly good anytime specific topic don okay hear thing visiting \
    attention time well";
/// Words that lead from a greeting to what it is about, which may not state anything.
const ABOUT: &[&str] = &["about", "regarding", "with", "on", "how", "sobre", "acerca", "con", "como"];

/// Greetings and labels that are a whole sentence.
static WHOLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^[¡¿\s]*(",
        r"((hello|hi|hey|hola)(\s+(there|again|everyone|de\s+nuevo))?\W*$)",
        r"|((good\s*bye|bye|see\s+you(\s+(soon|later))?|adi[oó]s|hasta\s+(luego|pronto))\W*$)",
        r"|((good\s+(morning|afternoon|evening)|buenos\s+d[ií]as|buenas(\s+\w+)?|you['’]re\s+welcome|de\s+nada)\W*$)",
        r"|((sure|certainly|absolutely|of\s+course|claro(\s+que\s+s[ií])?|por\s+supuesto|desde\s+luego|yes|no|s[ií]|ok|okay|great|perfect|perfecto)\W*$)",
        r"|((great|good|excellent)\s+question\W*$)|(buena\s+pregunta\W*$)",
        r"|((warning|caution|careful|attention|cuidado|atenci[oó]n|ojo|aviso|importante|important)\W*$)",
        r"|((in\s+summary|in\s+short|to\s+summari[sz]e|en\s+resumen|note|example|ejemplo|nota|sources?|fuentes?|references?|referencias|a\s+continuaci[oó]n)\W*$)",
        r"|((for\s+more\s+(information|details),?\s+|para\s+m[aá]s\s+(informaci[oó]n|detalles),?\s+)?(see|check|refer\s+to|consult|v[eé]ase|consulta|mira)\s+",
        r"((the|this|these|our|el|la|los|las|este|esta)\s+)?(\w+\s+)?",
        r"(examples?|tables?|lists?|sections?|code|steps?|sources?|figures?|diagrams?|notes?|links?|references?|documentation|docs|guide|manual|page|ejemplos?|tablas?|listas?|secci[oó]n|c[oó]digo|pasos?|fuentes?|documentaci[oó]n|gu[ií]a)",
        r"(\s+(de\s+)?(below|above|abajo|arriba|for\s+(more\s+)?(details|information)))+\W*$)",
        r")",
    ))
});

/// Words behind which a sentence that began as talk states something of its own.
static GOES_ON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(that\s+(the|a|an|it|its|all|no|you|each|every)|but|however|because|que\s+(el|la|los|las|un|una|no|se)|pero|porque)\b",
    )
});

/// Whether a sentence is about the answer or the reader, and nothing else is in it.
pub(super) fn is_talk(text: &str) -> bool {
    let behind = |pattern: &LazyLock<Option<Regex>>| {
        pattern.as_ref().and_then(|pattern| pattern.find(text)).map(|found| &text[found.end()..])
    };
    if text.split_whitespace().nth(LONGEST).is_some() || gives_value(text) {
        return false;
    }
    matches(&WHOLE, text)
        || behind(&GREETS).is_some_and(greets_on)
        || behind(&INTRODUCES).is_some_and(|rest| !states(rest)) && !matches(&GOES_ON, text)
}

/// What a sentence that begins as talk states behind it: "I can explain how the port is opened", "did you know that …".
pub(crate) fn behind_talk(text: &str) -> Option<String> {
    const JOINING: &[&str] = &["to", "that", "how", "why", "whether", "que", "cómo"];
    const KNOWING: &[&str] =
        &["know", "knew", "knowing", "hope", "see", "thanks", "sabias", "sabes", "espero"];
    let words = clauses::words(text);
    let found = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref()?.find(text).map(|found| found.end());
    let beginning = found(&GREETS).or_else(|| found(&INTRODUCES));
    let told = || {
        let joins = |word: &clauses::Word<'_>| {
            word.free && word.text.starts_with(char::is_alphabetic) && JOINING[1..].contains(&&*word.norm)
        };
        let joining = words.iter().position(joins)?;
        let folded: Vec<_> = words[..joining].iter().map(|word| fold(&word.norm)).collect();
        let knows = |word: &Cow<'_, str>| KNOWING.contains(&&**word) || greets(word);
        let talk =
            folded.iter().all(|word| knows(word) || language::is_stop(word)) && folded.iter().any(knows);
        talk.then(|| words[joining].at)
    };
    let start = told().or(beginning)?;
    let behind = words.iter().skip_while(|word| word.at < start || JOINING.contains(&&*word.norm));
    let behind: Vec<&clauses::Word<'_>> = behind.collect();
    (behind.len() > 2).then(|| text[behind[0].at..].to_owned())
}

/// Whether the rest of a greeting is nothing else.
fn greets_on(rest: &str) -> bool {
    let words: Vec<_> = rest.split(|c: char| !c.is_alphanumeric()).collect();
    let mut at = 0;
    for word in words {
        let folded = fold(word);
        if ABOUT.contains(&&*folded) {
            return !states(&rest[at..]);
        }
        // What an apostrophe leaves: "there's", "I'll".
        let rest_of_word = folded.len() < 3;
        if !(rest_of_word || language::is_stop(&folded) || greets(&folded)) {
            return false;
        }
        at += word.len() + rest[at + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    true
}
