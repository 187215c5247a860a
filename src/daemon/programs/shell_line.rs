//! Parses a shell line into its commands, for connections with an allow-list.
//!
//! Only syntax that every POSIX shell is certain to read in the same way is accepted: simple commands, joined
//! by `&&`, `||`, `|`, `;`, `&` and newlines, with quotes, plain variables in arguments, and redirections that
//! write to no file. Everything else is refused, and the error names it. The first word of each command is then
//! replaced by the quoted path of a program. As it contains a slash, no shell takes it for a builtin, a
//! keyword, a function or an alias, and no shell searches for it. So the parser need not know any of these.

use std::ops::Range;

/// A parsed shell line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ShellLine<'a> {
    text: &'a str,
    commands: Vec<Command>,
}

/// A simple command.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Command {
    /// The name, with quotes removed.
    name: String,
    /// The place of the name in the line.
    place: Range<usize>,
    /// The words after the name.
    arguments: Vec<Argument>,
}

/// An argument of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Argument {
    /// The part of the text that is known, with quotes removed.
    pub text: String,
    /// The known text before the first expansion.
    pub begins: String,
    /// Whether the shell expands a part of it.
    pub is_expanded: bool,
}

impl Argument {
    /// An argument without expansions.
    pub(crate) fn plain(text: String) -> Self {
        Self {
            begins: text.clone(),
            text,
            is_expanded: false,
        }
    }
}

impl<'a> ShellLine<'a> {
    /// Parses a line. The error says which part of it is not accepted.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let mut scanner = Scanner {
            text,
            at: 0,
            commands: Vec::new(),
            in_command: false,
        };
        scanner.run()?;
        let commands = scanner.commands;
        if commands.is_empty() {
            Err("a line without a command".to_owned())
        } else {
            Ok(Self { text, commands })
        }
    }

    /// The line with each command's name replaced by the path that `program` returns for the name and its
    /// arguments.
    pub(crate) fn with_programs<E>(
        &self,
        program: impl Fn(&str, &[Argument]) -> Result<String, E>,
    ) -> Result<String, E> {
        let (mut line, mut done) = (String::new(), 0);
        for command in &self.commands {
            line.push_str(&self.text[done..command.place.start]);
            line.push_str(&quoted(&program(&command.name, &command.arguments)?));
            done = command.place.end;
        }
        line.push_str(&self.text[done..]);
        Ok(line)
    }
}

/// Quotes `text` as one shell word. shlex does not fit: it omits quotes where a shell needs none, and here there must be
/// some.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    commands: Vec<Command>,
    /// Whether the name of the current command has been read.
    in_command: bool,
}

/// A word of the line, with what is known about it.
struct Word {
    /// The text, as far as it is known.
    text: String,
    /// The known text before the first expansion.
    begins: String,
    /// Whether the shell expands a part of it: a variable, a pattern, or a home directory.
    expands: bool,
    /// Whether a part of it was quoted.
    quoted: bool,
}

impl Word {
    /// Notes that an expansion starts here.
    fn expand(&mut self) {
        if !self.expands {
            self.begins = self.text.clone();
        }
        self.expands = true;
    }

    fn into_argument(self) -> Argument {
        if self.expands {
            Argument {
                text: self.text,
                begins: self.begins,
                is_expanded: true,
            }
        } else {
            Argument::plain(self.text)
        }
    }
}

/// Characters that stand for themselves in a word outside quotes; `#` does so only after another character.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./:,@%+=#".contains(&byte)
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), String> {
        if !self.text.is_ascii() && self.has_backslash() {
            // In some character sets, the last byte of a multi-byte character is a backslash.
            return Err("a backslash beside characters that are not ASCII".to_owned());
        }
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'\n' | b';' | b'&' | b'|' => self.separator()?,
                b'<' | b'>' => self.redirection()?,
                b'#' => return Err("a comment (#)".to_owned()),
                b'(' | b')' => return Err("a subshell or a function ( )".to_owned()),
                _ => self.argument()?,
            }
        }
        Ok(())
    }

    /// Reads the separator before the next command. If the shell expects a command and there is none, it
    /// rejects the whole line, so this need not be checked.
    fn separator(&mut self) -> Result<(), String> {
        let rest = &self.text[self.at..];
        let operators = ["&&", "||", "|", ";", "&", "\n"];
        if ["&>", "|&", ";;", ";&"]
            .iter()
            .any(|other| rest.starts_with(other))
        {
            return Err(format!("`{}`", &rest[..2]));
        }
        let found = operators
            .iter()
            .find(|operator| rest.starts_with(**operator));
        self.at += found.map_or(1, |operator| operator.len());
        self.in_command = false;
        Ok(())
    }

    /// Reads a redirection: `2>&1`, `>/dev/null`, `<file`. Writing to other files is refused: the file could be
    /// a program that is allowed, or be read by one.
    fn redirection(&mut self) -> Result<(), String> {
        let rest = &self.text[self.at..];
        let not_taken = ["<<", "<>", "<(", ">(", ">|"];
        if let Some(operator) = not_taken.iter().find(|one| rest.starts_with(**one)) {
            return Err(format!("`{operator}`"));
        }
        let known = [">>", ">&", "<&", ">", "<"];
        let operator = known.iter().find(|one| rest.starts_with(**one));
        let operator = *operator.unwrap_or(&"<");
        self.at += operator.len();
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let target = self.word()?;
        let is_plain = !target.expands && !target.quoted;
        let is_descriptor = is_plain && matches!(target.text.as_bytes(), [b'0'..=b'9' | b'-']);
        let taken = match operator {
            ">&" | "<&" => is_descriptor,
            "<" => !target.expands && !target.text.is_empty(),
            _ => is_plain && target.text == "/dev/null",
        };
        if taken {
            Ok(())
        } else {
            Err(format!(
                "`{operator}` with anything but /dev/null or a descriptor"
            ))
        }
    }

    /// Reads a word of a command; the first word is its name.
    fn argument(&mut self) -> Result<(), String> {
        let start = self.at;
        let word = self.word()?;
        // With quotes or expansions, a number before `<` or `>` is an ordinary word.
        let is_literal = !word.quoted && !word.expands;
        if matches!(self.peek(), Some(b'<' | b'>')) && is_literal && is_number(&word.text) {
            // Every shell takes one digit as a descriptor; some take several digits as an argument.
            return match word.text.len() {
                1 => Ok(()),
                _ => Err(format!("`{}` in front of `<` or `>`", word.text)),
            };
        }
        if self.in_command {
            if let Some(command) = self.commands.last_mut() {
                command.arguments.push(word.into_argument());
            }
            return Ok(());
        }
        if word.expands {
            return Err(format!(
                "a command's name that is not plain: `{}`",
                self.since(start)
            ));
        }
        if word.text.contains('=') {
            return Err(format!(
                "a variable set for a command: `{}`",
                self.since(start)
            ));
        }
        if word.text.is_empty() {
            return Err("a command without a name".to_owned());
        }
        self.commands.push(Command {
            name: word.text,
            place: start..self.at,
            arguments: Vec::new(),
        });
        self.in_command = true;
        Ok(())
    }

    fn word(&mut self) -> Result<Word, String> {
        let mut word = Word {
            text: String::new(),
            begins: String::new(),
            expands: false,
            quoted: false,
        };
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'\'' => self.single_quoted(&mut word)?,
                b'"' => self.double_quoted(&mut word)?,
                b'\\' => {
                    word.quoted = true;
                    self.at += 1;
                    word.text.push(self.escaped()?);
                }
                b'$' => self.variable(&mut word)?,
                b'*' | b'?' | b'[' | b']' | b'~' | b'^' => {
                    word.expand();
                    self.at += 1;
                }
                byte if is_plain(byte) => {
                    word.text.push(char::from(byte));
                    self.at += 1;
                }
                _ => return Err(self.unknown()),
            }
        }
        Ok(word)
    }

    fn single_quoted(&mut self, word: &mut Word) -> Result<(), String> {
        let rest = &self.text[self.at + 1..];
        let end = rest.find('\'').ok_or("a quote without its end")?;
        word.quoted = true;
        word.text.push_str(&rest[..end]);
        self.at += end + 2;
        Ok(())
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), String> {
        word.quoted = true;
        self.at += 1;
        while let Some(char) = self.text[self.at..].chars().next() {
            match char {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '$' => self.variable(word)?,
                '`' => return Err("a command inside a word (`)".to_owned()),
                '\\' => {
                    self.at += 1;
                    let next = self.escaped()?;
                    if !matches!(next, '$' | '`' | '"' | '\\') {
                        word.text.push('\\');
                    }
                    word.text.push(next);
                }
                char => {
                    word.text.push(char);
                    self.at += char.len_utf8();
                }
            }
        }
        Err("a quote without its end".to_owned())
    }

    /// Reads the character after a backslash. A backslash at the end of a line is refused, because it joins two
    /// words.
    fn escaped(&mut self) -> Result<char, String> {
        match self.peek() {
            Some(byte) if byte.is_ascii() && !byte.is_ascii_control() => {
                self.at += 1;
                Ok(char::from(byte))
            }
            _ => Err("a backslash at the end of a line".to_owned()),
        }
    }

    /// Reads `$NAME`, `${NAME}`, or a special parameter such as `$?`. Everything else that starts with `$` may
    /// run commands.
    fn variable(&mut self, word: &mut Word) -> Result<(), String> {
        let rest = &self.text.as_bytes()[self.at + 1..];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = match rest {
            [b'{', inner @ ..] => {
                let name = inner.iter().take_while(|byte| is_name(byte)).count();
                (name > 0 && inner.get(name) == Some(&b'}')).then_some(name + 2)
            }
            [b'?' | b'#' | b'@' | b'*' | b'$' | b'!', ..] => Some(1),
            [first, ..] if is_name(first) => {
                Some(rest.iter().take_while(|byte| is_name(byte)).count())
            }
            _ => None,
        };
        let length = length.ok_or("`$` with anything but a plain name")?;
        word.expand();
        self.at += 1 + length;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn since(&self, start: usize) -> &str {
        &self.text[start..self.at]
    }

    fn unknown(&self) -> String {
        let next = self.text[self.at..].chars().next().unwrap_or_default();
        match next {
            '`' => "a command inside a word (`)".to_owned(),
            next => format!("`{}`", next.escape_default()),
        }
    }

    fn has_backslash(&self) -> bool {
        self.text.contains('\\')
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
#[path = "shell_line_tests.rs"]
mod tests;
