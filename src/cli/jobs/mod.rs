//! Operations on jobs that several verbs share.

pub mod attach;
pub mod bash_line;
pub mod cause;
pub mod consent;
pub mod cuts;
pub mod ended;
pub mod ending;
pub mod newest;
pub mod patience;
pub mod quiet;
pub mod share;
pub mod signals;
pub mod started;
pub mod sudden_end;
pub mod typing;
pub mod unsaved;
