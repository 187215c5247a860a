//! The conditions of a wait, compiled from those of a request or made for one that names none.

use super::input::needs;
use super::pattern::{self, Pattern};
use super::shell_command::TypedCommand;
use crate::protocol::condition::View;
use crate::protocol::status::InputState;
use crate::protocol::{Condition, Error, Status};

/// The conditions of a wait.
#[derive(Debug)]
pub struct Conditions {
    pub(super) until: Vec<Compiled>,
    pub(super) fail: Vec<Compiled>,
    pub(super) view: View,
    /// Whether a wait for the end continues when the session is being restarted.
    pub(super) through_restarts: bool,
    /// Whether it is over when the session is skipped.
    pub(super) ends_if_skipped: bool,
}

/// One condition, ready to be compared.
#[derive(Clone, Debug)]
pub(super) enum Compiled {
    Exit,
    Pattern(Pattern),
    Gone(Pattern),
    Idle(u64),
    /// The program waits for input.
    Input,
    /// The program waits for a line or a password, the states of which people are notified.
    Needed,
    /// The program waits for input and has been quiet for a moment: it is somebody else's turn.
    Turn,
    /// The program waits for a line or a password and has been quiet for a moment. A server may listen to keys while it
    /// starts.
    LineTurn,
    Ready,
    /// It is not ready in time.
    Late,
    Port(u16),
    /// The end of a command that was typed into a shell, or that it needs input.
    Command(TypedCommand),
    /// The end of the command that the shell runs.
    CommandEnd,
    /// Any output.
    Output,
    /// The status differs from this one.
    Changed(Status),
}

impl Conditions {
    /// Compiles the conditions of a request. Without any `until`, the wait is for the exit.
    pub fn new(
        until: Option<&[Condition]>,
        fail: Option<&[Condition]>,
        view: View,
    ) -> Result<Self, Error> {
        let until = match until {
            None | Some([]) => vec![Compiled::Exit],
            Some(list) => Compiled::all(list)?,
        };
        Self::any(until).or_fail(fail.unwrap_or_default(), view)
    }

    /// Adds conditions that mean failure, and says where patterns are searched.
    pub fn or_fail(mut self, fail: &[Condition], view: View) -> Result<Self, Error> {
        self.fail = Compiled::all(fail)?;
        self.view = view;
        Ok(self)
    }

    /// Sets whether the wait continues when the session ended only to be restarted.
    pub fn set_through_restarts(&mut self, on: bool) {
        self.through_restarts = on;
    }

    /// Sets whether the wait is over when the session is skipped: what it needs cannot come any more by itself.
    pub fn set_ends_if_skipped(&mut self, on: bool) {
        self.ends_if_skipped = on;
    }

    /// A wait for the exit only.
    pub fn exit() -> Self {
        Self::any(vec![Compiled::Exit])
    }

    /// A wait until the session has written nothing for `ms` milliseconds, or has ended.
    pub fn pause(ms: u64) -> Self {
        Self::any(vec![Compiled::Idle(ms), Compiled::Exit])
    }

    /// A wait for any of these conditions, which read no lines.
    fn any(until: Vec<Compiled>) -> Self {
        Self {
            until,
            fail: Vec::new(),
            view: View::Plain,
            through_restarts: false,
            ends_if_skipped: false,
        }
    }

    /// A wait until there is something to do: the program waits for input, has ended, or is ready, or is
    /// not in time, if it has a probe; then it does not count that it waits for keys. With `idle_ms`, also until it has written nothing for that time.
    pub fn something_to_do(has_probe: bool, idle_ms: Option<u64>) -> Self {
        let mut until = vec![Compiled::Exit];
        if has_probe {
            until.extend([Compiled::LineTurn, Compiled::Ready, Compiled::Late])
        } else {
            until.push(Compiled::Turn)
        }
        until.extend(idle_ms.map(Compiled::Idle));
        Self::any(until)
    }

    /// Sets whether the end of the command that the shell runs ends the wait, too.
    #[must_use]
    pub fn or_command_end(mut self, on: bool) -> Self {
        self.until.extend(on.then_some(Compiled::CommandEnd));
        self
    }

    /// A wait until the program asks for a line of input or has ended. One that is ready may read keys all the time.
    pub fn ends_or_asks() -> Self {
        Self::any(vec![Compiled::Exit, Compiled::LineTurn])
    }

    /// A wait for the end of a command that was typed into a shell.
    pub fn end_of(command: TypedCommand) -> Self {
        Self::any(vec![Compiled::Exit, Compiled::Command(command)])
    }

    /// A wait for anything new: output, a status other than `status`, or a program that begins to
    /// need input.
    pub fn news(status: Status, input: InputState) -> Self {
        let mut until = vec![Compiled::Output, Compiled::Changed(status)];
        if !needs(input) {
            until.push(Compiled::Needed);
        }
        Self::any(until)
    }

    /// Whether any condition needs the output.
    pub fn reads_output(&self) -> bool {
        self.all().any(|condition| {
            matches!(
                condition,
                Compiled::Pattern(_)
                    | Compiled::Gone(_)
                    | Compiled::Command(_)
                    | Compiled::CommandEnd
            )
        })
    }

    /// Whether any condition needs the screen.
    pub fn reads_screen(&self) -> bool {
        self.all().any(|condition| match condition {
            Compiled::Gone(_) => true,
            Compiled::Pattern(_) => self.view == View::Screen,
            _ => false,
        })
    }

    /// Whether any condition needs the input state.
    pub fn wants_input(&self) -> bool {
        self.all().any(|condition| {
            matches!(
                condition,
                Compiled::Input
                    | Compiled::Needed
                    | Compiled::Turn
                    | Compiled::LineTurn
                    | Compiled::Command(_)
            )
        })
    }

    /// Whether any condition needs the ready state.
    pub fn wants_ready(&self) -> bool {
        self.all().any(|c| matches!(c, Compiled::Ready))
    }

    /// The ports that the conditions name.
    pub fn ports(&self) -> impl Iterator<Item = u16> {
        self.all().filter_map(|condition| match condition {
            Compiled::Port(port) => Some(*port),
            _ => None,
        })
    }

    /// Whether any condition needs the process group in the foreground.
    pub fn wants_foreground(&self) -> bool {
        self.command().is_some()
    }

    /// The command whose end is awaited.
    pub(super) fn command(&self) -> Option<&TypedCommand> {
        self.all().find_map(|condition| match condition {
            Compiled::Command(command) => Some(command),
            _ => None,
        })
    }

    /// Whether any condition is a pattern that is searched in lines.
    pub(super) fn reads_lines(&self) -> bool {
        self.view == View::Plain && self.all().any(|c| matches!(c, Compiled::Pattern(_)))
    }

    /// All conditions, those that mean failure first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Compiled> {
        self.fail.iter().chain(&self.until)
    }
}

fn of_line(pattern: &str) -> Result<Pattern, Error> {
    pattern::check_line(pattern)?;
    Pattern::new(pattern)
}

impl Compiled {
    fn all(conditions: &[Condition]) -> Result<Vec<Self>, Error> {
        conditions.iter().map(Self::new).collect()
    }

    fn new(condition: &Condition) -> Result<Self, Error> {
        Ok(match condition {
            Condition::Exit(_) => Self::Exit,
            Condition::Command(_) => Self::CommandEnd,
            Condition::Input(_) => Self::Input,
            Condition::Pattern(pattern) => Self::Pattern(of_line(pattern)?),
            Condition::Gone(pattern) => Self::Gone(of_line(pattern)?),
            Condition::IdleMs(ms) => Self::Idle(*ms),
            Condition::Ready(_) => Self::Ready,
            Condition::Port(port) => Self::Port(*port),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_added_to_what_is_waited_for() {
        let fail = [Condition::Pattern("error".to_owned())];
        let conditions = Conditions::something_to_do(false, None)
            .or_fail(&fail, View::Screen)
            .unwrap();
        assert!(
            matches!(conditions.fail.as_slice(), [Compiled::Pattern(_)]),
            "{conditions:?}"
        );
        assert!(conditions.wants_input() && conditions.reads_screen());
        let wrong = [Condition::Pattern("(".to_owned())];
        assert!(Conditions::exit().or_fail(&wrong, View::Plain).is_err());
    }
}
