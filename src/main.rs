//! The `bgproc` binary: which of its processes this one is.

use std::process::ExitCode;

use bgproc::sys::detach::ROLE;
use bgproc::sys::role::ProcessRole;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    // Both are started often and in a hurry, before any parser is built. People
    // type `bgproc daemon` as well, so the internal roles also require BGPROC_ROLE.
    let role = std::env::var_os(ROLE);
    match &args[..] {
        [_, word] if role.as_ref() == Some(word) => match ProcessRole::of(word) {
            Some(ProcessRole::Keeper) => bgproc::keeper::run(),
            Some(ProcessRole::Daemon) => bgproc::daemon::run(),
            None => bgproc::cli::run(args),
        },
        _ => bgproc::cli::run(args),
    }
}
