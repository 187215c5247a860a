//! The colours of the terminal in which somebody watches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The colours of a terminal, each as `#rrggbb`. Programs in jobs that ask for colours are told these.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TerminalColors {
    /// Text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreground: Option<String>,
    /// Background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// The cursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The first sixteen colours of the palette, or as many as are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub palette: Vec<String>,
}
