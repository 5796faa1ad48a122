//! The panel: one page that shows what a request will carry, and the worker that works it out.
//!
//! Everything that needs no page stands in small rooms of pure functions, tested where they are;
//! [`engine`] alone knows that there is a worker; [`panel`] holds the state; [`view`] draws it.

pub mod engine;
pub mod face;
pub mod fit;
pub mod form;
pub mod lines;
pub mod panel;
pub mod place;
pub mod protocol;
pub mod queue;
pub mod save;
pub mod share;
pub mod stretches;
pub mod template;
pub mod view;
pub mod ways;
pub mod windowing;
pub mod words;
