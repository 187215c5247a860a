//! The one table of keys: what each does, by mode.
//!
//! Looking a key up, the hints at the bottom and the help screen all read this table, so that none of them can
//! say what another does not do. A new key is one line here and one arm where its [`Action`] is carried out.

/// Where a binding holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Commands.
    Normal,
    /// Typing into a job.
    Insert,
    /// Looking back through a log.
    Scroll,
    /// Narrowing the list.
    Filter,
    /// Filling in a form.
    Prompt,
    /// Answering a question.
    Confirm,
    /// Reading the keys.
    Help,
    /// Wherever a line is edited: FILTER, PROMPT, and the search of SCROLL.
    Line,
}

impl Place {
    /// Every place, in the order of the help screen.
    pub const ALL: [Self; 8] = [
        Self::Normal,
        Self::Insert,
        Self::Scroll,
        Self::Filter,
        Self::Prompt,
        Self::Confirm,
        Self::Help,
        Self::Line,
    ];

    /// Its heading on the help screen.
    pub fn title(self) -> &'static str {
        match self {
            Self::Normal => "NORMAL: commands; no key reaches a job",
            Self::Insert => "INSERT: every key but one reaches the job",
            Self::Scroll => "SCROLL: back through the log",
            Self::Filter => "FILTER: narrow the list",
            Self::Prompt => "PROMPT: a new job",
            Self::Confirm => "CONFIRM: a question",
            Self::Help => "HELP: this page",
            Self::Line => "Wherever you edit a line",
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Select the next row.
    Down,
    /// Select the row before.
    Up,
    /// Select the first row.
    First,
    /// Select the last row.
    Last,
    /// Select a job by its number in the list.
    Pick,
    /// Close a group.
    Fold,
    /// Open a group.
    Unfold,
    /// Zoom and type.
    Attach,
    /// Type in place.
    Type,
    /// Zoom on or off.
    Zoom,
    /// Stop the job.
    Stop,
    /// Kill the job.
    Kill,
    /// Run it again.
    Restart,
    /// Pause or continue.
    Pause,
    /// Say no to what an agent asks.
    Decline,
    /// Start a job.
    New,
    /// Forget an ended job.
    Remove,
    /// Narrow the list.
    Filter,
    /// Look back.
    Scroll,
    /// Show more of a cropped pane to the left.
    PanLeft,
    /// Show more of a cropped pane to the right.
    PanRight,
    /// Select the next job that wants attention.
    NextAlert,
    /// Select the job before.
    Previous,
    /// One step back.
    Back,
    /// Send the leave key itself, straight after leaving.
    Literal,
    /// Paint everything anew.
    Redraw,
    /// Suspend the view.
    Suspend,
    /// Say what Ctrl-C does not do.
    Interrupt,
    /// Show the keys.
    Help,
    /// Close the view.
    Quit,
    /// Leave this mode.
    Leave,
    /// One line down.
    LineDown,
    /// One line up.
    LineUp,
    /// Half a page down.
    HalfDown,
    /// Half a page up.
    HalfUp,
    /// A page down.
    PageDown,
    /// A page up.
    PageUp,
    /// To the top.
    Top,
    /// To the end, and live again.
    Live,
    /// Look for text.
    Search,
    /// The match before (older).
    Older,
    /// The match after (newer).
    Newer,
    /// Keep what was edited.
    Accept,
    /// The next field.
    NextField,
    /// The field before.
    PreviousField,
    /// A command that was used before.
    OlderCommand,
    /// Back towards the newest command.
    NewerCommand,
    /// Yes.
    Yes,
    /// Yes, with SIGKILL.
    YesKill,
    /// No.
    No,
    /// To the start of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// One character back.
    CharLeft,
    /// One character forward.
    CharRight,
    /// One word back.
    WordLeft,
    /// One word forward.
    WordRight,
    /// Delete the character before the cursor.
    DeleteBack,
    /// Delete the character under the cursor.
    DeleteHere,
    /// Delete the word before the cursor.
    DeleteWord,
    /// Delete to the start.
    DeleteToStart,
    /// Delete to the end.
    DeleteToEnd,
    /// Put back what was deleted last.
    Yank,
}

/// One line of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// Where it holds.
    pub place: Place,
    /// Names of its keys, the one to show first.
    pub keys: &'static [&'static str],
    /// What it does.
    pub action: Action,
    /// What it is called in configuration and in the hints.
    pub name: &'static str,
    /// What it does, for the help screen.
    pub help: &'static str,
}

const fn key(
    place: Place,
    keys: &'static [&'static str],
    action: Action,
    name: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        place,
        keys,
        action,
        name,
        help,
    }
}

/// The name that stands in the table for whichever keys leave INSERT.
pub const LEAVE: &str = "leave-key";

/// The table.
#[rustfmt::skip]
pub const TABLE: &[Binding] = {
    use Action as A;
    use Place::{Confirm, Filter, Help, Insert, Line, Normal, Prompt, Scroll};
    &[
        key(Normal, &["j", "down"], A::Down, "down", "Next row"),
        key(Normal, &["k", "up"], A::Up, "up", "Row above"),
        key(Normal, &["g", "home"], A::First, "first", "First row"),
        key(Normal, &["G", "end"], A::Last, "last", "Last row"),
        key(Normal, &["1", "2", "3", "4", "5", "6", "7", "8", "9"], A::Pick, "pick", "The job of that number"),
        key(Normal, &["h", "left"], A::Fold, "fold", "Fold the group"),
        key(Normal, &["l", "right"], A::Unfold, "unfold", "Unfold the group"),
        key(Normal, &["enter"], A::Attach, "attach", "Attach: zoom in and type"),
        key(Normal, &["i"], A::Type, "type", "Type into the job where it is"),
        key(Normal, &["x"], A::Stop, "stop", "Stop: TERM, then KILL after 2 s. Asks"),
        key(Normal, &["X"], A::Kill, "kill", "SIGKILL at once. Asks"),
        key(Normal, &["r"], A::Restart, "restart", "Run it again. Asks while it runs"),
        key(Normal, &["p"], A::Pause, "pause", "Pause, or continue"),
        key(Normal, &["N"], A::Decline, "decline", "Say no to what an agent asks"),
        key(Normal, &["n", "a"], A::New, "new", "New job"),
        key(Normal, &["d"], A::Remove, "remove", "Remove an ended job and its log"),
        key(Normal, &["/"], A::Filter, "filter", "Filter: text, failed, !done, ?, g:group, @agent"),
        key(Normal, &["s", "[", "pgup"], A::Scroll, "scroll", "Scroll back through the log"),
        key(Normal, &["z"], A::Zoom, "zoom", "Zoom the pane, or back"),
        key(Normal, &[","], A::PanLeft, "pan-left", "Cropped pane: show more on the left"),
        key(Normal, &["."], A::PanRight, "pan-right", "Cropped pane: show more on the right"),
        key(Normal, &["!"], A::NextAlert, "next alert", "Next job that needs attention"),
        key(Normal, &["-"], A::Previous, "previous", "The job you were at before"),
        key(Normal, &["esc"], A::Back, "back", "One step back; never quits"),
        key(Normal, &[LEAVE], A::Literal, "literal", "Straight after leaving: sends itself"),
        key(Normal, &["ctrl-c"], A::Interrupt, "interrupt", "Never sent; twice closes the view"),
        key(Normal, &["ctrl-l"], A::Redraw, "redraw", "Paint everything anew"),
        key(Normal, &["ctrl-z"], A::Suspend, "suspend", "Suspend the view; jobs go on"),
        key(Normal, &["?"], A::Help, "help", "All keys"),
        key(Normal, &["q"], A::Quit, "quit", "Close the view; jobs go on"),

        key(Insert, &[LEAVE], A::Leave, "leave", "Back to where you came from"),

        key(Scroll, &["j", "down"], A::LineDown, "line-down", "One line down"),
        key(Scroll, &["k", "up"], A::LineUp, "line-up", "One line up"),
        key(Scroll, &["ctrl-d"], A::HalfDown, "half-down", "Half a page down"),
        key(Scroll, &["ctrl-u"], A::HalfUp, "half-up", "Half a page up"),
        key(Scroll, &["ctrl-f", "pgdn", "space"], A::PageDown, "page-down", "A page down"),
        key(Scroll, &["ctrl-b", "pgup"], A::PageUp, "page-up", "A page up"),
        key(Scroll, &["g", "home"], A::Top, "top", "To the top; again for what is older"),
        key(Scroll, &["G", "end"], A::Live, "live", "To the end, and live again"),
        key(Scroll, &["/"], A::Search, "search", "Search: regular expression, smart case"),
        key(Scroll, &["n"], A::Older, "older", "Next match, towards older"),
        key(Scroll, &["N"], A::Newer, "newer", "Next match, towards newer"),
        key(Scroll, &["i"], A::Type, "type", "Type into the job"),
        key(Scroll, &["ctrl-l"], A::Redraw, "redraw", "Paint everything anew"),
        key(Scroll, &["esc", "q"], A::Leave, "leave", "Back to NORMAL"),

        key(Filter, &["enter"], A::Accept, "keep", "Keep the filter"),
        key(Filter, &["esc"], A::Leave, "clear", "Clear the filter"),
        key(Filter, &["down"], A::Down, "down", "Next row"),
        key(Filter, &["up"], A::Up, "up", "Row above"),

        key(Prompt, &["enter"], A::Accept, "start", "Start it"),
        key(Prompt, &["tab"], A::NextField, "next field", "Next field"),
        key(Prompt, &["backtab"], A::PreviousField, "previous-field", "Field before"),
        key(Prompt, &["up"], A::OlderCommand, "older", "A command used before"),
        key(Prompt, &["down"], A::NewerCommand, "newer", "Towards the newest command"),
        key(Prompt, &["esc"], A::Leave, "cancel", "Start nothing"),

        key(Confirm, &["y"], A::Yes, "yes", "Yes"),
        key(Confirm, &["X"], A::YesKill, "kill -9", "Where it is shown: yes, at once"),
        key(Confirm, &["n", "esc"], A::No, "no", "No; so does every other key"),

        key(Help, &["down"], A::LineDown, "scroll", "One line down"),
        key(Help, &["up"], A::LineUp, "up", "One line up"),
        key(Help, &["ctrl-d", "pgdn"], A::PageDown, "page", "A page down"),
        key(Help, &["ctrl-u", "pgup"], A::PageUp, "page-up", "A page up"),
        key(Help, &["esc", "?", "q"], A::Leave, "close", "Back; letters narrow this page"),

        key(Line, &["ctrl-a", "home"], A::LineStart, "line-start", "Start of the line"),
        key(Line, &["ctrl-e", "end"], A::LineEnd, "line-end", "End of the line"),
        key(Line, &["ctrl-b", "left"], A::CharLeft, "char-left", "A character back"),
        key(Line, &["ctrl-f", "right"], A::CharRight, "char-right", "A character forward"),
        key(Line, &["ctrl-left", "alt-b"], A::WordLeft, "word-left", "A word back"),
        key(Line, &["ctrl-right", "alt-f"], A::WordRight, "word-right", "A word forward"),
        key(Line, &["backspace", "ctrl-h"], A::DeleteBack, "delete-back", "Delete the character before"),
        key(Line, &["ctrl-d", "delete"], A::DeleteHere, "delete-here", "Delete the character here"),
        key(Line, &["ctrl-w"], A::DeleteWord, "delete-word", "Delete the word before"),
        key(Line, &["ctrl-u"], A::DeleteToStart, "delete-to-start", "Delete to the start"),
        key(Line, &["ctrl-k"], A::DeleteToEnd, "delete-to-end", "Delete to the end"),
        key(Line, &["ctrl-y"], A::Yank, "yank", "Put back what was deleted"),
    ]
};

/// What `key` does in `place`.
pub fn action(place: Place, key: &str) -> Option<Action> {
    TABLE
        .iter()
        .find(|binding| binding.place == place && binding.keys.contains(&key))
        .map(|binding| binding.action)
}

/// The binding of an action in a place.
pub fn binding(place: Place, action: Action) -> Option<&'static Binding> {
    TABLE
        .iter()
        .find(|binding| binding.place == place && binding.action == action)
}

/// The keys of a binding as people read them; `leave` stands for the keys that leave INSERT.
pub fn shown(binding: &Binding, leave: &str) -> String {
    if binding.action == Action::Pick {
        return "1..9".to_owned();
    }
    let keys: Vec<&str> = binding
        .keys
        .iter()
        .map(|&key| if key == LEAVE { leave } else { key })
        .collect();
    keys.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_one_meaning_in_its_place() {
        for (index, binding) in TABLE.iter().enumerate() {
            for key in binding.keys {
                assert_eq!(
                    action(binding.place, key),
                    Some(binding.action),
                    "{key} in {:?} is bound twice; line {index} is out of reach",
                    binding.place
                );
            }
        }
    }

    #[test]
    fn editing_never_hides_what_its_mode_does() {
        for place in [Place::Filter, Place::Prompt] {
            for binding in TABLE.iter().filter(|binding| binding.place == place) {
                for key in binding.keys {
                    assert_eq!(action(Place::Line, key), None, "{key} in {place:?}");
                }
            }
        }
    }

    #[test]
    fn no_control_key_ends_anything() {
        for binding in TABLE {
            let ends = matches!(
                binding.action,
                Action::Stop | Action::Kill | Action::Remove | Action::Yes | Action::YesKill
            );
            let chord = binding
                .keys
                .iter()
                .any(|key| key.starts_with("ctrl-") || *key == "enter");
            assert!(!(ends && chord), "{binding:?}");
        }
    }
}
