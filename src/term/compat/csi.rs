//! Control sequences: which ones are passed on, rewritten or answered.

use super::{Core, MAX_REPEAT, State, columns};
use crate::term::scan::Csi;

impl State {
    /// Handles a control sequence.
    pub(super) fn csi(&mut self, core: &mut Core<'_>, csi: Csi<'_>) {
        match (csi.marker, csi.inter) {
            (0, 0) => self.plain_csi(core, csi),
            (b'?', 0) => self.private_csi(core, csi),
            (b'>', 0) => match csi.last {
                b'c' if csi.number(0, 0) == 0 => self.replies.secondary_attributes(),
                b'q' if csi.number(0, 0) == 0 => self.replies.version(),
                _ => {}
            },
            (b'=', 0) if csi.last == b'c' && csi.number(0, 0) == 0 => self.replies.unit_id(),
            (0, b' ') if csi.last == b'q' => core.keep_csi(csi),
            (0, b'!') if csi.last == b'p' => self.soft_reset(core),
            (0 | b'?', b'$') if csi.last == b'p' => self.report_mode(core, csi),
            _ => {}
        }
    }

    fn plain_csi(&mut self, core: &mut Core<'_>, csi: Csi<'_>) {
        match csi.last {
            b'm' => self.sgr(core, csi),
            b'H' | b'f' | b'G' | b'`' | b'C' => core.keep_csi(csi),
            b'@' | b'D' | b'J' | b'K' | b'L' | b'M' | b'P' | b'S' | b'X' => {
                self.settle(core);
                core.keep_csi(csi);
            }
            b'A' | b'B' | b'E' | b'F' | b'e' => self.vertical(core, csi),
            // With more parameters it is highlight mouse tracking.
            b'T' if csi.params.iter().all(u8::is_ascii_digit) => {
                self.settle(core);
                core.keep_csi(csi);
            }
            b'a' => core.put_csi(format!("{}C", csi.number(0, 1)).as_bytes()),
            b'd' => self.row_absolute(core, csi.number(0, 1)),
            b'I' => self.tab(core, i32::from(csi.number(0, 1))),
            b'Z' => self.tab(core, -i32::from(csi.number(0, 1))),
            b'g' => self.clear_tabs(core, csi.number(0, 0)),
            b'b' => self.repeat(core, csi.number(0, 1)),
            b'c' if csi.number(0, 0) == 0 => self.replies.primary_attributes(),
            b'n' => self.report_status(core, csi.number(0, 0), ""),
            b'h' | b'l' => csi
                .numbers()
                .for_each(|mode| self.ansi_mode(mode, csi.last == b'h')),
            b'r' => self.set_margins(core, csi),
            b's' if csi.params.is_empty() => self.save(core),
            b'u' if csi.params.is_empty() => self.restore(core),
            b't' => self.window(csi),
            b'x' if csi.number(0, 0) <= 1 => self.replies.parameters(csi.number(0, 0)),
            _ => {}
        }
    }

    fn private_csi(&mut self, core: &mut Core<'_>, csi: Csi<'_>) {
        match csi.last {
            b'h' | b'l' => csi
                .numbers()
                .for_each(|mode| self.dec_mode(core, mode, csi.last == b'h')),
            b'J' | b'K' => {
                self.settle(core);
                core.keep_csi(csi);
            }
            b'n' => self.report_status(core, csi.number(0, 0), "?"),
            _ => {}
        }
    }

    /// CUU, CUD, CNL, CPL and VPR. A margin in the way stops the cursor, also if it starts outside
    /// the scroll region.
    fn vertical(&mut self, core: &mut Core<'_>, csi: Csi<'_>) {
        self.settle(core);
        let whole = self.margins == (0, self.size.rows() - 1);
        if whole && csi.last != b'e' {
            return core.keep_csi(csi);
        }
        let (row, _) = core.cursor();
        let (top, bottom) = self.margins;
        let last = self.size.rows() - 1;
        let up = matches!(csi.last, b'A' | b'F');
        let stop = match up {
            true if row >= top => top,
            true => 0,
            false if row <= bottom => bottom,
            false => last,
        };
        let most = row.abs_diff(stop);
        if matches!(csi.last, b'E' | b'F') {
            core.put(b"\r");
        }
        let count = csi.number(0, 1).min(most);
        if count > 0 {
            core.put_csi(format!("{count}{}", if up { 'A' } else { 'B' }).as_bytes());
        }
    }

    /// VPA. In origin mode it counts from the top margin.
    fn row_absolute(&mut self, core: &mut Core<'_>, row: u16) {
        if self.modes.origin {
            let col = core.cursor().1.min(self.size.cols() - 1);
            core.go(row - 1, col);
        } else {
            core.put_csi(format!("{row}d").as_bytes());
        }
    }

    /// REP, with at most a screenful of repetitions.
    fn repeat(&mut self, core: &mut Core<'_>, count: u16) {
        let Some(c) = self.last_char.filter(|&c| columns(c) > Some(0)) else {
            return;
        };
        let cells = usize::from(self.size.rows()) * usize::from(self.size.cols());
        let most = cells.min(MAX_REPEAT);
        let text: String = std::iter::repeat_n(c, usize::from(count).min(most)).collect();
        if self.modes.insert || !self.modes.wrap {
            self.print(core, &text);
        } else {
            core.put(text.as_bytes());
        }
    }

    /// DECSTBM. Margins with fewer than two rows are ignored; valid ones send the cursor home.
    fn set_margins(&mut self, core: &mut Core<'_>, csi: Csi<'_>) {
        let rows = self.size.rows();
        let (top, bottom) = (csi.number(0, 1), csi.number(1, rows).min(rows));
        if top >= bottom {
            return;
        }
        self.margins = (top - 1, bottom - 1);
        core.put_csi(format!("{top};{bottom}r").as_bytes());
        core.go(0, 0);
    }

    /// DSR: reports the terminal's status or the cursor position.
    fn report_status(&mut self, core: &mut Core<'_>, what: u16, marker: &str) {
        match what {
            5 if marker.is_empty() => self.replies.fine(),
            6 => {
                let (row, col) = core.cursor();
                let top = if self.modes.origin { self.margins.0 } else { 0 };
                self.replies.cursor(
                    marker,
                    row.saturating_sub(top),
                    col.min(self.size.cols() - 1),
                );
            }
            _ => {}
        }
    }

    /// XTWINOPS: window reports and the stack of titles.
    fn window(&mut self, csi: Csi<'_>) {
        match csi.number(0, 0) {
            what @ (11 | 13 | 14 | 16 | 18 | 19) => self.replies.window(what, self.size),
            22 if csi.number(1, 0) != 1 => self.title.push(),
            23 if csi.number(1, 0) != 1 => self.title.pop(),
            _ => {}
        }
    }
}
