//! What people can be notified of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something about a job of which people can be notified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Notice {
    /// It failed.
    Failed,
    /// It is ready.
    Ready,
    /// It asks for input.
    Input,
    /// It ended well.
    Done,
}

impl Notice {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Failed, Self::Ready, Self::Input, Self::Done];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Ready => "ready",
            Self::Input => "input",
            Self::Done => "done",
        }
    }

    /// The notices with these names, which commas or blanks separate; else the first word that is none.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, &str> {
        let words = text.split([',', ' ']).filter(|word| !word.is_empty());
        words.map(|word| Self::parse(word).ok_or(word)).collect()
    }

    /// The notice with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|notice| notice.as_str() == text)
    }
}
