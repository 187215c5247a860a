//! The identity and permissions of the agent of `--serve` and `mcp`.

use super::configuration;
use crate::cli::exit::Failure;
use crate::cli::output::note;
use crate::protocol::Greeting;
use crate::protocol::hello::OnDisconnect;
use crate::protocol::launchers;
use crate::serve;

/// The greeting of the agent, from flags, environment and `config.toml`.
pub(in crate::cli) fn greeting(flags: serve::Flags) -> Result<Greeting, Failure> {
    for program in flags.allow.iter().flatten() {
        if let Some(how) = launchers::about(program) {
            note(&format!(
                "{program} can start other programs: {how}; --allow does not restrict those"
            ));
        }
    }
    let var = |name: &str| std::env::var_os(name);
    serve::greeting(flags, var, &configuration()?).map_err(Failure::Usage)
}

/// Parses `--on-disconnect` of `--serve` and `mcp`.
pub(in crate::cli) fn parse_on_disconnect(text: &str) -> Result<OnDisconnect, String> {
    match text {
        "keep" => Ok(OnDisconnect::Keep),
        "kill" => Ok(OnDisconnect::Kill),
        _ => Err(format!("`{text}` is neither keep nor kill")),
    }
}
