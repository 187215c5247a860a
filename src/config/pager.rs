//! The pager that a person has chosen.

/// Name of the environment variable that names the pager.
pub const VARIABLE: &str = "PAGER";

/// The command of the pager for the value of [`VARIABLE`]; an empty value counts as unset. Plain `less` gets
/// `-R`, as git does it, because otherwise it shows colours as escape sequences.
pub fn command(named: &str) -> &str {
    match named.trim() {
        "" | "less" => "less -R",
        other => other,
    }
}
