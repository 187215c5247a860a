//! What actions share: the client that sent the request, the sessions it names, its parameters, and work that
//! more than one action does.
//!
//! # Where things are
//!
//! *Who and what*: `client`, `find`, `target`, `in_flight`; `directory`, `limits`, `start_limits`, `checks`,
//! `unique_label` and `confirm` check what is asked. *Replies*: `replies`, `started`, `new_output` (what a client has
//! not seen), `wait_plan`. *Typing*: `keystrokes` is the request, `typing` the bytes, `input_record` what is remembered
//! of them, `start_input` the input of `start`, `question` an agent's question, `no_enter` text of a model
//! that no Enter follows. *Ending*: `ending`, `stopping`, `job_stop`, `removal`. *Elsewhere*: `there` (hosts),
//! `batch`. `uncancelled` is work that goes on without its client.

pub(crate) mod batch;
pub(crate) mod checks;
pub(crate) mod client;
pub(crate) mod confirm;
pub(crate) mod directory;
pub(crate) mod ending;
pub(crate) mod find;
pub(crate) mod in_flight;
pub(crate) mod input_record;
pub(crate) mod job_stop;
pub(crate) mod keystrokes;
pub(crate) mod limits;
pub(crate) mod new_output;
mod no_enter;
pub(crate) mod question;
pub(crate) mod removal;
pub(crate) mod replies;
pub(crate) mod start_input;
pub(crate) mod start_limits;
pub(crate) mod started;
pub(crate) mod stopping;
pub(crate) mod target;
pub(crate) mod there;
pub(crate) mod typing;
pub(crate) mod uncancelled;
pub(crate) mod unique_label;
pub(crate) mod wait_plan;
