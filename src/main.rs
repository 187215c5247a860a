//! The `bgproc` binary: which of its processes this one is.

use std::process::ExitCode;

use rustix::fs::{FileType, fstat};

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    // Both are started often and in a hurry, before any parser is built.
    match &args[..] {
        [_, role] if role == "keeper" => bgproc::keeper::run(),
        // People type `bgproc daemon`, too, but never with a socket as their keyboard.
        [_, role] if role == "daemon" && stdin_is_socket() => bgproc::daemon::run(),
        _ => bgproc::cli::run(args),
    }
}

fn stdin_is_socket() -> bool {
    fstat(std::io::stdin())
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Socket)
}
