//! The keys of line editing, in all modes that have it.

use crate::tui::keymap::actions;

actions! {
    /// What keys do that insert no text.
    Action of "line", "Wherever you edit a line", edits_text: true;
    LineStart "line-start" ["ctrl-a", "home"] "Start of the line";
    LineEnd "line-end" ["ctrl-e", "end"] "End of the line";
    CharLeft "char-left" ["ctrl-b", "left"] "A character back";
    CharRight "char-right" ["ctrl-f", "right"] "A character forward";
    WordLeft "word-left" ["ctrl-left", "alt-b"] "A word back";
    WordRight "word-right" ["ctrl-right", "alt-f"] "A word forward";
    DeleteBack "delete-back" ["backspace", "ctrl-h"] "Delete the character before";
    DeleteHere "delete-here" ["ctrl-d", "delete"] "Delete the character here";
    DeleteWord "delete-word" ["ctrl-w"] "Delete the word before";
    DeleteToStart "delete-to-start" ["ctrl-u"] "Delete to the start";
    DeleteToEnd "delete-to-end" ["ctrl-k"] "Delete to the end";
    Yank "yank" ["ctrl-y"] "Put back what was deleted";
}
