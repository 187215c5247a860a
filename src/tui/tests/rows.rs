//! The shell commands of the palette in all situations that change them, for the command line, which
//! parses them.

use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use super::projects;
use crate::protocol::Status;
use crate::tui::modes::normal::palette_rows;

/// The title of each row, and its shell command or why there is none.
pub(crate) fn all() -> Vec<(String, Result<String, &'static str>)> {
    let mut paused = record("paused");
    paused.summary.status = Status::Paused;
    let odd = {
        let mut odd = ended("odd", Status::Error, Some(1), 0);
        odd.summary.label = Some("my job".to_owned());
        odd.summary.args = Some(vec!["-x".to_owned(), "a b".to_owned()]);
        odd
    };
    let mut records = shop_records();
    records.extend([paused, odd]);
    let mut rows = Vec::new();
    // Each job alone, a group, some marked jobs, all, a filter, survivors, and nothing at all.
    for keys in [
        "1", "2", "3", "6", "7", "8", "9", "G", "g", "2 3 8 ", "*", "/lint\r", "/xyzzy\r",
    ] {
        let mut dash = Dash::new(80, 24, records.clone());
        dash.press(keys);
        rows.extend(palette_rows(&dash.model));
        dash.model.survivors.insert(id("web"), vec![1]);
        rows.extend(palette_rows(&dash.model));
    }
    // Jobs of a project, its heading, and some marked ones.
    for keys in ["g", "1", "2", "5", "6", "2 5 "] {
        let mut dash = Dash::new(80, 24, projects::records());
        dash.press(keys);
        rows.extend(palette_rows(&dash.model));
    }
    rows.extend(palette_rows(&Dash::new(80, 24, Vec::new()).model));
    let rows = rows.into_iter();
    rows.map(|row| (row.title, row.shell)).collect()
}
