//! Settings combined from flags, environment and `config.toml`.

pub mod agent;
pub mod dashboard;
pub mod grace;
pub mod host;

use crate::cli::exit::Failure;
use crate::client;
use crate::config::{self, Config, ConfigError, LogLevel, names_of};

/// Loads `config.toml`. Also checks the variable that overrides the log level for daemon and keeper,
/// because they could not report a mistake to the user.
pub fn configuration() -> Result<Config, Failure> {
    let level = LogLevel::asked();
    if !level.is_empty() && LogLevel::parse(&level).is_none() {
        let (name, levels) = (LogLevel::VARIABLE, names_of::<LogLevel>().join(", "));
        let message = format!("{name}=`{level}` is invalid; use one of {levels}");
        return Err(Failure::Usage(message));
    }
    let path = client::home()?.config_file();
    let (config, mut wrong) = config::look(&path)?;
    wrong.extend(dashboard::faults(&config, &path));
    match ConfigError::all(wrong) {
        Some(error) => Err(error.into()),
        None => Ok(config),
    }
}
