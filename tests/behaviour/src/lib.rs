//! One behaviour suite over the whole system; the embedded harness first.
