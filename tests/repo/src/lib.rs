//! Tests about the repository itself: layers, tidiness, and copies that must agree.
