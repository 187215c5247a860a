//! Memory that is not needed any more.
#![allow(unsafe_code, reason = "a function of the allocator")]

/// Gives pages that hold nothing back to the system: the allocator keeps what lies between things in use until
/// it is asked.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes a number, and touches only what is free.
    unsafe {
        libc::malloc_trim(0);
    }
}
