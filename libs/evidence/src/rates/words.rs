//! Words of rates: periods, adverbs of frequency, and words that may begin a rate.

use crate::numbers::MONTH;

/// Length of a period in seconds.
pub(super) fn period(word: &str) -> Option<f64> {
    Some(match word {
        "second" | "seconds" | "segundo" | "segundos" => 1.0,
        "minute" | "minutes" | "minuto" | "minutos" => 60.0,
        "hour" | "hours" | "hora" | "horas" => 3600.0,
        "day" | "days" | "dia" | "dias" => 86_400.0,
        "week" | "weeks" | "semana" | "semanas" => 604_800.0,
        "month" | "months" | "mes" | "meses" => MONTH,
        "quarter" | "quarters" | "trimestre" | "trimestres" => 7_889_400.0,
        "year" | "years" | "ano" | "anos" => 31_557_600.0,
        _ => return None,
    })
}

/// A word that is a rate by itself.
pub(super) fn adverb(word: &str) -> Option<f64> {
    period(match word {
        "hourly" => "hour",
        "daily" | "diario" | "diaria" | "diarios" | "diarias" | "diariamente" => "day",
        "weekly" | "semanal" | "semanales" | "semanalmente" => "week",
        "monthly" | "mensual" | "mensuales" | "mensualmente" => "month",
        "quarterly" | "trimestral" | "trimestrales" => "quarter",
        "yearly" | "annually" | "anual" | "anuales" | "anualmente" => "year",
        _ => return None,
    })
    .map(|period| 1.0 / period)
}

/// Whether a folded word is a period, or a rate by itself: without one of them nothing is a rate.
pub(crate) fn names_a_period(word: &str) -> bool {
    period(word).is_some() || adverb(word).is_some()
}

/// Whether a folded word may begin or be a rate, or count one.
pub(crate) fn tells_a_rate(word: &str) -> bool {
    matches!(word, "every" | "each" | "per" | "cada" | "a" | "an" | "al" | "por" | "todos" | "todas")
        || adverb(word).is_some()
}
