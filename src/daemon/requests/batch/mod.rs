//! What clients ask for of the sessions that an engine runs: to submit one, to reach its node, to cancel it.

pub(crate) mod cancel;
pub(crate) mod reach;
pub(crate) mod resolve;
pub(crate) mod submit;
