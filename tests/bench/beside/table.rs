//! The rows as a table.

/// A line of the table.
pub(crate) struct Row {
    pub(crate) name: String,
    /// bgproc and tmux, each measured in the unit.
    pub(crate) values: [Option<f64>; 2],
    /// What the machine can do at most, in the same unit.
    pub(crate) limit: Option<f64>,
    pub(crate) unit: &'static str,
    /// Whether more is better.
    pub(crate) more_is_better: bool,
}

/// All of them, with ratios to the limit.
pub(crate) fn shown(rows: &[Row], markdown: bool) -> String {
    let mut lines = vec![["the work", "bgproc", "tmux", "the limit"].map(str::to_owned)];
    for row in rows {
        let [bgproc, tmux] = row.values.map(|value| cell(row, value));
        let limit = row.limit.map_or("–".to_owned(), |limit| {
            format!("{} {}", number(limit), row.unit)
        });
        lines.push([row.name.clone(), bgproc, tmux, limit]);
    }
    if markdown {
        lines.insert(1, ["---"; 4].map(str::to_owned));
    }
    let width = |column: usize| {
        lines
            .iter()
            .map(|line| line[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths = [0, 1, 2, 3].map(width);
    let mut text = String::new();
    for line in &lines {
        let cells = line
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        let cells: Vec<String> = cells.collect();
        text += &if markdown {
            format!("| {} |\n", cells.join(" | "))
        } else {
            format!("{}\n", cells.join("  ").trim_end())
        };
    }
    text
}

fn cell(row: &Row, value: Option<f64>) -> String {
    match (value, row.limit) {
        (None, _) => "–".to_owned(),
        (Some(value), None) => format!("{} {}", number(value), row.unit),
        (Some(value), Some(limit)) if row.more_is_better => format!("{:.2} of it", value / limit),
        (Some(value), Some(limit)) => format!("{} times", number(value / limit)),
    }
}

fn number(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
