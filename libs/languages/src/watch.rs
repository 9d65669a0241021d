//! Work that can be ended: whoever asks for a parse may say stop, and every walk and reader asks while it works.

use std::cell::Cell;

/// Asked now and then while a program is parsed; `true` ends it.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// Steps between two questions: nodes, tokens or lines, each well below a microsecond of work.
const STEPS: u32 = 256;

/// The caller said stop before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Why reading ends before the end: the caller said stop, or something else did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt<T> {
    /// The caller said stop.
    Stopped,
    /// Something else ended it.
    Other(T),
}

/// A program exceeds a bound of its reader: the reader cannot be ended, takes quadratic time or recurses beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLarge {
    /// What is counted, such as "bytes of YAML".
    pub(super) what: &'static str,
    /// How many the program has.
    pub(super) size: usize,
    /// The most that are read.
    pub(super) most: usize,
}

impl<T> From<Stopped> for Halt<T> {
    fn from(Stopped: Stopped) -> Self {
        Self::Stopped
    }
}

/// Counts the steps of work and asks now and then whether to stop.
pub(super) struct Watch<'a> {
    stop: Stop<'a>,
    left: Cell<u32>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(stop: Stop<'a>) -> Self {
        Self { stop, left: Cell::new(STEPS) }
    }

    /// One step of work.
    pub(super) fn step(&self) -> Result<(), Stopped> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.ask(),
        }
    }

    /// Asks at once, before or after work that is more than a step.
    pub(super) fn ask(&self) -> Result<(), Stopped> {
        self.left.set(STEPS);
        if (self.stop)() { Err(Stopped) } else { Ok(()) }
    }
}
