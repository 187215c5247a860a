//! The keys of SCROLL.

use crate::tui::keymap::{LEAVE, SCROLL, actions};

actions! {
    /// What keys do in the log.
    Action of SCROLL, "SCROLL: back through the log";
    LineDown "line-down" ["j", "down"] "One line down";
    LineUp "line-up" ["k", "up"] "One line up";
    ColumnLeft "left" ["h", "left"] "One character to the left";
    ColumnRight "right" ["l", "right"] "One character to the right";
    NextWord "next-word" ["w"] "To the next word";
    PreviousWord "previous-word" ["b"] "To the word before";
    FirstColumn "line-start" ["0"] "To the start of the line";
    LastColumn "line-end" ["$"] "To the end of the line";
    PanLeft "pan-left" [","] "Cut lines: show more on the left";
    PanRight "pan-right" ["."] "Cut lines: show more on the right";
    HalfDown "half-down" ["ctrl-d"] "Half a page down";
    HalfUp "half-up" ["ctrl-u"] "Half a page up";
    PageDown "page-down" ["ctrl-f", "pgdn", "space"] "A page down";
    PageUp "page-up" ["ctrl-b", "pgup"] "A page up";
    Top "top" ["g", "home"] "To the beginning of the log";
    Live "live" ["G", "end"] "To the end, and live again";
    Search "search" ["/", "f"] "Search: regular expression, smart case";
    Older "older" ["n"] "Next match, towards older";
    Newer "newer" ["N"] "Next match, towards newer";
    OnlyMatches "only-matches" ["a"] "Only lines that match, or all";
    NextError "next-error" ["e"] "Next line that looks like an error";
    PreviousError "previous-error" ["E"] "Line before that looks like an error";
    NextPrompt "next-prompt" ["}"] "Next prompt or run";
    PreviousPrompt "previous-prompt" ["{"] "Prompt or run before";
    SelectText "select" ["v"] "Select characters";
    SelectLines "select-lines" ["V"] "Select lines";
    SelectBlock "select-block" ["ctrl-v"] "Select a block";
    SelectOutput "select-output" ["O"] "Select the output of a shell's command";
    OtherEnd "other-end" ["o"] "To the other end of the selection";
    CopySelection "copy" ["y", "enter"] "Copy the selection";
    Rewind "rewind" ["<"] "The screen a moment earlier";
    Forward "forward" [">"] "The screen a moment later";
    Times "times" ["t"] "Times of the lines, on or off";
    Pager "pager" ["L"] "The whole log in $PAGER";
    Type "type" ["i"] "Type into the job";
    Redraw "redraw" ["ctrl-l"] "Redraw everything";
    Palette "commands" [":"] "All commands; they end SCROLL";
    Help "help" ["?"] "All keys";
    Leave "leave" ["esc", "q"] "Back to NORMAL" Leaves;
    ToNormal "to-normal" [LEAVE] "The same, also from a search or the past" Fixed;
}

actions! {
    /// What keys do while a past screen is shown.
    RewindAction of "rewind", "SCROLL after < : the screen as it was";
    Back "back" ["<", "left", "h"] "What was there before";
    Forward "forward" [">", "right", "l"] "What happened next";
    Play "play" ["space"] "Play what happened, or stop";
    HalfUp "step-back" ["ctrl-u", "up"] "A step back in time";
    HalfDown "step-on" ["ctrl-d", "down"] "A step on in time";
    PageUp "six-back" ["ctrl-b", "pgup"] "Six steps back";
    PageDown "six-on" ["ctrl-f", "pgdn"] "Six steps on";
    ZoomIn "zoom-in" ["+", "="] "Smaller steps, and a shorter time bar";
    ZoomOut "zoom-out" ["-"] "Larger steps, and a longer time bar";
    Top "beginning" ["g", "home"] "To the beginning";
    Live "live" ["G", "end"] "To now, and live again";
    Faster "faster" ["]"] "Play twice as fast";
    Slower "slower" ["["] "Play half as fast";
    PanLeft "pan-left" [","] "Cropped pane: show more on the left";
    PanRight "pan-right" ["."] "Cropped pane: show more on the right";
    PanUp "pan-up" ["ctrl-y"] "Cropped pane: one row up";
    PanDown "pan-down" ["ctrl-e"] "Cropped pane: one row down";
    CopyScreen "copy" ["y"] "Copy what it showed";
    SelectText "select" ["v"] "Select on this screen";
    Palette "commands" [":"] "All commands; they end SCROLL";
    Help "help" ["?"] "All keys";
    Leave "back-to-text" ["esc", "q"] "Back to where it was opened" Leaves;
}
