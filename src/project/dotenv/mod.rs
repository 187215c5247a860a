//! The language of `.env` files.
//!
//! - A line is `NAME=value`, with an optional `export` before it and spaces around the `=`.
//! - `'…'` is literal. `"…"` knows `\n \t \r \" \\ \$`. Both may run over several lines.
//! - A value without quotes ends at ` #` or at the end of the line.
//! - Outside `'…'`, `$X`, `${X}` and `${X:-default}` are expanded when the environment is made, because only then
//!   it is known whether X is set. `$X` of a variable that is not set stays as it is.
//!
//! Files are data: no command is ever run.

mod reader;

use std::path::Path;

use super::fault::{Fault, Faults};
use super::place::{Lines, Place};
use reader::Reader;

/// Maximum size of a file, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// A variable of a `.env` file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The name.
    pub name: String,
    /// The value, in pieces.
    pub value: Vec<Piece>,
    /// The place of the name.
    pub place: Place,
}

/// A piece of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// A variable.
    Variable {
        /// Its name.
        name: String,
        /// What replaces it if it is not set or empty.
        default: Option<String>,
        /// How it is written, which is what remains if it is not set.
        written: String,
    },
}

/// Reads a file: its pairs in their order, or all that is wrong with it.
pub fn parse(path: &Path, content: &[u8]) -> Result<Vec<Pair>, Vec<Fault>> {
    let faults = Faults::default();
    let text = match std::str::from_utf8(content) {
        Ok(text) => text,
        Err(error) => {
            let valid = content.get(..error.valid_up_to()).unwrap_or_default();
            let valid = String::from_utf8_lossy(valid);
            let place = Lines::new(path, &valid).place(valid.len());
            return Err(vec![Fault::at(
                &place,
                "the file is not valid UTF-8 from here on",
            )]);
        }
    };
    let lines = Lines::new(path, text);
    let mut reader = Reader {
        text,
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
    };
    let mut pairs = Vec::new();
    while reader.at < text.len() {
        let start = reader.at;
        match reader.line() {
            Ok(Some((offset, name, value))) => pairs.push(Pair {
                name,
                value,
                place: lines.place(offset),
            }),
            Ok(None) => {}
            Err((offset, why)) => {
                faults.add(&lines.place(offset), why);
                // A quote that is not closed would otherwise hide the rest of the file.
                reader.at = start;
                reader.skip_line();
            }
        }
    }
    faults.finish().map(|_| pairs)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pairs as `NAME=value`, with variables as they are written between `<` and `>`.
    fn read(text: &str) -> Vec<String> {
        let pairs = parse(Path::new(".env"), text.as_bytes()).unwrap();
        let one = |pair: &Pair| {
            let value = pair.value.iter().map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Variable { written, .. } => format!("<{written}>"),
            });
            format!("{}={}", pair.name, value.collect::<String>())
        };
        pairs.iter().map(one).collect()
    }

    fn faults(text: &[u8]) -> Vec<String> {
        let faults = parse(Path::new(".env"), text).unwrap_err();
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines() {
        for (text, expected) in [
            ("A=b", "A=b"),
            ("export A=b", "A=b"),
            ("  export\tA = b  ", "A=b"),
            ("export=1", "export=1"),
            ("exporter=1", "exporter=1"),
            ("A=", "A="),
            ("A= # none", "A="),
            ("A=b c # d", "A=b c"),
            ("A=b#c", "A=b#c"),
            ("A=#", "A=#"),
            ("A=#fff # white", "A=#fff"),
            ("A= #fff", "A="),
            ("A=it's", "A=it's"),
            ("A='b $C \\n'", "A=b $C \\n"),
            ("A='b' # c", "A=b"),
            ("A=\"b\\n\\t\\\"\\\\\\$C\\d\"", "A=b\n\t\"\\$C\\d"),
            ("A=\"b\nc\"", "A=b\nc"),
            ("A=\"b\r\nc\"\r\n", "A=b\nc"),
            ("A='b\nc'", "A=b\nc"),
            ("A=\"\"", "A="),
            ("A.b-c=1", "A.b-c=1"),
            ("A=$B${C}d", "A=<$B><${C}>d"),
            ("A=\"$B ${C:-x y}\"", "A=<$B> <${C:-x y}>"),
            ("A=a$", "A=a$"),
            ("A=$1 $$ ${", "A=$1 $$ ${"),
            ("A=${B", "A=${B"),
            ("A=ü=1", "A=ü=1"),
        ] {
            assert_eq!(read(text), [expected], "{text:?}");
        }
        assert_eq!(read("\u{feff}A=1\r\n\r\n# c\r\nB=2"), ["A=1", "B=2"]);
        assert_eq!(read(""), Vec::<String>::new());
    }

    #[test]
    fn bad_lines_have_places_and_the_rest_is_still_read() {
        assert_eq!(
            faults(b"A=1\nB 2\n=3\nC=\"x\nD=4\n  1x=5\nE='a'b\n"),
            [
                ".env:2:1: expected NAME=value",
                ".env:3:1: expected NAME=value",
                ".env:4:3: this quote is not closed",
                ".env:6:3: expected NAME=value",
                ".env:7:6: expected the end of the line after the quote",
            ]
        );
        assert_eq!(
            faults(b"A=1\nB=\xff\n"),
            [".env:2:3: the file is not valid UTF-8 from here on"]
        );
        for text in [
            "A=x\0\n",
            "A='\0'\n",
            "A=\"\0\"\n",
            "A=\"\\\0\"\n",
            "A=\"${X:-\0}\"\n",
            "A=${X:-\0}\n",
        ] {
            let expected = [".env:1:3: the value contains a NUL character"];
            assert_eq!(faults(text.as_bytes()), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_or_gives_a_nul(text in "[A-C=\"'$#{}:\\\\\n\r ü\0-]{0,60}") {
            let pairs = parse(Path::new(".env"), text.as_bytes()).unwrap_or_default();
            for piece in pairs.iter().flat_map(|pair| &pair.value) {
                let text = match piece {
                    Piece::Text(text) => text,
                    Piece::Variable { written, default, .. } => {
                        prop_assert!(!default.as_ref().is_some_and(|text| text.contains('\0')));
                        written
                    }
                };
                prop_assert!(!text.contains('\0'));
            }
        }

        #[test]
        fn what_is_quoted_comes_back(value in "[^'\0\r]{0,40}") {
            prop_assert_eq!(read(&format!("A='{value}'")), [format!("A={value}")]);
        }
    }
}
