//! Input for a program, and questions to people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Absent, params};
use crate::protocol::bounds;
use crate::protocol::choices::{Encoding, KeyInput};
use crate::protocol::condition::{Condition, View, WaitSpec};
use crate::protocol::report::Activity;

params! {
    /// `write`: writes bytes to the program's input.
    #[schemars(extend("allOf" = bounds::of_write()))]
    Write {
        /// Id of the session.
        session_id: String,
        /// Data to write.
        data: Option<String>,
        /// Encoding of `data` (utf8).
        encoding: Option<Encoding>,
        /// Then signal the end of input (false).
        eof: Option<bool>,
        /// Then write a line feed (false).
        newline: Option<bool>,
        /// Then send Enter, as a separate write (false).
        submit: Option<bool>,
        /// Write it as a bracketed paste if the program has requested that mode (false).
        paste: Option<bool>,
        /// The data is forwarded by a person's program and not typed: only its length is logged,
        /// and the reply does not wait until it is read (false).
        passed_on: Option<bool>,
        /// Then wait for any of these; absent or empty: until there is something to do.
        until: Option<Vec<Condition>>,
        /// Also return, as failed, when any of these holds.
        fail: Option<Vec<Condition>>,
        /// How long to wait, in milliseconds (10,000 with conditions, else 0; on a lean connection
        /// always 10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// `screen`: then wait until there is something to do, and add the screen to the reply.
        view: Option<View>,
        /// The same as `until`, `fail` and `waitMs`, with the other parameters of `wait`.
        wait: Option<WaitSpec>,
    }
    /// `send_keys`: types keys by name.
    #[schemars(extend("allOf" = bounds::of_keys()))]
    SendKeys {
        /// Id of the session.
        session_id: String,
        /// Key names, `{"text":…}`, `{"click":…}` or `{"scroll":…}`.
        keys: Vec<KeyInput>,
        /// Number of repetitions (1).
        #[schemars(range(max = bounds::MAX_REPEAT))]
        repeat: Option<u32>,
        /// Then wait for any of these; absent or empty: until there is something to do.
        until: Option<Vec<Condition>>,
        /// Also return, as failed, when any of these holds.
        fail: Option<Vec<Condition>>,
        /// How long to wait, in milliseconds (10,000 with conditions, else 0; on a lean connection
        /// always 10,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// `screen`: then wait until there is something to do, and add the screen to the reply.
        view: Option<View>,
        /// The same as `until`, `fail` and `waitMs`, with the other parameters of `wait`.
        wait: Option<WaitSpec>,
    }
    /// `hold`: keeps agents from typing into a session until the person releases it or disconnects
    /// (people only).
    Hold {
        /// Id of the session.
        session_id: String,
        /// True to hold the keyboard, false to release it.
        on: bool,
    }
    /// `ask_human`: asks a person to type into a session.
    AskHuman {
        /// Id of the session.
        session_id: String,
        /// What the person needs to know or do.
        #[schemars(length(max = bounds::MAX_MESSAGE), regex(pattern = bounds::NOT_BLANK))]
        message: String,
        /// Time limit in milliseconds (300,000).
        #[schemars(range(max = bounds::MAX_ASK_MS))]
        timeout_ms: Option<u64>,
    }
    /// `decline`: declines the questions about a session (people only).
    Decline {
        /// Id of the session.
        session_id: String,
    }
    /// `report`: says how the program of a session is doing, in its own words.
    #[schemars(extend("allOf" = bounds::of_report()))]
    Report {
        /// Id of the session.
        session_id: String,
        /// How it is doing.
        state: Option<Activity>,
        /// Words about that. The first 200 characters are kept, and what looks secret is masked.
        #[schemars(length(max = bounds::MAX_MESSAGE), regex(pattern = bounds::NOT_BLANK))]
        message: Option<String>,
        /// Forget what was reported, so that only the kernel and the output count.
        clear: Option<bool>,
        /// Shell line that continues it after it was lost.
        #[schemars(regex(pattern = bounds::NOT_BLANK))]
        resume: Option<String>,
    }
}
