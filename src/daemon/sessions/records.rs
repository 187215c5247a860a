//! Descriptions of sessions for clients.

use super::Sessions;
use super::session_io::SessionIo;
use crate::engine::Now;
use crate::engine::session::{Session, is_offloaded};
use crate::protocol::record::{Asked, OutputFile};
use crate::protocol::{Record, Summary};
use crate::sys::shared_table::Slot;
use crate::sys::signal;

impl Sessions {
    /// A session's record. `asked` holds the open questions to people about it.
    pub(crate) fn record(&self, session: &Session, asked: Vec<Asked>, now: Now) -> Record {
        let mut record = session.record(now, signal::name);
        record.summary.present_directory = self.present_directory(session);
        record.asked = asked;
        let io = self.io(&session.id);
        record.unsaved = io.is_some_and(|io| io.is_record_stale);
        record.output_files = self.add_log(&mut record.summary, io);
        record
    }

    /// The short form of a record, which lists for agents contain.
    pub(crate) fn summary(&self, session: &Session, now: Now) -> Summary {
        let mut summary = session.summary(now, signal::name);
        summary.present_directory = self.present_directory(session);
        self.add_log(&mut summary, self.io(&session.id));
        summary
    }

    /// The directory that a session's program reports.
    pub(crate) fn present_directory(&self, session: &Session) -> Option<String> {
        session.present_directory(&self.host)
    }

    /// Adds the size and the path of a session's log. Returns its files if the log is too long to be read
    /// through replies.
    fn add_log(&self, summary: &mut Summary, io: Option<&SessionIo>) -> Vec<OutputFile> {
        let extent = io.map(|io| io.extent(&self.shared_table));
        let extent = extent.unwrap_or_default();
        summary.output_bytes = summary.output_bytes.max(extent.end);
        let first = io.and_then(|io| self.slot(io)).map_or(0, Slot::first);
        summary.dropped_bytes = summary.dropped_bytes.max(first) + extent.unsaved;
        summary.offloaded = is_offloaded(summary.output_bytes);
        let offloaded = io.filter(|_| summary.offloaded);
        let files = offloaded.map_or_else(Vec::new, |io| self.files_of(io));
        summary.output_file = files.last().map(|file| file.path.clone());
        files
    }
}
