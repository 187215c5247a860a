//! The `bgproc` binary.
fn main() -> std::process::ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("keeper") => bgproc::keeper::run(),
        Some("daemon") => bgproc::daemon::run(),
        _ => std::process::ExitCode::FAILURE,
    }
}
