//! The letters of COPY and SIGNAL.

use crate::tui::keymap::actions;

actions! {
    /// What to copy.
    Copy of "copy", "COPY: what to copy";
    Command "command" ["c"] "The command, with its directory and variables";
    Url "url" ["u"] "The URL";
    Path "path" ["p"] "The path of the log";
    Log "log" ["l"] "The last 100 lines";
    Screen "screen" ["s"] "What the screen shows";
    Id "id" ["i"] "The id";
    Leave "nothing" ["esc", "ctrl-c"] "Copy nothing; so does every other key" Leaves;
}

actions! {
    /// Which signal to send.
    Signal of "signal", "SIGNAL: which one to send; all but SIGWINCH ask";
    Int "int" ["i"] "SIGINT, as Ctrl-C does";
    Term "term" ["t"] "SIGTERM";
    Hup "hup" ["h"] "SIGHUP: often means reload";
    Quit "quit" ["q"] "SIGQUIT: with a core or a stack dump";
    Usr1 "usr1" ["1"] "SIGUSR1";
    Usr2 "usr2" ["2"] "SIGUSR2";
    Winch "winch" ["w"] "SIGWINCH: paint anew";
    Kill "kill" ["K"] "SIGKILL";
    Leave "none" ["esc", "ctrl-c"] "Send nothing; so does every other key" Leaves;
}
