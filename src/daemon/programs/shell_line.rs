//! The commands of a shell line, for those who may start only some programs.
//!
//! Only what every POSIX shell is certain to read in the same way is taken:
//! simple commands, joined by `&&`, `||`, `|`, `;`, `&` and newlines, with
//! quotes, plain variables among their arguments, and redirections that write no
//! file. Whatever else there is, is refused by name. The word in front of each
//! command is then replaced by a program's path, in quotes: with a slash in it
//! no shell takes it for a builtin, a keyword, a function or an alias, and no
//! shell looks for it anywhere else. So none of these has to be known here.

use std::ops::Range;

/// A shell line that was understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ShellLine<'a> {
    text: &'a str,
    commands: Vec<Command>,
}

/// The word in front of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Command {
    /// What it names, quotes removed.
    name: String,
    /// Where it stands.
    place: Range<usize>,
    /// The words behind it.
    arguments: Vec<Argument>,
}

/// A word behind the name of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Argument {
    /// What is certain of it, quotes removed.
    pub text: String,
    /// What is certain of its beginning.
    pub begins: String,
    /// Whether the shell puts something in the place of a part of it.
    pub is_expanded: bool,
}

impl Argument {
    /// One that stands for itself.
    pub(crate) fn plain(text: String) -> Self {
        Self {
            begins: text.clone(),
            text,
            is_expanded: false,
        }
    }
}

impl<'a> ShellLine<'a> {
    /// Understands a line; the error says what of it is not taken.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let mut scanner = Scanner {
            text,
            at: 0,
            commands: Vec::new(),
            in_command: false,
        };
        scanner.run()?;
        let commands = scanner.commands;
        match commands.is_empty() {
            true => Err("a line without a command".to_owned()),
            false => Ok(Self { text, commands }),
        }
    }

    /// The line with each command's name replaced by the path that `program`
    /// gives for it and its arguments.
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

/// `text` as one word of a shell; always in quotes, which shlex leaves out where it can.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    commands: Vec<Command>,
    /// Whether the name of the present command has been read.
    in_command: bool,
}

/// One word.
struct Word {
    /// What it stands for, as far as that is certain.
    text: String,
    /// What of that is in front of the first such thing.
    begins: String,
    /// Whether it holds something that the shell puts in the place of something
    /// else: a variable, a pattern, a home directory.
    expands: bool,
    /// Whether any of it was quoted.
    quoted: bool,
}

impl Word {
    /// From here on something is put in the place of something else.
    fn expand(&mut self) {
        if !self.expands {
            self.begins = self.text.clone();
        }
        self.expands = true;
    }

    fn into_argument(self) -> Argument {
        match self.expands {
            true => Argument {
                text: self.text,
                begins: self.begins,
                is_expanded: true,
            },
            false => Argument::plain(self.text),
        }
    }
}

/// Characters that stand for themselves in a word, outside quotes; `#` does so
/// only behind another one.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./:,@%+=#".contains(&byte)
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), String> {
        if !self.text.is_ascii() && self.has_backslash() {
            // In some character sets the last byte of a character is a backslash.
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

    /// What begins the next command. Where the shell wants another command and
    /// there is none, it runs nothing of the line.
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

    /// `2>&1`, `>/dev/null`, `<file`. Any other file that is written could be a
    /// program that may be started, or be read by one.
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
        match taken {
            true => Ok(()),
            false => Err(format!(
                "`{operator}` with anything but /dev/null or a descriptor"
            )),
        }
    }

    /// A word of a command: the first one names what is run.
    fn argument(&mut self) -> Result<(), String> {
        let start = self.at;
        let word = self.word()?;
        // A number that the shell has yet to put together is a word like any other.
        let is_literal = !word.quoted && !word.expands;
        if matches!(self.peek(), Some(b'<' | b'>')) && is_literal && is_number(&word.text) {
            // One digit is a descriptor to every shell; of more, some make an argument.
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

    /// What follows a backslash; one at the end of a line would join two words.
    fn escaped(&mut self) -> Result<char, String> {
        match self.peek() {
            Some(byte) if byte.is_ascii() && !byte.is_ascii_control() => {
                self.at += 1;
                Ok(char::from(byte))
            }
            _ => Err("a backslash at the end of a line".to_owned()),
        }
    }

    /// `$NAME`, `${NAME}` and `$?`; what else begins like this can run commands.
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
