//! Greetings, thanks and farewells in English and Spanish.

use crate::{listed, words};

/// Words of which a purely social message consists.
const SOCIAL: &str = "\
    welcome you're never mind forget nada de encantado encantada conocerte meet dejalo olvidalo igualmente \
    placer problem sounds agree interesting interesante wow proxima hi hello hey hiya howdy greetings good morning afternoon evening night day there everyone all \
    again how are you is it going doing today what's up thanks thank thx ty cheers many a lot so \
    very much for the your help great nice perfect awesome excellent cool amazing wonderful ok okay \
    alright fine got understood i see makes sense that that's this was really helpful useful clear \
    bye goodbye ciao later soon have take care appreciate my friend assistant answer explanation \
    work job well done love yes no please sure now appreciated just what wanted needed exactly and \
    weekend one brilliant lovely hola buenas buenos dias tardes noches que tal como estas va todo \
    saludos gracias muchas muchisimas mil por la el tu ayuda respuesta explicacion genial perfecto \
    estupendo excelente vale de acuerdo entendido claro bien muy adios hasta luego pronto manana \
    nos vemos eso es era lo queria necesitaba justo util me ha sido ayudado mucho eres amable un \
    saludo y si ya entiendo hoy ti te agradezco fantastico bueno buen dia todos feliz fin semana";

/// Words of which at least one must be there.
const CORE: &str = "\
    hi hello hey hiya howdy greetings morning afternoon evening night thanks thank thx ty cheers \
    great nice perfect awesome excellent cool amazing wonderful ok okay alright understood got bye \
    goodbye ciao later appreciate appreciated hola buenas buenos saludos saludo gracias genial \
    perfecto estupendo excelente vale acuerdo entendido adios luego pronto agradezco estas tal \
    helpful util sense brilliant lovely fantastico yes no si claro going doing up bien entiendo \
    welcome mind forget nada encantado encantada meet dejalo olvidalo igualmente placer problem \
    agree interesting interesante wow proxima";

/// Whether a text of [`crate::normalize`] is nothing but greeting, thanks or farewell.
#[must_use]
pub fn is_social(normalized: &str) -> bool {
    let words = words(normalized);
    !words.is_empty()
        && words.len() <= 14
        && words.iter().all(|word| listed(SOCIAL, word.text))
        && words.iter().any(|word| listed(CORE, word.text))
}

/// Whether a text of [`crate::normalize`] holds a word of greeting, thanks or farewell.
#[must_use]
pub fn greets(normalized: &str) -> bool {
    words(normalized).iter().any(|word| listed(CORE, word.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize;

    #[test]
    fn thanks_with_praise_are_social_and_requests_are_not() {
        for text in ["Thanks, that was helpful", "Hola, ¿qué tal?", "perfect, exactly what I needed"] {
            assert!(is_social(&normalize(text)), "{text}");
        }
        for text in ["Thanks, now shorter", "Hola, ¿qué es un bucle?", "loops", ""] {
            assert!(!is_social(&normalize(text)), "{text}");
        }
        assert!(greets(&normalize("Hi, what is a loop?")) && !greets(&normalize("loops")));
    }
}
