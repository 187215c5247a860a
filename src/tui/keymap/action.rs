//! The actions that keys perform.

/// An action that a key performs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Select the next row.
    Down,
    /// Select the previous row.
    Up,
    /// Select the first row.
    First,
    /// Select the last row.
    Last,
    /// Select a job by its number in the list.
    Pick,
    /// Fold a group.
    Fold,
    /// Unfold a group.
    Unfold,
    /// Zoom and type.
    Attach,
    /// Type in place.
    Type,
    /// Toggle the zoom.
    Zoom,
    /// Stop the job.
    Stop,
    /// Kill the job.
    Kill,
    /// Restart the job.
    Restart,
    /// Pause or continue.
    Pause,
    /// Decline an agent's question.
    Decline,
    /// Start a job.
    New,
    /// Remove an ended job.
    Remove,
    /// Filter the list.
    Filter,
    /// Scroll back through the log.
    Scroll,
    /// Show more of a cropped pane to the left.
    PanLeft,
    /// Show more of a cropped pane to the right.
    PanRight,
    /// Select the next job that needs attention.
    NextAlert,
    /// Select the previously selected job.
    Previous,
    /// Undo one step.
    Back,
    /// Send the leave key itself to the job, right after leaving.
    Literal,
    /// Redraw the whole screen.
    Redraw,
    /// Suspend the view.
    Suspend,
    /// Explain what Ctrl-C does here.
    Interrupt,
    /// Show the help screen.
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
    /// Go to the top.
    Top,
    /// Go to the end and follow live output.
    Live,
    /// Search for text.
    Search,
    /// Go to the previous (older) match.
    Older,
    /// Go to the next (newer) match.
    Newer,
    /// Keep the edited text.
    Accept,
    /// Go to the next field.
    NextField,
    /// Go to the previous field.
    PreviousField,
    /// Recall an older command.
    OlderCommand,
    /// Recall a newer command.
    NewerCommand,
    /// Answer yes.
    Yes,
    /// Answer yes and use SIGKILL.
    YesKill,
    /// Answer no.
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
    /// Delete to the start of the line.
    DeleteToStart,
    /// Delete to the end of the line.
    DeleteToEnd,
    /// Insert the text that was deleted last.
    Yank,
    /// Send a one-line reply to the job.
    Reply,
    /// Toggle the grid.
    Grid,
    /// Show more tiles.
    MoreTiles,
    /// Show fewer tiles.
    FewerTiles,
    /// Select the tile to the left.
    TileLeft,
    /// Select the tile to the right.
    TileRight,
    /// Select the tile below.
    TileDown,
    /// Select the tile above.
    TileUp,
    /// Restart the whole group.
    RestartGroup,
    /// Start a copy of the job.
    Duplicate,
    /// Edit the job's name, group and other settings.
    Edit,
    /// Remove all ended jobs.
    RemoveEnded,
    /// Undo the last removal.
    Undo,
    /// Start the project of this directory.
    ProjectUp,
    /// Stop the project of this directory.
    ProjectDown,
    /// Mark or unmark the job.
    Mark,
    /// Mark or unmark all listed jobs.
    MarkAll,
    /// Type into all marked jobs.
    TypeAll,
    /// Search this job's log.
    Find,
    /// Search the logs of all jobs.
    FindAll,
    /// Open the menu of what to copy.
    Copy,
    /// Open the job's URL.
    Open,
    /// Show the whole log in the pager.
    Pager,
    /// Show the details of the job.
    Details,
    /// Take the keyboard from agents, or give it back.
    TakeKeyboard,
    /// Toggle timestamps.
    Times,
    /// Toggle wrapping of long lines.
    Wrap,
    /// Switch to the next sort order.
    Sort,
    /// Copy the report of a failed job.
    CopyReport,
    /// Kill survivors again, or open the menu of signals.
    Signal,
    /// Release the mouse to the terminal, or take it.
    Mouse,
    /// Open the palette of all commands.
    Palette,
    /// Stop jobs and close the view.
    QuitAndStop,
    /// Move one character to the left.
    ColumnLeft,
    /// Move one character to the right.
    ColumnRight,
    /// Go to the next word.
    NextWord,
    /// Go to the previous word.
    PreviousWord,
    /// Go to the first column.
    FirstColumn,
    /// Go to the end of the line.
    LastColumn,
    /// Go to the next line that looks like an error.
    NextError,
    /// Go to the previous line that looks like an error.
    PreviousError,
    /// Go to the next prompt or start of a run.
    NextPrompt,
    /// Go to the previous prompt or start of a run.
    PreviousPrompt,
    /// Select characters.
    SelectText,
    /// Select lines.
    SelectLines,
    /// Select a block.
    SelectBlock,
    /// Go to the other end of the selection.
    OtherEnd,
    /// Copy the selection.
    CopySelection,
    /// Show only matching lines.
    OnlyMatches,
    /// Show the screen before the previous change.
    Rewind,
    /// Show the screen after the next change.
    Forward,
    /// Start or pause the playback.
    Play,
    /// Play faster.
    Faster,
    /// Play more slowly.
    Slower,
    /// Copy the command.
    CopyCommand,
    /// Copy the URL.
    CopyUrl,
    /// Copy the path of the log.
    CopyPath,
    /// Copy the last hundred lines of the log.
    CopyLog,
    /// Copy the screen.
    CopyScreen,
    /// Copy the id.
    CopyId,
    /// Send SIGHUP.
    SendHup,
    /// Send SIGINT.
    SendInt,
    /// Send SIGQUIT.
    SendQuit,
    /// Send SIGTERM.
    SendTerm,
    /// Send SIGKILL.
    SendKill,
    /// Send SIGUSR1.
    SendUsr1,
    /// Send SIGUSR2.
    SendUsr2,
    /// Send SIGWINCH.
    SendWinch,
    /// Stop the jobs of this group.
    StopGroup,
    /// Stop all jobs.
    StopAll,
    /// Copy the shell command of the selected entry.
    CopyShell,
    /// Accept the suggestion.
    Complete,
    /// Show the message history.
    Messages,
}
