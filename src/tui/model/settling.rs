//! What is typed right after a job got another size, until its program has noticed.
//!
//! The signal for the new size and the typed bytes reach the program together. Programs that answer the signal at once,
//! such as nano and less, then drop what they have not read. So the bytes wait until the job writes something, for a
//! moment at most.

use crate::protocol::SessionId;

/// How long typed bytes wait at most, in milliseconds. A program repaints within a few of them; a person does not
/// notice.
const SETTLE_MS: i64 = 100;

/// The job that got another size, and what was typed into it since.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settling {
    job: Option<Resized>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Resized {
    id: SessionId,
    /// When the bytes are sent at the latest.
    until: i64,
    /// Whether the daemon has confirmed the size: what the job writes from then on may be the repainted screen.
    is_confirmed: bool,
    typed: Vec<u8>,
}

impl Settling {
    /// Another size was requested for a job. Returns what was typed into the job that was resized before.
    pub fn begin(&mut self, id: &SessionId, now: i64) -> Option<(SessionId, Vec<u8>)> {
        let typed = match &self.job {
            Some(job) if job.id == *id => self.job.take().map(|job| job.typed),
            _ => None,
        };
        let before = self.job.replace(Resized {
            id: id.clone(),
            until: now + SETTLE_MS,
            is_confirmed: false,
            typed: typed.unwrap_or_default(),
        });
        before.map(|job| (job.id, job.typed))
    }

    /// The daemon has given the job its new size.
    pub fn confirm(&mut self, id: &SessionId) {
        if let Some(job) = self.of(id) {
            job.is_confirmed = true;
        }
    }

    /// The job keeps its size, so that there is nothing to wait for.
    pub fn refused(&mut self, id: &SessionId) {
        if let Some(job) = self.of(id) {
            job.until = i64::MIN;
        }
    }

    /// The job has written something.
    pub fn wrote(&mut self, id: &SessionId) {
        if let Some(job) = self.of(id).filter(|job| job.is_confirmed) {
            job.until = i64::MIN;
        }
    }

    /// Lets nothing wait any longer.
    pub fn end(&mut self) {
        if let Some(job) = &mut self.job {
            job.until = i64::MIN;
        }
    }

    /// Keeps bytes for a job that has not noticed its size yet; `false` if they can be sent now.
    pub fn keep(&mut self, id: &SessionId, bytes: &[u8], now: i64) -> bool {
        let waits = |job: &&mut Resized| job.until > now || !job.typed.is_empty();
        let Some(job) = self.of(id).filter(waits) else {
            return false;
        };
        job.typed.extend_from_slice(bytes);
        true
    }

    /// What has waited long enough.
    pub fn take(&mut self, now: i64) -> Option<(SessionId, Vec<u8>)> {
        let job = self.job.take_if(|job| job.until <= now)?;
        Some((job.id, job.typed))
    }

    /// When the bytes that wait are sent at the latest.
    pub fn next_due(&self) -> Option<i64> {
        let job = self.job.as_ref().filter(|job| !job.typed.is_empty());
        job.map(|job| job.until)
    }

    fn of(&mut self, id: &SessionId) -> Option<&mut Resized> {
        self.job.as_mut().filter(|job| job.id == *id)
    }
}
