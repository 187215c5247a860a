//! Alarms at a time of a clock, for the daemon's event loop.
//!
//! Other timers count monotonic time, which stands still while the machine sleeps and knows nothing of the time of
//! day. An alarm rings at once when the machine wakes up after its time, and when the wall clock is set
//! (timerfd_create(2), `TFD_TIMER_CANCEL_ON_SET`).

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::{failpoint, readiness};

/// An alarm by one clock.
pub struct Alarm {
    fd: AsyncFd<OwnedFd>,
    flags: TimerfdTimerFlags,
}

impl Alarm {
    /// An alarm by the wall clock, which also rings when that clock is set.
    pub fn by_wall_clock() -> io::Result<Self> {
        let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
        Self::new(TimerfdClockId::Realtime, flags)
    }

    /// An alarm by the boot clock, which counts while the machine sleeps.
    pub fn by_boot_clock() -> io::Result<Self> {
        Self::new(TimerfdClockId::Boottime, TimerfdTimerFlags::ABSTIME)
    }

    fn new(clock: TimerfdClockId, flags: TimerfdTimerFlags) -> io::Result<Self> {
        let fd = timerfd_create(clock, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        let fd = readiness::watch(fd, Interest::READABLE)?;
        Ok(Self { fd, flags })
    }

    /// Sets the time in milliseconds of the clock; `None` turns the alarm off. A time that has passed rings at once.
    pub fn set(&self, at: Option<i64>) -> io::Result<()> {
        let is_by_wall_clock = self.flags.contains(TimerfdTimerFlags::CANCEL_ON_SET);
        let ahead = if is_by_wall_clock {
            failpoint::clock_ahead()
        } else {
            0
        };
        // All zeros would turn it off.
        let at = at.map_or(0, |at| at.saturating_sub(ahead).max(1));
        let value = Timespec {
            tv_sec: at / 1000,
            tv_nsec: (at % 1000) * 1_000_000,
        };
        let once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let spec = Itimerspec {
            it_interval: once,
            it_value: value,
        };
        timerfd_settime(self.fd.get_ref(), self.flags, &spec)?;
        Ok(())
    }

    /// Waits until it rings.
    pub async fn rings(&self) -> io::Result<()> {
        loop {
            let mut ready = self.fd.readable().await?;
            match rustix::io::read(self.fd.get_ref(), &mut [0; 8]) {
                // ECANCELED: the clock was set.
                Ok(_) | Err(Errno::CANCELED) => return Ok(()),
                Err(Errno::AGAIN) => ready.clear_ready(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::sys::clock;

    fn run(test: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build().unwrap().block_on(test);
    }

    #[test]
    fn it_rings_at_its_time_and_once() {
        run(async {
            let alarm = Alarm::by_boot_clock().unwrap();
            let at = i64::try_from(clock::boot_ms()).unwrap() + 30;
            alarm.set(Some(at)).unwrap();
            alarm.rings().await.unwrap();
            assert!(i64::try_from(clock::boot_ms()).unwrap() >= at);
            let again = tokio::time::timeout(std::time::Duration::from_millis(50), alarm.rings());
            assert!(again.await.is_err(), "it rang twice");
        });
    }

    #[test]
    fn a_time_that_has_passed_rings_at_once_and_none_turns_it_off() {
        run(async {
            let alarm = Alarm::by_wall_clock().unwrap();
            alarm.set(Some(-5)).unwrap();
            alarm.rings().await.unwrap();
            alarm.set(Some(clock::wall().0 + 20)).unwrap();
            alarm.set(None).unwrap();
            let off = tokio::time::timeout(std::time::Duration::from_millis(60), alarm.rings());
            assert!(off.await.is_err(), "it rang");
        });
    }
}
