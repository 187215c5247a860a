//! How much processes work.

/// What a file in the directory of each thread of a process says.
fn of_threads(pid: u32, file: &str) -> impl Iterator<Item = String> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let paths = threads
        .flatten()
        .map(move |thread| thread.path().join(file));
    paths.map(|path| std::fs::read_to_string(path).unwrap())
}

/// Seconds of the processor that all threads of a process have used.
pub(crate) fn processor(pid: u32) -> f64 {
    let nanos = of_threads(pid, "schedstat").map(|times| {
        let used = times.split(' ').next().unwrap();
        used.parse::<u64>().unwrap()
    });
    nanos.sum::<u64>() as f64 / 1e9
}

/// How often the threads of a process were scheduled.
pub(crate) fn wake_ups(pid: u32) -> u64 {
    let counts = of_threads(pid, "status").map(|status| {
        let lines = status.lines().filter(|line| line.contains("ctxt_switches"));
        let numbers = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        numbers.sum::<u64>()
    });
    counts.sum()
}
