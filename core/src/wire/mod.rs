//! One room per provider shape.

pub mod chat;
