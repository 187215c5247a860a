//! The commands that were typed at the prompt of a shell.

use std::cell::RefCell;

use crate::engine::shell_command::TypedCommand;

/// The commands that were typed into the shells of one session.
#[derive(Default)]
pub(crate) struct ShellCommands {
    last: RefCell<Option<AtShell>>,
}

/// How many commands are known that were typed into a shell before the last one.
const BEFORE: usize = 16;

/// A command that was typed at the prompt of a shell.
#[derive(Clone)]
pub(crate) struct AtShell {
    pub(crate) command: TypedCommand,
    /// The pid of the shell.
    pub(crate) shell: u32,
    /// The prompt, if it can be seen: when it is shown again, the command is over, also if the shell dropped the
    /// rest of the line with the mark of its end.
    pub(crate) prompt: Option<String>,
    /// Whether somebody has typed or sent an interrupt since. A shell does not tell the end of a command that was
    /// interrupted.
    pub(crate) is_interrupted: bool,
    /// The commands that were typed into the same shell before, at most [`BEFORE`].
    pub(crate) before: Vec<TypedCommand>,
}

impl ShellCommands {
    /// Notes the command that was typed into a shell.
    pub(crate) fn note(&self, mut typed: AtShell) {
        let last = self.last.take();
        if let Some(last) = last.filter(|last| last.shell == typed.shell) {
            typed.before = last.before;
            typed.before.push(last.command);
            let old = typed.before.len().saturating_sub(BEFORE);
            typed.before.drain(..old);
        }
        self.last.replace(Some(typed));
    }

    /// The command that was typed last into the shell with this pid, unless it was interrupted.
    pub(crate) fn last_of(&self, shell: u32) -> Option<AtShell> {
        self.last().filter(|typed| typed.shell == shell)
    }

    /// The command that was typed last into a shell, unless it was interrupted.
    pub(crate) fn last(&self) -> Option<AtShell> {
        self.last_or_interrupted()
            .filter(|typed| !typed.is_interrupted)
    }

    /// The command that was typed last into a shell, also if it was interrupted.
    pub(crate) fn last_or_interrupted(&self) -> Option<AtShell> {
        self.last.borrow().clone()
    }

    /// Notes that the program was interrupted.
    pub(crate) fn interrupted(&self) {
        if let Some(typed) = &mut *self.last.borrow_mut() {
            typed.is_interrupted = true;
        }
    }
}
