//! The variables that `run` and `restart` set: those of `--env-file`, and those of `--env`.

use std::collections::BTreeMap;

use super::env_file;
use crate::cli::exit::Failure;

/// The variables of `.env` files and of words such as `K=V` and `K`; `None` if there are none. A word wins.
pub fn given(
    files: &[String],
    words: &[String],
) -> Result<Option<BTreeMap<String, Option<String>>>, Failure> {
    let mut all = env_file::read(files)?;
    for word in words {
        let (name, value) = variable(word)?;
        all.insert(name, Some(value));
    }
    Ok(Some(all).filter(|all| !all.is_empty()))
}

/// The name and the value of a variable. The value of `K` is that of this process.
fn variable(word: &str) -> Result<(String, String), Failure> {
    match word.split_once('=') {
        Some(("", _)) => Err(Failure::Usage(format!("`{word}` has no variable name"))),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => match std::env::var(word) {
            Ok(value) => Ok((word.to_owned(), value)),
            Err(_) => Err(Failure::Usage(format!(
                "{word} is not set here (or not UTF-8); write {word}=VALUE"
            ))),
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_set_or_taken_from_here() {
        let set = given(&[], &["A=b=c".to_owned(), "EMPTY=".to_owned()])
            .unwrap()
            .unwrap();
        assert_eq!(set["A"].as_deref(), Some("b=c"));
        assert_eq!(set["EMPTY"].as_deref(), Some(""));
        assert!(given(&[], &["=x".to_owned()]).is_err());
        assert!(given(&[], &["BGPROC_SURELY_NOT_SET".to_owned()]).is_err());
        assert_eq!(given(&[], &[]).unwrap(), None);
    }
}
