//! How much processes work.

/// Seconds of the processor that all threads of a process have used.
pub(crate) fn processor(pid: u32) -> f64 {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
        .unwrap()
        .flatten();
    let nanos = threads.map(|thread| {
        let times = std::fs::read_to_string(thread.path().join("schedstat")).unwrap();
        times.split(' ').next().unwrap().parse::<u64>().unwrap()
    });
    nanos.sum::<u64>() as f64 / 1e9
}

/// How often the threads of a process were scheduled.
pub(crate) fn wake_ups(pid: u32) -> u64 {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"))
        .unwrap()
        .flatten();
    let counts = threads.map(|thread| {
        let status = std::fs::read_to_string(thread.path().join("status")).unwrap();
        let lines = status.lines().filter(|line| line.contains("ctxt_switches"));
        let numbers = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        numbers.sum::<u64>()
    });
    counts.sum()
}
