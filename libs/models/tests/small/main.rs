//! What the uses of a model do with small models that the tests make.

mod made;
mod rerank;
mod spans;
