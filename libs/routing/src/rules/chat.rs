//! Clear conversation: greetings and thanks, questions about the assistant, the previous answer once more.

use std::sync::LazyLock;

use regex::Regex;

use crate::rules::{compile, matches};
use assay_text::{social, words};

/// About the assistant itself.
static SELF: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"^\W*(?:hi |hello |hey |so |and |ok )?,?\s*(?:who|what) are you\b",
        r"\bwhat(?:'s| is) your name\b|\bwho (?:made|built|created|trained) you\b|\bare you (?:a |an )?(?:bot|robot|human|ai|machine|real|person|chatgpt|llm|language model|there|ok|okay|sure|serious|kidding)\b",
        r"\bwhat (?:can|could) you (?:do|help)\b|\bhow can you help\b|\bwhat do you do\b|\bwhat languages do you speak\b|\bdo you speak\b|\btell me (?:about yourself|a joke)\b|\bintroduce yourself\b|\bcan you help me\??$|\bi need (?:some |your )?help\W*$|\bdo you (?:remember|like|sleep|dream|understand me)\b",
        r"\bquien eres\b|\bque eres\b|\bcomo te llamas\b|\bcual es tu nombre\b|\bque (?:puedes|sabes) hacer\b|\ben que (?:me )?puedes ayudar(?:me)?\b|\beres (?:un |una )?(?:bot|robot|humano|ia|maquina|persona|chatgpt)\b|\bquien te (?:hizo|creo|programo|entreno)\b|\bhablas (?:espanol|ingles|frances)\b|\bcuentame un chiste\b|\bpuedes ayudarme\??$|\bme ayudas\??$|\bpresentate\b|\bte acuerdas\b|\bestas (?:seguro|segura|ahi)\b",
    ])
});

/// The previous answer once more, in other words, or continued.
static ONCE_MORE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        // A verb of telling and a reference to what was said.
        r"\b(?:explain|repeat|rephrase|reword|summari[sz]e|simplify|shorten|translate|clarify|elaborate|expand|condense|reformulate|paraphrase|recap|restate|say|put|describe|phrase|go over|go through|walk me through|tell me|break down)\b(?: (?:me|us|to me|on|upon))? (?:that|this|it|again|once more|the above|what you (?:just )?(?:said|wrote|explained|told)|(?:the|your|that) (?:last |previous |earlier |above )?(?:answer|response|reply|explanation|message|point|part|paragraph|sentence|bit|last one))\b",
        r"\b(?:in|with|using) (?:other|simpler|fewer|plain|simple|less technical|your own|different|easier) (?:words|terms|english|language)\b",
        r"\b(?:in (?:one|two|three|a couple of|a few|1|2|3|\d+) (?:short )?(?:sentences?|lines?|words|paragraphs?|bullets?|bullet points))\W*(?:please)?\W*$",
        r"\b(?:make|keep|have) (?:it|that|this|your (?:last |previous )?(?:answer|reply|response|explanation)|the (?:last |previous )?(?:answer|reply|response|explanation)) (?:a (?:bit|little) )?(?:much )?(?:more |less )?(?:shorter|short|longer|simpler|clearer|briefer|brief|concise|formal|informal|detailed|friendly|technical|simple|readable|understandable)\b",
        r"^\W*(?:and |so |but |ok |please )?(?:(?:a (?:bit|little) |much )?(?:shorter|longer|simpler|slower|briefer)|more (?:detail|details|briefly|slowly|simply|concise|concisely)|less (?:technical|detail|formal)|too (?:long|short|complicated|technical)|again|once more|one more time|continue|go on|carry on|keep going|go ahead|tell me more|say more|and then|what else|anything else|why|why not|really|how so|come again|pardon|sorry|what|huh)(?:,? please| about that| about it| on that)?\W*$",
        r"\bwhat (?:do|did) you mean\b|\bwhat does (?:that|this) mean\b|\bi (?:do not|don't|didn't|did not|still don't) (?:quite |really )?(?:understand|get|follow)(?: (?:that|it|this|you|your|the (?:last|previous)|what you))?\b|\bthat's not (?:clear|what i)\b|\b(?:you|i) (?:lost|misunderstood) (?:me|you)\b|\bcan you (?:elaborate|clarify|rephrase|repeat|continue|recap|summari[sz]e)\b(?: (?:that|this|it|please|a bit|on that))?\W*$|\btl;?dr\b",
        r"\b(?:what (?:did|was) (?:you (?:just )?(?:say|tell|write)|your (?:last|previous) (?:answer|message|reply|point))|what were (?:we|you) (?:talking|saying)|you (?:just )?said|as you said|your (?:last|previous|earlier) (?:answer|reply|response|message|explanation)|the (?:previous|last|above) (?:answer|reply|response|explanation))\b",
        r"\b(?:now |and )?(?:the same|that|it|this) in (?:english|spanish|french|german|italian|portuguese)\b|\bin (?:english|spanish|french|german|italian|portuguese),? please\W*$|\bsay (?:that|it) in\b",
        r"^\W*(?:please,? )?(?:one more time|once more|once again|again|same again|otra vez|de nuevo|una vez mas)\b.{0,40}$",
        r"\b(?:that|this|it) (?:does not|doesn't|did not|didn't) (?:answer|help)\b|\bnot what i (?:asked|meant|wanted)\b|\b(?:eso|esto) no (?:responde|contesta|me ayuda|es lo que)\b|\bno te sigo\b|\bme he perdido\b",
        r"\b(?:how|why|where) (?:do|did) you (?:know|come to|get|conclude|say)\b|\b(?:como|por que|de donde) (?:sabes|dices|has (?:llegado|sacado|dicho|concluido))\b",
        r"^\W*(?:and |but |so |y |pero |entonces )?(?:why is (?:that|this|it)(?: so)?|how come|por que es (?:asi|eso)|y eso por que|como es eso)\W*$",
        r"\bwhat you (?:have |just )?(?:said|wrote|written|explained|told me|mentioned)\b|\blo que (?:has (?:dicho|escrito|explicado|puesto)|dijiste|escribiste|explicaste|acabas de (?:decir|escribir|explicar))\b",
        // Spanish.
        r"\b(?:explica|explicame|explicar|repite|repiteme|repetir|resume|resumeme|resumir|simplifica|traduce|traduceme|traducir|aclara|aclarame|aclarar|reformula|amplia|ampliar|dime|di|parafrasea|sintetiza|detalla|recapitula)\b (?:eso|esto|lo anterior|lo de antes|lo ultimo|lo que (?:has dicho|dijiste|acabas de decir|me has dicho|me dijiste|explicaste|escribiste)|otra vez|de nuevo|una vez mas|(?:tu|la|esa|esta) (?:ultima |anterior )?(?:respuesta|explicacion|contestacion|parte|frase)|(?:el|ese|este|tu) (?:ultimo |anterior )?(?:mensaje|parrafo|punto))\b",
        r"\b(?:explica|repit|repet|resum|simplific|traduc|aclar|reformul|ampli|acort|abrevi|parafrase|sintetiz|detall|reduc)(?:a|e|i|ar|er|ir)?(?:me)?(?:lo|la)\b",
        r"\b(?:dilo|dimelo|decirlo|decirmelo|ponlo|expresalo|cuentamelo|hazlo|hazla|dejalo)\b.{0,20}\b(?:mas|menos|otra|en|con|de nuevo|otras)\b",
        r"\b(?:con|en) (?:otras|menos|pocas|tus propias) palabras\b|\b(?:de forma|de manera) mas (?:simple|sencilla|clara|breve|corta|resumida)\b|\ben terminos (?:mas )?(?:simples|sencillos)\b",
        r"\b(?:en|con) (?:una|dos|tres|un par de|unas|pocas|\d+) (?:frases?|lineas?|oraciones|palabras|parrafos?|puntos)\W*(?:por favor)?\W*$",
        r"^\W*(?:y |pero |vale |ok |por favor,? )?(?:(?:un poco |mucho )?mas (?:corto|corta|breve|largo|larga|simple|sencillo|sencilla|despacio|claro|clara|detalle|detalles|detallado|detallada|conciso)|menos (?:tecnico|tecnica|detalle|formal)|demasiado (?:largo|larga|corto|tecnico|complicado)|otra vez|de nuevo|una vez mas|continua|sigue|adelante|cuentame mas|dime mas|y luego|y despues|y que mas|algo mas|por que|por que no|en serio|de verdad|como|perdon|perdona|que)(?:,? por favor| sobre eso)?\W*$",
        r"\bque (?:quieres|quisiste|querias) decir\b|\bque significa (?:eso|esto|lo anterior)\b|\bno (?:lo |te |la )?(?:he )?(?:entiendo|entendi|entendido|comprendo|pillo)\b|\bno me (?:queda|ha quedado|quedo) claro\b|\bpuedes (?:repetir|continuar|resumir|aclarar|seguir)(?:lo|la)?\W*(?:por favor)?\W*$",
        r"\b(?:que (?:has dicho|dijiste|acabas de decir)|tu (?:ultima|anterior) (?:respuesta|explicacion)|tu (?:respuesta|explicacion|mensaje) anterior|la (?:respuesta|explicacion) anterior|la ultima respuesta|de que (?:estabamos|hablabamos))\b",
        r"\b(?:lo mismo|eso|esto|ahora)? ?en (?:ingles|espanol|frances|aleman|italiano|castellano),? por favor\W*$|\b(?:lo mismo|eso|esto|dilo|ponlo) en (?:ingles|espanol|frances|aleman|italiano|castellano)\b",
    ])
});

/// Work on code, which is no talk about the previous answer.
static WORK: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\b(?:write|implement|generate|refactor|fix|debug|convert|port|code)\b.{0,30}\b(?:function|code|endpoint|script|program|loop|test|class|python|javascript|typescript|rust|avap|java|go|sql)\b",
        r"\b(?:in|into|to|en|a) (?:python|javascript|typescript|rust|avap|java|golang|sql|bash)\b",
        r"\b(?:escribe|implementa|genera|refactoriza|corrige|arregla|convierte|programa)\b.{0,30}\b(?:funcion|codigo|endpoint|script|programa|bucle|prueba|clase|python|javascript|avap)\b",
    ])
});

/// The reason if a folded message is clear conversation.
pub(crate) fn signal(subject: &str) -> Option<&'static str> {
    if social::is_social(subject) {
        return Some("greeting, thanks or farewell");
    }
    if matches(&SELF, subject) {
        return Some("about the assistant itself");
    }
    if matches(&ONCE_MORE, subject) && !matches(&WORK, subject) && words(subject).len() <= 30 {
        return Some("the previous answer once more or continued");
    }
    None
}

/// Whether a folded message holds a word of greeting or thanks, or is about the assistant or the previous answer.
pub(crate) fn greets(subject: &str) -> bool {
    signal(subject).is_some() || social::greets(subject)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_text::normalize;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!([SELF.len(), ONCE_MORE.len(), WORK.len()], [4, 22, 3]);
    }

    #[test]
    fn conversation_is_recognised() {
        for message in [
            "Hi there!",
            "Thanks a lot, that was very helpful",
            "Good morning, how are you?",
            "Explain that again in two sentences",
            "Can you say that in simpler terms?",
            "make it shorter",
            "I don't understand",
            "What can you do?",
            "Continue",
            "Why?",
            "Translate your last answer into Spanish",
            "Hola, ¿qué tal?",
            "Muchas gracias por la ayuda",
            "Explícalo otra vez",
            "¿Puedes resumirlo en una frase?",
            "No lo he entendido",
            "más corto, por favor",
            "¿Quién eres?",
            "¿Qué quieres decir?",
        ] {
            assert!(signal(&normalize(message)).is_some(), "{message}");
        }
    }

    #[test]
    fn other_messages_are_not() {
        for message in [
            "Thanks! How do I loop over a list?",
            "Explain how addParam works",
            "Summarize the documentation of loops",
            "Rewrite it in Python",
            "What is a connector?",
            "Write a function that repeats a string",
            "Explica cómo funciona startLoop",
            "Gracias, ¿y cómo leo un parámetro?",
            "Hola, escribe un endpoint",
        ] {
            assert!(signal(&normalize(message)).is_none(), "{message}");
        }
    }
}
