//! The tools of other programs, under their names and with their fields, for prompts that were
//! written for them.
//!
//! Each set is one file and translates a call into actions of bgproc's protocol.

pub mod deepchat;
pub mod dotnet;
pub mod duragent;
pub mod macos_shell;
