//! The commands that the language of an answer knows: AVAP's, where question or sources are about AVAP.

use assay_grounding::{Terms, spelling};

use crate::ports::CodeQuery;

/// Most names offered in place of an unknown one.
const NEAR: usize = 3;

/// The commands of the language that an answer is about; none for any other subject.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Commands {
    spoken: bool,
}

impl Commands {
    /// Of an answer to these terms.
    pub(crate) fn of(terms: &Terms, code: &CodeQuery) -> Self {
        let named = |text: &str| {
            text.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("avap"))
        };
        let spoken =
            [&code.default_language, &code.wanted_language].iter().any(|language| *language == "avap")
                || named(&terms.question)
                || terms.sources.iter().any(|source| {
                    source.language == "avap"
                        || [&source.path, &source.title, &source.text].iter().any(|text| named(text))
                });
        Self { spoken }
    }

    /// Whether it is one of them, call parentheses aside; capitals count.
    pub(crate) fn knows(self, name: &str) -> bool {
        self.spoken && assay_avap::command(bare(name)).is_some()
    }

    /// Those that are spelled like an unknown name, nearest first.
    pub(crate) fn near(self, name: &str) -> Vec<String> {
        if !self.spoken {
            return Vec::new();
        }
        let all = assay_avap::commands().iter().map(|command| command.name.as_str());
        spelling::nearest(bare(name), all, NEAR)
    }
}

fn bare(name: &str) -> &str {
    name.trim_end_matches("()").trim_matches('`')
}
