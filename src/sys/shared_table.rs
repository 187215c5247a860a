//! Memory that keeper and daemon share: how far each log has grown.
//!
//! The keeper stores the new end of a log. It notifies the daemon (a `Grown` message) only if the
//! daemon has said that it is listening. While the daemon is still reading, no messages are sent,
//! even if a job writes without pause. The table outlives either process. A new daemon reads up to
//! which offset the last one had answered terminal queries and shown the output; a new keeper reads
//! which bytes the last one was moving.
#![allow(unsafe_code, reason = "shared memory")]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::process::{Resource, getrlimit};

/// Number of slots in a new table: room for the ended jobs of people and all running ones. Only touched
/// pages take memory. A table from another version may have another number.
pub const SLOTS: u32 = 16_384;

/// Number of attempts to read what the keeper is changing. The change takes a few stores.
const MOST_READS: usize = 10_000;

/// The entry of one session. It has a cache line of its own, so that two sessions never contend.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Slot {
    end: AtomicU64,
    first: AtomicU64,
    replied: AtomicU64,
    shown: AtomicU64,
    unsaved: AtomicU64,
    /// Start offset of the newest segment plus one; zero if not set.
    segment: AtomicU64,
    /// Number of newlines before `first` plus one; zero if not known.
    newlines: AtomicU64,
    listening: AtomicU32,
    /// Odd while the keeper changes `first` and `newlines`, so that the daemon never reads one of
    /// them with an older value of the other.
    dropping: AtomicU32,
}

/// What the table has once: the state of the keeper. It precedes the slots and is as large as one.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Header {
    /// Slot (counted from 1) and stream whose bytes are in the splice pipe.
    last_moved: AtomicU64,
    /// Whether these bytes are still being moved.
    moving: AtomicU32,
    /// Number of `Spawn` messages of this daemon that the keeper has begun to serve.
    spawns: AtomicU64,
    /// Number of the last such message whose process could not announce itself. Right before its
    /// program runs, a new process announces itself: it sends its descriptors to the daemon, so
    /// that the daemon has them even if the keeper is killed then.
    unannounced: AtomicU64,
    /// Pid of the last process that announced itself.
    announced: AtomicU32,
}

impl Slot {
    /// Keeper: clears the slot for a session whose log spans these offsets.
    pub fn reset(&self, first: u64, end: u64) {
        self.first.store(first, Ordering::Relaxed);
        self.replied.store(end, Ordering::Relaxed);
        self.shown.store(0, Ordering::Relaxed);
        self.unsaved.store(0, Ordering::Relaxed);
        self.segment.store(0, Ordering::Relaxed);
        self.newlines.store(0, Ordering::Relaxed);
        self.listening.store(0, Ordering::Relaxed);
        self.end.store(end, Ordering::SeqCst);
    }

    /// Keeper: publishes that the log now ends at `end`. Returns whether the daemon wants to be notified.
    pub fn grow(&self, end: u64) -> bool {
        // SeqCst on both sides: either the daemon sees the new end after it began to listen, or we see that
        // it listens.
        self.end.store(end, Ordering::SeqCst);
        self.listening.swap(0, Ordering::SeqCst) == 1
    }

    /// Keeper: publishes that bytes before `first` are no longer kept, and how many newlines they
    /// had, if that is known.
    pub fn drop_before(&self, first: u64, newlines: Option<u64>) {
        // A killed keeper may have left an odd number.
        let change = self.dropping.load(Ordering::SeqCst) | 1;
        self.dropping.store(change, Ordering::SeqCst);
        let newlines = newlines.map_or(0, |newlines| newlines + 1);
        self.newlines.store(newlines, Ordering::SeqCst);
        self.first.store(first, Ordering::SeqCst);
        self.dropping
            .store(change.wrapping_add(1), Ordering::SeqCst);
    }

    /// Offset of the first byte of the log that is kept, and the number of newlines before it;
    /// `None` if the keeper does not know it, or was killed while it published it.
    pub fn dropped(&self) -> (u64, Option<u64>) {
        for _ in 0..MOST_READS {
            let change = self.dropping.load(Ordering::SeqCst);
            let first = self.first.load(Ordering::SeqCst);
            let newlines = self.newlines.load(Ordering::SeqCst);
            if change.is_multiple_of(2) && self.dropping.load(Ordering::SeqCst) == change {
                return (first, newlines.checked_sub(1));
            }
            std::hint::spin_loop();
        }
        (self.first(), None)
    }

    /// Offset after the last byte of the log.
    pub fn end(&self) -> u64 {
        self.end.load(Ordering::SeqCst)
    }

    /// Offset of the first byte of the log that is kept.
    pub fn first(&self) -> u64 {
        self.first.load(Ordering::Acquire)
    }

    /// Daemon: asks to be notified of bytes after `seen`. Returns false if there are such bytes
    /// already; then no notification follows, and the daemon must read on.
    pub fn listen(&self, seen: u64) -> bool {
        self.listening.store(1, Ordering::SeqCst);
        if self.end.load(Ordering::SeqCst) == seen {
            return true;
        }
        self.listening.store(0, Ordering::SeqCst);
        false
    }

    /// Daemon: records that terminal queries up to `offset` are answered.
    pub fn set_replied(&self, offset: u64) {
        self.replied.store(offset, Ordering::Release);
    }

    /// Offset up to which terminal queries are answered.
    pub fn replied(&self) -> u64 {
        self.replied.load(Ordering::Acquire)
    }

    /// Daemon: records that the session's own scope was shown all output up to `offset`.
    pub fn set_shown(&self, offset: u64) {
        self.shown.store(offset, Ordering::Relaxed);
    }

    /// Offset up to which the session's own scope was shown the output.
    pub fn shown(&self) -> u64 {
        self.shown.load(Ordering::Relaxed)
    }

    /// Keeper: publishes that the newest segment of the log begins at `start`.
    pub fn set_segment(&self, start: u64) {
        self.segment.store(start + 1, Ordering::Release);
    }

    /// Start offsets of the first and the newest segment; `None` if the keeper has not published them.
    pub fn segments(&self) -> Option<(u64, u64)> {
        let newest = self.segment.load(Ordering::Acquire).checked_sub(1)?;
        Some((self.first(), newest))
    }

    /// Keeper: publishes how many bytes after `first` are in no file.
    pub fn set_unsaved(&self, bytes: u64) {
        self.unsaved.store(bytes, Ordering::Relaxed);
    }

    /// Number of bytes after `first` that are in no file.
    pub fn unsaved(&self) -> u64 {
        self.unsaved.load(Ordering::Relaxed)
    }
}

/// Number of slots in a table of at most `limit` bytes.
fn slots_within(limit: u64) -> u32 {
    let rest = limit.saturating_sub(SharedTable::bytes(0) as u64);
    u32::try_from(rest / size_of::<Slot>() as u64).map_or(SLOTS, |slots| slots.min(SLOTS))
}

/// A mapping of the table.
#[derive(Debug)]
pub struct SharedTable {
    memory: NonNull<Header>,
    slots: u32,
    fd: OwnedFd,
}

// SAFETY: the mapping is valid for as long as the table lives, and everything
// in it is atomic.
unsafe impl Send for SharedTable {}
// SAFETY: as above.
unsafe impl Sync for SharedTable {}

impl SharedTable {
    /// Creates a table. It has fewer slots if a limit on file size (`RLIMIT_FSIZE`) leaves no room for all.
    pub fn create() -> io::Result<Self> {
        let limit = getrlimit(Resource::Fsize).current;
        Self::with_slots(limit.map_or(SLOTS, slots_within))
    }

    fn with_slots(slots: u32) -> io::Result<Self> {
        let fd = memfd_create("bgproc-table", MemfdFlags::CLOEXEC)?;
        ftruncate(&fd, Self::bytes(slots) as u64)?;
        Self::open(fd)
    }

    const fn bytes(slots: u32) -> usize {
        size_of::<Header>() + slots as usize * size_of::<Slot>()
    }

    /// Maps the table behind a descriptor that the other process sent.
    pub fn open(fd: OwnedFd) -> io::Result<Self> {
        let size = usize::try_from(rustix::fs::fstat(&fd)?.st_size).unwrap_or(0);
        let slots = size.saturating_sub(Self::bytes(0)) / size_of::<Slot>();
        let slots = u32::try_from(slots).unwrap_or(0);
        if slots == 0 || size != Self::bytes(slots) {
            let why = "the shared table has an invalid size";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping at an address that the kernel chooses, over a file of that size, which is
        // never shrunk.
        let memory = unsafe { mmap(std::ptr::null_mut(), size, protection, flags, &fd, 0)? };
        let memory = NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { memory, slots, fd })
    }

    /// Number of slots.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// One session's slot. An index beyond the table is taken modulo its size.
    pub fn slot(&self, index: u32) -> &Slot {
        // SAFETY: the header is followed by `slots` slots, and the index is one of them; all-zero bytes are
        // a valid `Slot`; atomics may be shared between processes.
        unsafe {
            let slots = self.memory.add(1).cast::<Slot>();
            slots.add((index % self.slots) as usize).as_ref()
        }
    }

    fn header(&self) -> &Header {
        // SAFETY: as for a slot.
        unsafe { self.memory.as_ref() }
    }

    /// Keeper: records the session and stream whose bytes go through the splice pipe next. Call
    /// this before the first byte is moved.
    pub fn begin_move(&self, slot: u32, stream: u8) {
        let whose = (u64::from(slot) + 1) << 8 | u64::from(stream);
        self.header().last_moved.store(whose, Ordering::Release);
        self.header().moving.store(1, Ordering::Release);
    }

    /// Keeper: records that the bytes are in the log and the slot is up to date.
    pub fn end_move(&self) {
        self.header().moving.store(0, Ordering::Release);
    }

    /// Whether bytes of this session may have left its terminal without being in its log yet.
    pub fn is_moving(&self, slot: u32) -> bool {
        let moving = self.header().moving.load(Ordering::Acquire) == 1;
        moving && self.last_moved().is_some_and(|(moved, _)| moved == slot)
    }

    /// Slot and stream of the bytes in the splice pipe, or of those last moved; `None` if none ever were.
    pub fn last_moved(&self) -> Option<(u32, u8)> {
        let whose = self.header().last_moved.load(Ordering::Acquire);
        let slot = u32::try_from((whose >> 8).checked_sub(1)?).ok()?;
        Some((slot, (whose & 0xff) as u8))
    }

    /// Keeper: records that a program is about to be started. Called once per `Spawn`, before the process
    /// is created.
    pub fn begin_spawn(&self) {
        self.header().spawns.fetch_add(1, Ordering::Release);
    }

    /// Number of starts begun for this daemon.
    pub fn spawns(&self) -> u64 {
        self.header().spawns.load(Ordering::Acquire)
    }

    /// Resets the counters for a new keeper or daemon, which counts from the beginning.
    pub fn reset_spawns(&self) {
        self.header().spawns.store(0, Ordering::Release);
        self.header().unannounced.store(0, Ordering::Release);
    }

    /// New process: records that it is about to announce itself.
    pub fn announce(&self, pid: u32) {
        self.header().announced.store(pid, Ordering::Release);
    }

    /// Pid of the last process that announced itself.
    pub fn announced(&self) -> u32 {
        self.header().announced.load(Ordering::Acquire)
    }

    /// New process: records that the latest start runs its program without having announced itself.
    pub fn runs_unannounced(&self) {
        self.header()
            .unannounced
            .store(self.spawns(), Ordering::Release);
    }

    /// Whether the program of the `number`th start may run although its process did not announce itself.
    pub fn may_run(&self, number: u64) -> bool {
        number <= self.header().unannounced.load(Ordering::Acquire)
    }
}

impl AsFd for SharedTable {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for SharedTable {
    fn drop(&mut self) {
        // SAFETY: mapped by `open` with this length; no reference outlives the table.
        let _ = unsafe { munmap(self.memory.as_ptr().cast(), Self::bytes(self.slots)) };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn two_mappings_share_one_table_and_notify_once() {
        let keeper = SharedTable::create().unwrap();
        let daemon = SharedTable::open(keeper.as_fd().try_clone_to_owned().unwrap()).unwrap();
        assert!(!keeper.slot(3).grow(10), "the daemon does not listen yet");
        assert!(!daemon.slot(3).listen(0), "there is more already");
        assert_eq!(daemon.slot(3).end(), 10);
        assert!(daemon.slot(3).listen(10));
        assert!(keeper.slot(3).grow(20));
        assert!(!keeper.slot(3).grow(30), "notified once");
    }

    #[test]
    fn a_table_of_another_version_may_have_another_number_of_slots() {
        let smaller = SharedTable::with_slots(8192).unwrap();
        let again = SharedTable::open(smaller.as_fd().try_clone_to_owned().unwrap()).unwrap();
        assert_eq!(again.slots(), 8192);
        smaller.slot(8191).set_shown(7);
        assert_eq!(again.slot(8191).shown(), 7);
        let bytes = |slots: u64| 64 + 64 * slots;
        assert_eq!(slots_within(bytes(100)), 100);
        assert_eq!(slots_within(bytes(100) - 1), 99);
        assert_eq!((slots_within(1), slots_within(u64::MAX)), (0, SLOTS));
        let odd = memfd_create("bgproc-table", MemfdFlags::CLOEXEC).unwrap();
        for size in [0, 1, 128 + 7] {
            ftruncate(&odd, size).unwrap();
            assert!(SharedTable::open(odd.try_clone().unwrap()).is_err());
        }
    }

    #[test]
    fn the_last_slot_is_in_the_table_and_the_front_is_separate() {
        let table = SharedTable::create().unwrap();
        assert_eq!(table.last_moved(), None);
        table.begin_move(SLOTS - 1, 1);
        table.slot(SLOTS - 1).set_shown(7);
        table.slot(0).reset(1, 2);
        assert_eq!(table.last_moved(), Some((SLOTS - 1, 1)));
        assert!(table.is_moving(SLOTS - 1) && !table.is_moving(0));
        table.end_move();
        assert!(!table.is_moving(SLOTS - 1));
        assert_eq!(
            table.last_moved(),
            Some((SLOTS - 1, 1)),
            "still names the last one"
        );
        assert_eq!(table.slot(0).segments(), None);
        table.slot(0).set_segment(0);
        assert_eq!(table.slot(0).segments(), Some((1, 0)));
        assert_eq!(table.slot(SLOTS - 1).shown(), 7);
        assert_eq!(table.slot(0).dropped(), (1, None));
        table.slot(0).drop_before(5, Some(0));
        assert_eq!(table.slot(0).dropped(), (5, Some(0)));
        // A keeper that was killed within the change leaves it to the next one.
        table.slot(0).dropping.fetch_add(1, Ordering::SeqCst);
        assert_eq!(table.slot(0).dropped(), (5, None));
        table.slot(0).drop_before(9, Some(2));
        assert_eq!(table.slot(0).dropped(), (9, Some(2)));
        assert_eq!(size_of::<Slot>(), 64, "other versions share the table");
        table.begin_spawn();
        assert_eq!(table.spawns(), 1);
        assert_eq!(table.slot(0).end(), 2);
    }
}
