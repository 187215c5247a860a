//! The keys of NORMAL.

use crate::tui::keymap::{LEAVE, NORMAL, actions};

actions! {
    /// The commands.
    Action of NORMAL, "NORMAL: commands; no key reaches a job",
        headings: &[
            ("down", "choose"),
            ("attach", "type"),
            ("stop", "act"),
            ("zoom", "look"),
            ("copy", "copy and open"),
            ("mouse", "the view itself"),
        ];
    Down "down" ["j", "down"] "Next row";
    Up "up" ["k", "up"] "Row above";
    First "first" ["g", "home"] "First row";
    Last "last" ["G", "end"] "Last row";
    PageDown "page-down" ["pgdn", "ctrl-f"] "A page down: a long list, else the pane";
    PageUp "page-up" ["ctrl-b"] "A page up (pgup): a long list, else pane";
    Pick "pick" ["1", "2", "3", "4", "5", "6", "7", "8", "9"] "The job of that number";
    Fold "fold" ["h", "left"] "Fold the group";
    Unfold "unfold" ["l", "right"] "Unfold the group";
    FoldAll "fold-all" ["Z"] "Fold all groups, or unfold them";
    NextAlert "next-alert" ["!"] "Next job that needs attention";
    Previous "previous" ["-"] "The previous job";
    Filter "filter" ["/"] "Filter: text, !failed, g:group, @agent";
    Find "find" ["f"] "Find in this job";
    FindAll "find-all" ["F"] "Find in all jobs";
    Sort "sort" ["S"] "Sort: attention, name, age, cpu, state";
    Mark "mark" ["space"] "Mark the job; verbs act on all marked";
    MarkAll "mark-all" ["*"] "Mark all listed jobs, or none";
    Compare "compare" ["="] "Compare the logs of two marked jobs";
    Attach "attach" ["enter"] "Attach: zoom in and type";
    Type "type" ["i"] "Type into the job where it is";
    Reply "reply" ["tab"] "Answer a job that waits, from its row";
    TypeAll "type-all" ["b"] "Type into all marked jobs";
    TakeKeyboard "take-keyboard" ["T"] "Take agents' keyboard, or give it back";
    Decline "decline" ["N"] "Say no to what an agent asks";
    Stop "stop" ["x"] "Stop: TERM, then KILL after 10 s. Asks";
    Kill "kill" ["X"] "SIGKILL at once. Asks";
    Signal "signal" ["K"] "Send a signal; ends survivors too. Asks";
    Pause "pause" ["p"] "Pause, or continue. Pausing asks";
    PauseQueue "pause-queue" ["P"] "Pause its queue, or resume it. Asks";
    Restart "restart" ["r"] "Run it again. Asks while it runs";
    Resume "resume" ["C"] "Start a lost job with its resume command";
    RestartGroup "restart-group" ["R"] "Run the whole group again. Asks";
    New "new" ["n", "a"] "New job";
    Duplicate "duplicate" ["c"] "New job like this one";
    Edit "edit" ["e"] "Change name, group, command";
    Remove "remove" ["d"] "Remove an ended job and its log";
    RemoveEnded "remove-ended" ["D"] "Remove all ended jobs. Asks";
    Undo "undo" ["ctrl-_"] "Put back what was just removed";
    ProjectUp "project-up" ["u"] "Bring up the job and its needs, or all";
    ProjectDown "project-down" ["U"] "Bring the project down. Asks";
    ProjectReload "project-reload" ["ctrl-r"] "Reload the project file; shows changes";
    Zoom "zoom" ["z"] "Zoom the pane, or back";
    Narrower "narrower" ["<"] "A narrower list";
    Wider "wider" [">"] "A wider list";
    Grid "grid" ["v"] "Grid of live panes, or back";
    Scroll "scroll" ["s", "[", "pgup"] "Scroll back through the log";
    HalfUp "half-up" ["ctrl-u"] "Pane: half a page up";
    HalfDown "half-down" ["ctrl-d"] "Pane: half a page down";
    LineUp "line-up" ["ctrl-y"] "Pane: one line up";
    LineDown "line-down" ["ctrl-e"] "Pane: one line down";
    PanLeft "pan-left" [","] "Cropped pane: show more on the left";
    PanRight "pan-right" ["."] "Cropped pane: show more on the right";
    Times "times" ["t"] "Times of the lines, on or off";
    Wrap "wrap" ["w"] "Wrap long lines, or the screen as it is";
    Copy "copy" ["y"] "Copy command, URL, path, log, screen, id";
    CopyReport "copy-report" ["Y"] "Copy the report of a failed job";
    Open "open" ["o"] "Open the job's URL, or a link on screen";
    Pager "pager" ["L"] "The whole log in $PAGER";
    Details "details" ["I"] "Process tree, ports, runs, who typed";
    Mouse "mouse" ["m"] "Give the terminal the mouse, or take it";
    Palette "commands" [":"] "All commands, and how the shell says them";
    Back "back" ["esc"] "One step back; never quits";
    Literal "literal" [LEAVE] "Straight after leaving: sends itself" Fixed;
    Interrupt "interrupt" ["ctrl-c"] "Never sent; twice closes the view";
    Redraw "redraw" ["ctrl-l"] "Redraw everything";
    Suspend "suspend" ["ctrl-z"] "Suspend the view; jobs go on";
    Help "help" ["?"] "All keys";
    Quit "quit" ["q"] "Close the view; jobs go on";
    QuitAndStop "quit-and-stop" ["Q"] "Close the view and stop jobs. Asks";
    StopGroup "stop-group" [] "Stop all jobs of this group. Asks";
    StopAll "stop-all" [] "Stop all jobs. Asks";
    RestartAll "restart-all" [] "Run all jobs again that run. Asks";
    StartNow "start-now" [] "Start a job of a queue now, out of turn";
    MoveFirst "move-first" [] "Queue: start it before all others";
    MoveLast "move-last" [] "Queue: start it after all others";
    Rename "rename" [] "Change the name of the job";
    ClearLog "clear-log" [] "Clear the log of the job. Asks";
    Messages "messages" [] "The messages so far";
    Exec "exec" [] "A shell in the job's directory and environment";
    Share "share" [] "Let agents see the job, or no longer";
    Export "export" [] "Copy the shell command that exports the log";
    Replay "replay" [] "Play the recording of the job from its beginning";
}
