//! What flags, environment and `config.toml` say together.

pub mod agent;
pub mod dashboard;
pub mod grace;

use crate::cli::exit::Failure;
use crate::client;
use crate::config::{self, Config, LogLevel, names_of};

/// What `config.toml` says. The variable that overrules a part of it for daemon
/// and keeper is checked along with it: they would not be able to complain.
pub fn configuration() -> Result<Config, Failure> {
    let level = std::env::var(LogLevel::VARIABLE).unwrap_or_default();
    if !level.is_empty() && LogLevel::parse(&level).is_none() {
        let (name, levels) = (LogLevel::VARIABLE, names_of::<LogLevel>().join(", "));
        let message = format!("{name}=`{level}` is wrong; it needs one of {levels}");
        return Err(Failure::Usage(message));
    }
    let path = client::home()?.config_file();
    let config = config::load(&path)?;
    dashboard::check(&config, &path)?;
    Ok(config)
}
