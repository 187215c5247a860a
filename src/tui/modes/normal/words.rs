//! The words of the commands in the palette: a readable title, and synonyms to find the command by.

use super::keys::Action;

/// The words of a command.
pub(super) struct Words {
    /// What it does; `{}` stands for the job, jobs or group that it applies to.
    pub(super) title: &'static str,
    /// Other words that people use for it, separated by blanks.
    pub(super) synonyms: &'static str,
}

/// The words of an action.
pub(super) fn words(action: Action) -> Words {
    let (title, synonyms) = match action {
        Action::Down => ("next row", "below move"),
        Action::Up => ("row above", "previous move"),
        Action::First => ("first row", "top beginning home"),
        Action::Last => ("last row", "bottom end"),
        Action::PageDown => ("page down the list", "scroll jobs"),
        Action::PageUp => ("page up the list", "scroll jobs"),
        Action::Pick => ("job of a number", "digit"),
        Action::Fold => ("fold group {}", "close collapse hide"),
        Action::Unfold => ("unfold group {}", "open expand show"),
        Action::FoldAll => (
            "fold all groups, or unfold them",
            "collapse expand close open",
        ),
        Action::NextAlert => (
            "next job that needs attention",
            "alarm waiting failed asks jump",
        ),
        Action::Previous => ("back to the previous job", "alternate switch last"),
        Action::Filter => ("filter the list", "narrow limit search hide jobs"),
        Action::Find => ("find in {}", "search grep text log"),
        Action::FindAll => ("find in all jobs", "search grep everywhere text log"),
        Action::Sort => ("sort the list", "order arrange"),
        Action::Mark => ("mark {}", "select choose unmark"),
        Action::MarkAll => ("mark all listed jobs", "select everything unmark"),
        Action::Compare => (
            "compare the logs of two marked jobs",
            "diff difference side by side",
        ),
        Action::Attach => ("attach to {}", "open enter connect join focus foreground"),
        Action::Type => ("type into {}", "insert input write keyboard"),
        Action::Reply => (
            "answer {}",
            "reply respond send input password prompt confirm",
        ),
        Action::TypeAll => ("type into all marked jobs", "broadcast synchronize send"),
        Action::TakeKeyboard => ("take the keyboard of {}", "hold lock release give agents"),
        Action::Decline => ("say no to an agent about {}", "refuse reject question deny"),
        Action::Stop => ("stop {}", "end terminate finish shutdown cancel"),
        Action::Kill => ("kill {}", "sigkill force end terminate destroy"),
        Action::Signal => (
            "send a signal to {}",
            "interrupt hangup reload sigint sighup sigterm usr1",
        ),
        Action::Pause => ("pause {}", "resume continue unpause suspend freeze hold"),
        Action::Restart => ("restart {}", "rerun again start relaunch retry reload"),
        Action::Resume => (
            "continue {} where it was lost",
            "resume start reboot again conversation",
        ),
        Action::RestartGroup => ("restart group {}", "rerun again start"),
        Action::New => (
            "start a new job",
            "run create launch add spawn command task script",
        ),
        Action::Duplicate => ("start a copy of {}", "clone again same"),
        Action::Edit => (
            "edit {}",
            "modify move keep policy group change pin notify tag restart set",
        ),
        Action::Rename => ("rename {}", "label title call"),
        Action::Remove => ("remove {}", "delete clear forget discard erase trash"),
        Action::RemoveEnded => (
            "remove all ended jobs",
            "delete clear clean purge tidy finished done",
        ),
        Action::Undo => ("undo the removal", "restore revert recover"),
        Action::ProjectUp => ("bring up {}", "start run compose procfile project launch"),
        Action::ProjectDown => (
            "bring down {}",
            "stop end compose procfile project shutdown",
        ),
        Action::ProjectReload => (
            "reload the file of {}",
            "apply changes plan diff refresh project configuration update",
        ),
        Action::Exec => (
            "open a shell with the environment of {}",
            "exec command variables run ports enter",
        ),
        Action::Zoom => ("zoom into {}, or back", "maximize enlarge full fullscreen"),
        Action::Narrower => ("narrower list", "width size shrink resize border"),
        Action::Wider => ("wider list", "width size grow resize border"),
        Action::Grid => ("grid of live panes", "tiles split several overview"),
        Action::Scroll => ("scroll back through {}", "history output log read look"),
        Action::HalfUp => ("pane: half a page up", "scroll"),
        Action::HalfDown => ("pane: half a page down", "scroll"),
        Action::LineUp => ("pane: one line up", "scroll"),
        Action::LineDown => ("pane: one line down", "scroll"),
        Action::PanLeft => ("pane: more on the left", "shift crop"),
        Action::PanRight => ("pane: more on the right", "shift crop"),
        Action::Times => ("times of the lines", "timestamps clock date hide show"),
        Action::Wrap => ("wrap long lines, or not", "break cut truncate"),
        Action::Copy => (
            "copy something of {}",
            "yank clipboard url path log screen id command",
        ),
        Action::CopyReport => ("copy the report of {}", "yank clipboard bug error failure"),
        Action::Open => ("open the URL of {}", "browser web link page visit"),
        Action::Pager => ("log of {} in the pager", "less view output read"),
        Action::Details => (
            "details of {}",
            "info information status inspect properties show ports",
        ),
        Action::Mouse => ("give or take the mouse", "pointer selection"),
        Action::Palette => ("all commands", "palette menu"),
        Action::Back => ("one step back", "cancel leave escape"),
        Action::Literal => ("send the key that leaves", "literal"),
        Action::Interrupt => ("interrupt", "ctrl-c"),
        Action::Redraw => ("redraw everything", "refresh repaint clear screen"),
        Action::Suspend => ("suspend this view", "background shell sleep"),
        Action::Help => ("show all keys", "help bindings shortcuts manual"),
        Action::Quit => (
            "close this view",
            "quit exit leave detach q q! wq wq! qa qa!",
        ),
        Action::QuitAndStop => ("close this view and stop jobs", "quit exit end shutdown"),
        Action::StopGroup => ("stop group {}", "end terminate shutdown"),
        Action::StopAll => ("stop all jobs", "end terminate everything shutdown"),
        Action::RestartAll => ("restart all jobs", "rerun again everything relaunch"),
        Action::PauseQueue => (
            "pause the queue {}",
            "hold suspend resume continue unpause line group parallel",
        ),
        Action::StartNow => (
            "start {} now, out of turn",
            "queue run skip line jump ahead",
        ),
        Action::MoveFirst => (
            "move {} to the front of its queue",
            "first next up order priority",
        ),
        Action::MoveLast => (
            "move {} to the end of its queue",
            "last back down order later",
        ),
        Action::ClearLog => (
            "clear the log of {}",
            "empty drop output truncate erase wipe",
        ),
        Action::Messages => (
            "show the messages",
            "history notifications toasts errors digest away",
        ),
        Action::Share => ("let agents see {}, or not", "unshare access permission"),
        Action::Export => (
            "copy the export command of {}",
            "save download write file recording html text asciicast",
        ),
        Action::Replay => ("replay {} from the beginning", "play recording video past"),
    };
    Words { title, synonyms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::keymap::KeyAction;

    #[test]
    fn every_command_has_a_title_and_synonyms() {
        for &action in Action::ALL {
            let words = words(action);
            assert!(!words.title.is_empty(), "{action:?}");
            assert!(
                words.title.matches("{}").count() <= 1 && !words.synonyms.is_empty(),
                "{action:?}"
            );
            let is_lower = |word: &str| word.chars().all(|c| !c.is_uppercase());
            assert!(words.synonyms.split(' ').all(is_lower), "{action:?}");
        }
    }
}
