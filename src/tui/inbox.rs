//! What the main loop waits for: the terminal, signals, the daemon, and the results of other threads.
//!
//! One poll(2) for all of them. A thread for each would delay every key and every echo by the time that it takes to
//! wake another thread. Nothing is queued without a limit: as long as the loop is busy, nothing is read, so the
//! daemon sends newer frames instead of more, and the terminal buffers what is typed.

use std::collections::VecDeque;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::input::Input;
use super::later::Results;
use super::link::Link;
use super::message::Event;

/// Events in the order in which they happened, as far as that is known.
pub struct Inbox {
    input: Input,
    results: Results,
    events: VecDeque<Event>,
}

impl Inbox {
    /// An empty inbox.
    pub fn new(input: Input, results: Results) -> Self {
        Self {
            input,
            results,
            events: VecDeque::new(),
        }
    }

    /// The next event that has been read.
    pub fn take(&mut self) -> Option<Event> {
        // At once after the event that has lent the terminal: later signals are meant for the view.
        self.events.extend(self.input.signals_of_loan());
        self.events.pop_front()
    }

    /// Waits until something happens, at most for `wait`, and reads it. Meanwhile, queued requests are sent to the
    /// daemon.
    pub fn wait(&mut self, link: &mut Link, wait: Duration) {
        self.events.extend(link.take_events());
        if !self.events.is_empty() {
            return;
        }
        let [signals, terminal] = self.input.sources();
        let results = PollFd::new(&self.results, PollFlags::IN);
        let mut sources = vec![signals, terminal, results];
        sources.extend(link.source());
        let limit = Timespec::try_from(wait).ok();
        match poll(&mut sources, limit.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return,
            Err(_) => {
                self.events.push_back(Event::HangUp);
                return;
            }
        }
        let ready: Vec<_> = sources.iter().map(PollFd::revents).collect();
        if !ready[0].is_empty() {
            self.events.extend(self.input.signals());
        }
        if !ready[1].is_empty() {
            self.events.extend(self.input.read());
        }
        if !ready[2].is_empty() {
            self.events.extend(self.results.take());
            link.connected();
        }
        if let Some(ready) = ready.get(3) {
            link.advance(*ready);
        }
        self.events.extend(link.take_events());
    }
}
