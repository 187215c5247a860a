//! The processes of a job as a tree.

use std::collections::BTreeMap;

use crate::protocol::record::Process;
use crate::term::sanitize::clean;
use crate::tui::theme::Theme;

/// One line per process, below its parent. A process whose parent is not part of the job starts its
/// own tree; the tree of `root` comes first.
pub(super) fn tree(processes: &[Process], root: Option<u32>, theme: &Theme) -> Vec<String> {
    let mut children: BTreeMap<Option<u32>, Vec<&Process>> = BTreeMap::new();
    for process in processes {
        // A process that claims to be its own parent, which only corrupt data could say, is also a
        // root.
        let is_parent = |other: &Process| other.pid == process.ppid && other.pid != process.pid;
        let parent = processes.iter().find(|other| is_parent(other));
        children
            .entry(parent.map(|parent| parent.pid))
            .or_default()
            .push(process);
    }
    for list in children.values_mut() {
        list.sort_by_key(|process| (Some(process.pid) != root, process.pid));
    }
    let mut lines = Vec::new();
    // Remove processes as they are drawn, so that a cycle cannot loop forever.
    for process in children.remove(&None).unwrap_or_default() {
        draw(process, "", "", &mut children, theme, &mut lines);
    }
    lines
}

fn draw(
    process: &Process,
    lead: &str,
    below: &str,
    children: &mut BTreeMap<Option<u32>, Vec<&Process>>,
    theme: &Theme,
    lines: &mut Vec<String>,
) {
    let Process { pid, command, .. } = process;
    let state = state(&process.state);
    lines.push(format!("{lead}{pid} {state}  {}", clean(command)));
    let own = children.remove(&Some(*pid)).unwrap_or_default();
    for (at, child) in own.iter().enumerate() {
        let is_last = at + 1 == own.len();
        let dash = theme.glyph("─");
        let (corner, line) = if is_last {
            (theme.glyph("└"), " ")
        } else {
            (theme.glyph("├"), theme.glyph("│"))
        };
        let lead = format!("{below}{corner}{dash} ");
        let next = format!("{below}{line}  ");
        draw(child, &lead, &next, children, theme, lines);
    }
}

/// The state letter of `/proc/PID/stat` as a word.
fn state(letter: &str) -> &str {
    match letter {
        "R" => "runs",
        "S" | "I" => "sleeps",
        "D" => "waits for disk",
        "T" | "t" => "paused",
        "Z" => "zombie",
        "X" => "dead",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Depth;

    fn process(pid: u32, ppid: u32) -> Process {
        Process {
            pid,
            ppid,
            command: format!("c{pid}\u{1b}[2J"),
            state: "S".to_owned(),
        }
    }

    fn drawn(processes: &[Process], ascii: bool) -> Vec<String> {
        let theme = Theme::new(Depth::None, ascii, false);
        tree(processes, Some(10), &theme)
    }

    #[test]
    fn children_are_below_their_parents() {
        let all = [
            process(5, 1),
            process(10, 1),
            process(12, 10),
            process(11, 10),
            process(13, 11),
        ];
        assert_eq!(
            drawn(&all, false),
            [
                "10 sleeps  c10",
                "├─ 11 sleeps  c11",
                "│  └─ 13 sleeps  c13",
                "└─ 12 sleeps  c12",
                "5 sleeps  c5",
            ]
        );
        assert_eq!(
            drawn(&all, true)[1..3],
            ["|- 11 sleeps  c11", "|  `- 13 sleeps  c13"]
        );
    }

    #[test]
    fn a_cycle_ends() {
        assert_eq!(
            drawn(&[process(1, 2), process(2, 1)], false),
            Vec::<String>::new()
        );
        assert_eq!(drawn(&[process(7, 7)], false).len(), 1);
    }
}
