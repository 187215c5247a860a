//! The output and the screen of a session: reading it, waiting for it, watching it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Absent, params};
use crate::protocol::bounds;
use crate::protocol::choices::{
    CaptureFormat, ExportFormat, LogFormat, PolledStream, ShellLanguage, Stream,
};
use crate::protocol::colors::TerminalColors;
use crate::protocol::condition::{Condition, View, WaitMode};

params! {
    /// `poll`: status and output.
    Poll {
        /// Id of the session.
        session_id: String,
        /// A cursor, or `new`; absent: the last `maxChars`.
        #[schemars(regex(pattern = bounds::CURSOR))]
        since: Option<String>,
        /// How long to wait for something new, in milliseconds (0).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Maximum number of characters of output (500).
        #[schemars(range(max = bounds::MAX_CHARS))]
        max_chars: Option<usize>,
        /// If there is more output, return the oldest and leave the rest to the next request.
        /// `maxChars` then counts bytes of the log (false).
        oldest: Option<bool>,
        /// Only this stream.
        #[schemars(with = "Option<PolledStream>")]
        stream: Option<Stream>,
    }
    /// `log`: stored output, by bytes or by lines.
    #[schemars(extend("allOf" = bounds::of_log()))]
    Log {
        /// One session,
        session_id: Option<String>,
        /// or, with `grep`, `tail` or `lines`, several,
        #[schemars(length(min = 1))]
        session_ids: Option<Vec<String>>,
        /// or a group; absent: all sessions that the client sees.
        group: Option<String>,
        /// First byte (0).
        offset: Option<u64>,
        /// Maximum number of bytes (65,536).
        #[schemars(range(min = 1, max = bounds::MAX_LOG_BYTES))]
        limit: Option<u64>,
        /// First line, counted from 1.
        from_line: Option<u64>,
        /// Maximum number of lines (100).
        #[schemars(range(min = 1, max = bounds::MAX_LINES))]
        lines: Option<u64>,
        /// Return this many of the last lines.
        #[schemars(range(min = 1, max = bounds::MAX_LINES))]
        tail: Option<u64>,
        /// Only this stream.
        stream: Option<Stream>,
        /// Clean text (default), raw bytes with invalid UTF-8 replaced, or base64.
        format: Option<LogFormat>,
        /// Only lines that match this regular expression.
        grep: Option<String>,
        /// With `grep`: ignore case (false).
        ignore_case: Option<bool>,
        /// With `grep`: number of lines around each match (0).
        #[schemars(range(max = bounds::MAX_CONTEXT))]
        context: Option<usize>,
        /// With `grep`: maximum number of matches (50).
        #[schemars(range(min = 1, max = bounds::MAX_MATCHES))]
        max_matches: Option<usize>,
        /// With `grep`: if there are more matches than `maxMatches`, return the newest ones and not the
        /// oldest (false).
        newest: Option<bool>,
        /// Only output written at or after this time: `2026-11-21T20:00:00Z`, or `10m` for ten minutes ago.
        since_time: Option<String>,
        /// Only this run.
        run: Option<u32>,
        /// Only the output of a command that the session's shell ran (OSC 133): 1 is the last one, 2 the one
        /// before.
        #[schemars(range(min = 1))]
        command: Option<usize>,
        /// With bytes: include the times at which they were written.
        times: Option<bool>,
        /// Include where the output came from: times, streams and runs for bytes, offsets for
        /// lines.
        origins: Option<bool>,
    }
    /// `wait`: waits for conditions.
    #[schemars(extend("allOf" = bounds::of_wait()))]
    Wait {
        /// One session,
        session_id: Option<String>,
        /// or several,
        #[schemars(length(min = 1))]
        session_ids: Option<Vec<String>>,
        /// or a group.
        group: Option<String>,
        /// For several sessions: any (default) or all.
        mode: Option<WaitMode>,
        /// The wait succeeds if any of these holds; absent or empty: exit.
        until: Option<Vec<Condition>>,
        /// The wait fails if any of these holds.
        fail: Option<Vec<Condition>>,
        /// A cursor; absent: the output that this scope has not been shown.
        #[schemars(regex(pattern = bounds::CURSOR))]
        since: Option<String>,
        /// The view in which patterns are searched (plain); `screen` adds the screen to the reply.
        view: Option<View>,
        /// How long to wait, in milliseconds (10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Former name of `waitMs`.
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        timeout_ms: Option<u64>,
        /// Maximum number of characters of output in the reply (500).
        #[schemars(range(max = bounds::MAX_CHARS))]
        max_chars: Option<usize>,
        /// Continue to wait if a session ends only because it is being restarted (false).
        through_restarts: Option<bool>,
    }
    /// `exec`: runs a command in the shell that a session runs.
    #[schemars(extend("allOf" = bounds::of_exec()))]
    Exec {
        /// Id of the session.
        session_id: String,
        /// The command, of one line or several.
        #[schemars(regex(pattern = bounds::NOT_BLANK))]
        command: Option<String>,
        /// Or the `pending` of an earlier reply: goes on waiting for that command.
        #[schemars(regex(pattern = bounds::PENDING))]
        pending: Option<String>,
        /// The language of the shell; absent: the one of the program in the foreground.
        language: Option<ShellLanguage>,
        /// How long to wait for its end, in milliseconds (10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Maximum number of characters of output in the reply (500).
        #[schemars(range(max = bounds::MAX_CHARS))]
        max_chars: Option<usize>,
    }
    /// `capture`: the current screen.
    #[schemars(extend("allOf" = bounds::of_capture()))]
    Capture {
        /// Id of the session.
        session_id: String,
        /// Text (default), ansi, html, svg or json.
        format: Option<CaptureFormat>,
        /// A `screenSeq`: if the screen has not changed since, answer `changed:false` without
        /// content.
        since: Option<u64>,
        /// Number of lines above the screen to include (0).
        #[schemars(range(max = bounds::MAX_SCROLLBACK))]
        scrollback: Option<u64>,
        /// Cut blanks at row ends and blank rows at the end (true).
        trim: Option<bool>,
        /// Also list the links on the screen (false).
        links: Option<bool>,
        /// Return the screen as it was after this many bytes of output.
        at_offset: Option<u64>,
        /// Return the screen as it was at this time.
        at_time: Option<String>,
    }
    /// `export`: the whole log in another format.
    Export {
        /// Id of the session.
        session_id: String,
        /// Asciicast (default), text, html or raw.
        format: Option<ExportFormat>,
        /// File to write, relative to the client's directory; absent: the reply contains the data.
        path: Option<String>,
    }
    /// `watch`: sends the changes of a screen.
    Watch {
        /// Id of the session.
        session_id: String,
        /// Maximum number of frames per second (60).
        #[schemars(range(min = 1, max = bounds::MAX_FPS))]
        max_fps: Option<u32>,
        /// The colours of the terminal in which the screen is shown.
        colors: Option<TerminalColors>,
    }
    /// `unwatch`: stops sending the changes of a screen.
    Unwatch {
        /// Id of the session.
        session_id: String,
    }
    /// `clear`: drops the output so far.
    Clear {
        /// Id of the session.
        session_id: String,
    }
    /// `resize`: sets the size of the terminal.
    Resize {
        /// Id of the session.
        session_id: String,
        /// Rows.
        #[schemars(range(min = bounds::LEAST_SIDE, max = bounds::MAX_SIDE))]
        rows: u16,
        /// Columns.
        #[schemars(range(min = bounds::LEAST_SIDE, max = bounds::MAX_SIDE))]
        cols: u16,
    }
}
