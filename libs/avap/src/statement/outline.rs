//! What is known about a file before its lines are read: its functions, and what has been suggested for unknown names.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::commands::Profiles;
use crate::suggest::{Suggestion, suggest};

/// The number of parameters of a function whose definition could not be read.
pub(crate) const ANY_ARITY: usize = usize::MAX;

/// What is known about the file before its lines are read.
pub(crate) struct Outline<'a> {
    /// Functions with the number of their parameters; [`ANY_ARITY`] where it cannot be told, or two definitions differ.
    pub(crate) functions: BTreeMap<&'a str, usize>,
    /// Names that some line seems to assign, once somebody has asked.
    pub(crate) assigned: OnceCell<HashSet<&'a str>>,
    /// Finds them.
    pub(crate) find: &'a dyn Fn() -> HashSet<&'a str>,
    /// What has been suggested for unknown names.
    pub(crate) suggested: RefCell<HashMap<&'a str, Suggestion>>,
}

/// Unknown names of one program for which the nearest known name is looked for.
const MOST_SUGGESTED: usize = 256;

impl<'a> Outline<'a> {
    /// What to say about an unknown name; looked for once, and only for so many names of a program.
    pub(crate) fn suggest(&self, word: &'a str, profiles: Profiles) -> Suggestion {
        if let Some(known) = self.suggested.borrow().get(word) {
            return known.clone();
        }
        let mut suggested = self.suggested.borrow_mut();
        if suggested.len() >= MOST_SUGGESTED {
            return Suggestion {
                name: None,
                help: "it is no command and no function of this program".to_owned(),
            };
        }
        let found = suggest(word, self.functions.keys().copied(), profiles);
        suggested.insert(word, found.clone());
        found
    }

    /// Whether some line seems to assign the name.
    pub(crate) fn assigns(&self, name: &str) -> bool {
        self.assigned.get_or_init(self.find).contains(name)
    }
}
