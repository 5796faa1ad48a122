//! From a conversation and a request to what is sent: blocks, segments, entries, and the evidence.
//!
//! [`pipeline::plan`] works it out; [`answer::Estimate`] says it on the wire. [`allocator`] and [`select`] see
//! only numbers.

pub mod allocator;
pub mod answer;
mod blocks;
mod documents;
mod grant;
pub mod history;
mod memory;
pub mod merge;
mod pen;
pub mod pipeline;
mod place;
pub mod plan;
pub mod request;
pub mod resolve;
mod rounds;
pub mod segment;
pub mod select;
pub mod turns;

pub use answer::Estimate;
pub use pipeline::{Given, Limits, Memo, plan};
pub use plan::Plan;
pub use request::{Door, EstimateRequest};
pub use resolve::Catalogue;
