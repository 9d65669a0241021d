//! What predicates say in the end: that something is allowed, included, kept, goes on, costs, is shown, is needed. Words of
//! one sense stand for one another where two texts are compared by what they affirm and deny; words on its other side
//! deny it.

use crate::flags;
use crate::index::{Analysed, bit};
use crate::language::Language;
use crate::lexicon;
use crate::lists::RELATIONAL;
use crate::tokens::{Map, Token, TokenKind, Tokenizer};
use std::sync::LazyLock;

/// A sense: what affirms it and what denies it, in English and in Spanish.
struct Sense {
    affirms: [&'static str; 2],
    denies: [&'static str; 2],
}

/// That something may be done; every clause that is denied denies it.
pub(super) const ALLOWED: u8 = 0;

const SENSES: &[Sense] = &[
    // Allowed, good enough.
    Sense {
        affirms: [
            "allow permit possible fine okay welcome accept admit able suffice sufficient enough valid good eligible acceptable authorise authorize suitable available safe recommend advisable",
            "permitir admitir aceptar valer servir bastar suficiente posible bienvenido bienvenida autorizar valido valida apto apta disponible seguro segura recomendar recomendable",
        ],
        denies: [
            "forbid forbidden prohibit ban disallow reject refuse impossible ineligible deny prevent block unsuitable unavailable",
            "prohibir vetar rechazar impedir imposible denegar bloquear",
        ],
    },
    // Included.
    Sense {
        affirms: [
            "include contain cover belong count part comprise appear insure",
            "incluir contener cubrir parte contar entrar dentro abarcar computar pertenecer",
        ],
        denies: [
            "exclude omit exempt miss missing lack absent",
            "excluir exento exenta omitir faltar carecer ausente fuera",
        ],
    },
    // Kept as it is.
    Sense {
        affirms: [
            "keep retain remain survive preserve persist stay intact untouched unchanged maintain",
            "conservar mantener guardar permanecer intacto intacta sobrevivir preservar",
        ],
        denies: [
            "lose loss delete remove erase discard destroy drop wipe reset overwrite vanish disappear touch",
            "perder borrar eliminar suprimir descartar destruir desaparecer tocar sobrescribir restablecer",
        ],
    },
    // Goes on.
    Sense {
        affirms: ["continue proceed resume", "continuar seguir proseguir reanudar"],
        denies: [
            "stop halt interrupt interruption pause abort suspend",
            "parar detener interrumpir interrupcion cortar cesar suspender",
        ],
    },
    // Costs.
    Sense {
        affirms: [
            "cost charge pay fee bill billed payment",
            "costar cobrar pagar coste comision gasto cuesta recargo",
        ],
        denies: ["free gratis complimentary", "gratis gratuito gratuita"],
    },
    // Is done, is heeded.
    Sense {
        affirms: [
            "run execute read process apply evaluate consider heed handle honour honor",
            "ejecutar leer procesar aplicar evaluar considerar",
        ],
        denies: ["skip ignore bypass disregard", "saltar ignorar omitir"],
    },
    // Can be seen or reached.
    Sense {
        affirms: [
            "access see view visible show display appear reach reveal",
            "acceder acceso ver visible mostrar aparecer revelar",
        ],
        denies: ["hide hidden invisible inaccessible conceal", "ocultar oculto invisible inaccesible"],
    },
    // Is needed.
    Sense {
        affirms: [
            "need require necessary mandatory compulsory obligatory requirement",
            "necesitar requerir necesario necesaria obligatorio obligatoria exigir imprescindible",
        ],
        denies: [
            "optional voluntary unnecessary dispensable",
            "opcional voluntario voluntaria innecesario innecesaria",
        ],
    },
    // Harms.
    Sense {
        affirms: ["harm damage destroy break hurt ruin", "danar estropear destruir romper perjudicar"],
        denies: ["harmless safe", "inofensivo inofensiva"],
    },
    // Is paid back.
    Sense {
        affirms: ["refund repay reimburse reimbursement", "devolver devolucion reembolsar reembolso"],
        denies: ["nonrefundable", ""],
    },
    // Is taken back.
    Sense {
        affirms: [
            "undo restore revert recover reverse reversible",
            "deshacer restaurar revertir recuperar reversible",
        ],
        denies: ["irreversible permanent", "irreversible"],
    },
    // Changes.
    Sense {
        affirms: [
            "change alter modify adjust affect edit",
            "cambiar modificar ajustar alterar afectar editar",
        ],
        denies: ["unchanged unaffected immutable untouched", "fijo fija inmutable intacto intacta"],
    },
    // Grows.
    Sense {
        affirms: ["grow increase strengthen extend expand", "aumentar crecer ampliar reforzar"],
        denies: ["shrink decrease reduce weaken", "reducir disminuir menguar"],
    },
];

/// Stems with their senses, and whether they affirm them.
static TABLE: LazyLock<Map<Vec<(u8, bool)>>> = LazyLock::new(|| {
    let tokenizers = [Language::English, Language::Spanish].map(|language| Tokenizer::new(Some(language)));
    let mut table: Map<Vec<(u8, bool)>> = Map::default();
    for (number, sense) in (0..).zip(SENSES) {
        for (affirms, lists) in [(true, &sense.affirms), (false, &sense.denies)] {
            for (words, tokenizer) in lists.iter().zip(&tokenizers) {
                for word in words.split_whitespace() {
                    let entry = table.entry(tokenizer.stem_hash(word)).or_default();
                    if !entry.contains(&(number, affirms)) {
                        entry.push((number, affirms));
                    }
                }
            }
        }
    }
    table
});

/// The senses of a word, each with whether it affirms it.
pub(super) fn of(token: &Token) -> &'static [(u8, bool)] {
    match token.kind {
        TokenKind::Word if token.content() && !token.code => {
            TABLE.get(&token.stem).map_or(&[], Vec::as_slice)
        }
        _ => &[],
    }
}

/// The senses that the words of a text affirm and deny, a bit for each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told {
    affirmed: u64,
    denied: u64,
}

impl Told {
    pub(super) fn of(tokens: &[Token]) -> Self {
        let mut told = Self::default();
        for (sense, affirms) in tokens.iter().flat_map(of) {
            let side = if *affirms { &mut told.affirmed } else { &mut told.denied };
            *side |= bit(u64::from(*sense));
        }
        told
    }

    /// Whether some word may have one of some senses, or be on its other side.
    fn may_tell(self, senses: &[(u8, bool)], same: bool) -> bool {
        senses.iter().any(|(sense, affirms)| {
            let side = if *affirms == same { self.affirmed } else { self.denied };
            side & bit(u64::from(*sense)) != 0
        })
    }
}

/// How two words stand to one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relation {
    /// Whether the one says what the other says; else it says the opposite.
    pub(super) agrees: bool,
    /// Whether they are the same word, or known to stand for one another; else they only share a sense.
    pub(super) close: bool,
}

/// Whether some of a text's words may be built from another one: with a prefix that denies it, or as what can be done.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Built {
    denying: bool,
    able: bool,
}

impl Built {
    pub(super) fn of(tokens: &[Token]) -> Self {
        let mut built = Self::default();
        for token in tokens.iter().filter(|token| token.content()) {
            built.denying |= token.is(flags::UNDOES);
            built.able |= token.is(flags::ABLE);
        }
        built
    }
}

/// A word with what is known of it, to be held against many others.
pub(super) struct Own<'t> {
    token: &'t Token,
    built: Built,
    senses: &'static [(u8, bool)],
    opposites: &'static [u64],
}

impl<'t> Own<'t> {
    pub(super) fn new(token: &'t Token) -> Self {
        let mut opposites = lexicon::opposites(token.stem);
        if !opposites.is_empty() && RELATIONAL.contains(&token.norm.as_str()) {
            opposites = &[];
        }
        Self { token, built: Built::of(std::slice::from_ref(token)), senses: of(token), opposites }
    }

    /// Whether some word of a text may say the opposite.
    pub(super) fn may_disagree(&self, words: &Analysed) -> bool {
        let theirs = words.denials();
        self.built.denying
            || theirs.built().denying
            || theirs.told().may_tell(self.senses, false)
            || self.opposites.iter().any(|stem| words.holds(*stem))
    }

    /// Whether some word of a text may say the same.
    pub(super) fn may_agree(&self, words: &Analysed) -> bool {
        let theirs = words.denials();
        self.built.able
            || theirs.built().able
            || theirs.told().may_tell(self.senses, true)
            || words.says_token(self.token)
    }

    /// How two words of content stand to one another; `None` where they have nothing to do with one another.
    pub(super) fn relation(&self, two: &Token) -> Option<Relation> {
        let one = self.token;
        if one.means(two) {
            return Some(Relation { agrees: true, close: true });
        }
        if one.kind != TokenKind::Word || two.kind != TokenKind::Word {
            return None;
        }
        if !self.senses.is_empty() {
            let twos = of(two);
            let shared = self.senses.iter().find_map(|(sense, affirms)| {
                twos.iter().find(|(other, _)| other == sense).map(|(_, other)| affirms == other)
            });
            if let Some(agrees) = shared {
                return Some(Relation { agrees, close: false });
            }
        }
        if self.opposites.binary_search(&two.stem).is_ok() {
            return Some(Relation { agrees: false, close: true });
        }
        let undoes = |one: &Token, two: &Token| one.is(flags::UNDOES) && undoes(&one.norm, &two.norm);
        if undoes(one, two) || undoes(two, one) {
            return Some(Relation { agrees: false, close: true });
        }
        // Both begin with the same root.
        let able = (one.is(flags::ABLE) || two.is(flags::ABLE))
            && one.norm.as_bytes().get(..ROOT) == two.norm.as_bytes().get(..ROOT)
            && (makes_able(&one.norm, &two.norm) || makes_able(&two.norm, &one.norm));
        able.then_some(Relation { agrees: true, close: true })
    }
}

/// Fewest letters that two words built from one another share.
const ROOT: usize = 4;

/// Whether a word is another with a prefix that denies: "unlimited" and "limit".
fn undoes(word: &str, other: &str) -> bool {
    other.len() > ROOT && undone(word).is_some_and(|rest| alike(rest, other))
}

/// Whether a folded word may deny another one by its prefix.
pub(crate) fn may_undo(word: &str) -> bool {
    undone(word).is_some()
}

/// What a word may deny by its prefix, long enough to be another word.
fn undone(word: &str) -> Option<&str> {
    let rest = match word.as_bytes().first() {
        Some(b'u') => word.strip_prefix("un"),
        Some(b'n') => word.strip_prefix("non"),
        _ => None,
    };
    rest.filter(|rest| rest.len() > ROOT)
}

/// Ends of words that say what can be done.
const ABLE: [&str; 4] = ["able", "ables", "ible", "ibles"];

/// Whether a word says that another can be done: "readable" and "read".
fn makes_able(word: &str, other: &str) -> bool {
    able_root(word).is_some_and(|root| other.len() <= root.len() + 4 && alike(root, other))
}

/// Whether a folded word may say of another one that it can be done.
pub(crate) fn may_make_able(word: &str) -> bool {
    able_root(word).is_some()
}

/// What a word may say that it can be done, long enough to be another word.
fn able_root(word: &str) -> Option<&str> {
    let root = ABLE.iter().find_map(|end| word.strip_suffix(end));
    root.filter(|root| root.len() >= ROOT)
}

/// Whether two words begin alike, up to what forms change.
fn alike(one: &str, two: &str) -> bool {
    let shared = one.bytes().zip(two.bytes()).take_while(|(a, b)| a == b).count();
    let short = one.len().min(two.len());
    shared >= ROOT && shared + 1 >= short
}
