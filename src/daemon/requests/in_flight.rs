//! The unanswered requests of one client.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::protocol::RequestId;

/// A client's unanswered requests, oldest first. They are not kept by id, because a client may use
/// an id twice.
#[derive(Default)]
pub(crate) struct InFlight {
    requests: RefCell<BTreeMap<u64, Entry>>,
    begun: Cell<u64>,
    settled: Notify,
}

struct Entry {
    id: RequestId,
    task: AbortHandle,
    is_wait: bool,
}

impl InFlight {
    pub(crate) fn len(&self) -> usize {
        self.requests.borrow().len()
    }

    /// Numbers a request. The number goes to [`InFlight::insert`] and [`InFlight::done`].
    pub(crate) fn begin(&self) -> u64 {
        let number = self.begun.get();
        self.begun.set(number + 1);
        number
    }

    /// Adds a request with the task that answers it.
    pub(crate) fn insert(&self, number: u64, id: RequestId, task: AbortHandle, is_wait: bool) {
        let entry = Entry { id, task, is_wait };
        self.requests.borrow_mut().insert(number, entry);
    }

    /// Removes a request that has been answered.
    pub(crate) fn done(&self, number: u64) {
        self.requests.borrow_mut().remove(&number);
        self.settled.notify_one();
    }

    /// Waits until every request is answered.
    pub(crate) async fn settled(&self) {
        while self.len() > 0 {
            self.settled.notified().await;
        }
    }

    /// Ends the oldest request of this id. Returns the id, or `None` if there is no such request.
    pub(crate) fn abort(&self, id: &RequestId) -> Option<RequestId> {
        let oldest = {
            let requests = self.requests.borrow();
            let mut of_that_id = requests.iter().filter(|(_, request)| request.id == *id);
            of_that_id.next().map(|(&number, _)| number)
        };
        self.abort_one(oldest?)
    }

    /// Ends every wait and returns their ids, oldest first.
    pub(crate) fn abort_waits(&self) -> Vec<RequestId> {
        self.abort_if(|request| request.is_wait)
    }

    /// Ends every request and returns their ids, oldest first.
    pub(crate) fn abort_all(&self) -> Vec<RequestId> {
        self.abort_if(|_| true)
    }

    fn abort_if(&self, wanted: impl Fn(&Entry) -> bool) -> Vec<RequestId> {
        let numbers: Vec<u64> = {
            let requests = self.requests.borrow();
            let wanted = requests.iter().filter(|(_, request)| wanted(request));
            wanted.map(|(&number, _)| number).collect()
        };
        let ended = numbers.into_iter();
        ended.filter_map(|number| self.abort_one(number)).collect()
    }

    fn abort_one(&self, number: u64) -> Option<RequestId> {
        let request = self.requests.borrow_mut().remove(&number)?;
        request.task.abort();
        Some(request.id)
    }
}
