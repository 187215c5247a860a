//! What the verbs about projects share: the request, the wait for the jobs, and what is shown of them.

pub mod block;
pub mod consent;
pub mod end;
pub mod follow;
pub mod foreign;
pub mod lines;
pub mod plan;
pub mod source;
pub mod wanted;
