//! What a request to a language model carries, byte for byte.
pub mod tokens;
