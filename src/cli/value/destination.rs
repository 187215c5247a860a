//! Where a verb writes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::exit::{Exit, Failure};

/// The value of `--output`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Standard output, which `-` stands for.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Destination {
    /// The format that the extension of the file names; `None` if it has none.
    ///
    /// # Errors
    ///
    /// The extension of no format: a picture for which text was written would only be found out later.
    pub fn format<T: ValueEnum>(&self) -> Result<Option<T>, Failure> {
        let extension = self.file().and_then(Path::extension);
        let Some(extension) = extension.and_then(OsStr::to_str) else {
            return Ok(None);
        };
        if let Ok(format) = T::from_str(extension, true) {
            return Ok(Some(format));
        }
        let values = T::value_variants().iter();
        let values = values.filter_map(ValueEnum::to_possible_value);
        let known: Vec<_> = values.map(|value| value.get_name().to_owned()).collect();
        let message = format!("the extension .{extension} stands for no format");
        Err(Failure::with_message(Exit::USAGE, message).hint(format!(
            "--format selects one whatever the name of the file: {}",
            known.join(", ")
        )))
    }

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

    #[derive(Clone, PartialEq, Debug, ValueEnum)]
    enum Form {
        #[value(alias = "txt")]
        Text,
        Png,
    }

    #[test]
    fn an_extension_selects_a_format_or_is_refused() {
        let of = |word: &str| {
            let format = Destination::from(OsString::from(word)).format::<Form>();
            format.map_err(|failure| failure.exit())
        };
        assert_eq!(of("a.TXT"), Ok(Some(Form::Text)));
        assert_eq!(of("a.b/screen"), Ok(None));
        assert_eq!(of("-"), Ok(None));
        assert_eq!(of("screen.jpg"), Err(Exit::USAGE));
    }

    #[test]
    fn a_dash_is_standard_output_and_a_path_to_it_is_not() {
        let of = |word: &str| Destination::from(OsString::from(word));
        assert_eq!(of("-"), Destination::Stdout);
        assert_eq!(of("./-").file(), Some(Path::new("./-")));
        assert_eq!(of("-a").file(), Some(Path::new("-a")));
    }
}
