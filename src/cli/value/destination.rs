//! Where a verb writes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The value of `--output`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Standard output, which `-` stands for.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Destination {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::File(file) => Some(file),
        }
    }
}

impl From<OsString> for Destination {
    fn from(word: OsString) -> Self {
        match word.to_str() {
            Some("-") => Self::Stdout,
            _ => Self::File(word.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_output_and_a_path_to_it_is_not() {
        let of = |word: &str| Destination::from(OsString::from(word));
        assert_eq!(of("-"), Destination::Stdout);
        assert_eq!(of("./-").file(), Some(Path::new("./-")));
        assert_eq!(of("-a").file(), Some(Path::new("-a")));
    }
}
