//! The tools of other programs, with their names and fields, for prompts that were written for them.
//!
//! Each file is one set of tools and translates its calls into actions of bgproc's protocol.

pub mod deepchat;
pub mod dotnet;
pub mod duragent;
pub mod log_page;
pub mod macos_shell;
pub mod names;
