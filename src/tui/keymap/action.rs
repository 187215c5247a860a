//! What keys do.

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
    /// Answer the job from the list, in one line.
    Reply,
    /// All panes at once, or back.
    Grid,
    /// More tiles.
    MoreTiles,
    /// Fewer tiles.
    FewerTiles,
    /// The tile to the left.
    TileLeft,
    /// The tile to the right.
    TileRight,
    /// The tile below.
    TileDown,
    /// The tile above.
    TileUp,
    /// Run the whole group again.
    RestartGroup,
    /// A new job like this one.
    Duplicate,
    /// Change its name, its group and the like.
    Edit,
    /// Forget all ended jobs.
    RemoveEnded,
    /// Put back what was removed last.
    Undo,
    /// Start the project of this directory.
    ProjectUp,
    /// Stop the project of this directory.
    ProjectDown,
    /// Mark the job, or take the mark away.
    Mark,
    /// Mark all that are shown, or take all marks away.
    MarkAll,
    /// Type into all marked jobs.
    TypeAll,
    /// Look for text in this job.
    Find,
    /// Look for text in all jobs.
    FindAll,
    /// Choose what to copy.
    Copy,
    /// Open the job's URL.
    Open,
    /// The whole log in the pager.
    Pager,
    /// All about the job.
    Details,
    /// Take the keyboard from agents, or give it back.
    TakeKeyboard,
    /// Times of the lines on or off.
    Times,
    /// Wrap long lines or not.
    Wrap,
    /// Sort the list in another way.
    Sort,
    /// Copy the report of a job that failed.
    CopyReport,
    /// End what survived once more, or send a signal.
    Signal,
    /// Give the mouse back to the terminal, or take it.
    Mouse,
    /// All commands, by name.
    Palette,
    /// Close the view and stop jobs.
    QuitAndStop,
    /// One character to the left.
    ColumnLeft,
    /// One character to the right.
    ColumnRight,
    /// To the next word.
    NextWord,
    /// To the word before.
    PreviousWord,
    /// To the first column.
    FirstColumn,
    /// To the end of the line.
    LastColumn,
    /// To the next line that looks like an error.
    NextError,
    /// To the line before that looks like an error.
    PreviousError,
    /// To the next prompt or run.
    NextPrompt,
    /// To the prompt or run before.
    PreviousPrompt,
    /// Select characters.
    SelectText,
    /// Select lines.
    SelectLines,
    /// Select a block.
    SelectBlock,
    /// To the other end of the selection.
    OtherEnd,
    /// Copy the selection.
    CopySelection,
    /// Only lines that match.
    OnlyMatches,
    /// The screen a moment earlier.
    Rewind,
    /// The screen a moment later.
    Forward,
    /// Play what happened, or stop.
    Play,
    /// Play it faster.
    Faster,
    /// Play it more slowly.
    Slower,
    /// The command.
    CopyCommand,
    /// The URL.
    CopyUrl,
    /// Where the log is.
    CopyPath,
    /// The last hundred lines.
    CopyLog,
    /// What the screen shows.
    CopyScreen,
    /// The id.
    CopyId,
    /// SIGHUP.
    SendHup,
    /// SIGINT.
    SendInt,
    /// SIGQUIT.
    SendQuit,
    /// SIGTERM.
    SendTerm,
    /// SIGKILL.
    SendKill,
    /// SIGUSR1.
    SendUsr1,
    /// SIGUSR2.
    SendUsr2,
    /// SIGWINCH.
    SendWinch,
    /// Stop the jobs of this group.
    StopGroup,
    /// Stop all jobs.
    StopAll,
    /// Copy the shell command of what is chosen.
    CopyShell,
    /// Complete what is typed by what is suggested.
    Complete,
    /// What was said so far.
    Messages,
}
