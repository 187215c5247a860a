//! The `bgproc` binary: which of its processes this one is.

use std::process::ExitCode;

use bgproc::sys::detach::ROLE;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    // Both are started often and in a hurry, before any parser is built. People
    // type `bgproc daemon` as well, so the internal roles also require BGPROC_ROLE.
    let role = std::env::var_os(ROLE);
    match &args[..] {
        [_, keeper] if keeper == "keeper" && role.as_ref() == Some(keeper) => bgproc::keeper::run(),
        [_, daemon] if daemon == "daemon" && role.as_ref() == Some(daemon) => bgproc::daemon::run(),
        _ => bgproc::cli::run(args),
    }
}
