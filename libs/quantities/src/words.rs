//! Reads figures in words: "twelve", "dos mil", "half".

use assay_text::shape::TokenKind;

/// Value of a number word; `true` for words that multiply what stands before them.
pub(crate) fn word(text: &str) -> Option<(f64, bool)> {
    let value = match text {
        "zero" | "cero" => 0.0,
        "half" | "mitad" => 0.5,
        "one" | "un" | "una" | "uno" => 1.0,
        "single" => 1.0,
        "two" | "dos" | "twice" => 2.0,
        "thrice" => 3.0,
        "three" | "tres" => 3.0,
        "four" | "cuatro" => 4.0,
        "five" | "cinco" => 5.0,
        "six" | "seis" => 6.0,
        "seven" | "siete" => 7.0,
        "eight" | "ocho" => 8.0,
        "nine" | "nueve" => 9.0,
        "ten" | "diez" => 10.0,
        "eleven" | "once" if text == "eleven" => 11.0,
        "twelve" | "doce" => 12.0,
        "thirteen" | "trece" => 13.0,
        "fourteen" | "catorce" => 14.0,
        "fifteen" | "quince" => 15.0,
        "sixteen" | "dieciseis" => 16.0,
        "seventeen" | "diecisiete" => 17.0,
        "eighteen" | "dieciocho" => 18.0,
        "nineteen" | "diecinueve" => 19.0,
        "twenty" | "veinte" => 20.0,
        "veintiun" | "veintiuno" | "veintiuna" => 21.0,
        "veintidos" => 22.0,
        "veintitres" => 23.0,
        "veinticuatro" => 24.0,
        "veinticinco" => 25.0,
        "veintiseis" => 26.0,
        "veintisiete" => 27.0,
        "veintiocho" => 28.0,
        "veintinueve" => 29.0,
        "thirty" | "treinta" => 30.0,
        "forty" | "cuarenta" => 40.0,
        "fifty" | "cincuenta" => 50.0,
        "sixty" | "sesenta" => 60.0,
        "seventy" | "setenta" => 70.0,
        "eighty" | "ochenta" => 80.0,
        "ninety" | "noventa" => 90.0,
        "dozen" | "docena" => return Some((12.0, true)),
        "hundred" | "cien" | "ciento" | "hundreds" => return Some((100.0, true)),
        "doscientos" | "doscientas" => 200.0,
        "trescientos" | "trescientas" => 300.0,
        "cuatrocientos" | "cuatrocientas" => 400.0,
        "quinientos" | "quinientas" => 500.0,
        "seiscientos" | "seiscientas" => 600.0,
        "setecientos" | "setecientas" => 700.0,
        "ochocientos" | "ochocientas" => 800.0,
        "novecientos" | "novecientas" => 900.0,
        "thousand" | "mil" => return Some((1e3, true)),
        "million" | "millions" | "millon" | "millones" => return Some((1e6, true)),
        "billion" | "billions" | "bn" => return Some((1e9, true)),
        _ => return None,
    };
    Some((value, false))
}

/// Whether a folded word is a figure by itself.
pub fn is_word(text: &str) -> bool {
    word(text).is_some()
}

/// The last non-zero decimal place of a whole number: what may still be added to it.
pub(crate) fn lowest(value: f64) -> f64 {
    let mut place = 1.0;
    while place < 1e12 && value > 0.0 && (value / (place * 10.0)).fract() == 0.0 {
        place *= 10.0;
    }
    place
}

/// Whether a figure may begin with a folded word: digits, a number word, or the article of "an hour".
pub(crate) fn counts(kind: TokenKind, norm: &str) -> bool {
    match kind {
        TokenKind::Number(_) => true,
        TokenKind::Word => word(norm).is_some() || article(norm) || matches!(norm, "media" | "medio"),
        _ => article(norm),
    }
}

pub(crate) fn article(word: &str) -> bool {
    matches!(word, "a" | "an" | "un" | "una")
}
