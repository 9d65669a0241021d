//! What the uses of a model do with small models that the tests make.
#![allow(clippy::unwrap_used)]

mod embed;
mod made;
mod reader;
