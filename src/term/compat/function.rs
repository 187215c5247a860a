//! Control functions: which ones are passed on, rewritten, kept here or answered.

use super::blanks::Blanks;
use super::sgr::{is_basic, rewritten, shows_in_blanks};
use super::{Core, MAX_REPEAT, State, columns};
use crate::term::control::{Erase, Function};
use crate::term::extras;
use crate::term::progress;
use crate::term::scan::Token;

impl State {
    /// Handles the control function that `token` is.
    pub(super) fn function(&mut self, core: &mut Core<'_>, token: &Token<'_>) {
        use Function::*;
        let function = Function::of(token);
        if !matches!(function, Repeat(_)) {
            self.last_char = None;
        }
        let wraps_next = self.wraps_next;
        self.wraps_next &= leaves_cursor(&function);
        let is_cr = matches!(function, CarriageReturn);
        let after_cr = std::mem::replace(&mut self.after_cr, is_cr);
        let takes_other_pen = matches!(function, RestoreCursor | SetModes(..) | SoftReset | Reset);
        match function {
            CarriageReturn | CursorRight(_) | CursorColumn(_) | CursorPosition(..)
            | CursorStyle => core.keep(token),
            Backspace if self.wraps_back() => self.back(core, 1, wraps_next),
            CursorLeft(count) if self.wraps_back() => self.back(core, count, wraps_next),
            // Nothing of the row is behind a pending wrap, which stays; the emulator counts the
            // same. grep and gcc erase after each coloured part.
            EraseInDisplay(Erase::ToEnd) | EraseInLine(Erase::ToEnd) => {
                self.erasing(core, |core| core.keep(token));
            }
            Backspace | CursorLeft(_) => {
                self.settle(core);
                core.keep(token);
            }
            EraseCharacters(_) | EraseInDisplay(_) | EraseInLine(_) => {
                self.settle(core);
                self.erasing(core, |core| core.keep(token));
            }
            InsertCharacters(count) => {
                self.settle(core);
                core.keep(token);
                self.color_inserted(core, count);
            }
            DeleteCharacters(count) => {
                self.settle(core);
                core.keep(token);
                self.color_deleted(core, count);
            }
            InsertLines(count) | DeleteLines(count) => {
                self.settle(core);
                core.keep(token);
                let at_end = matches!(function, DeleteLines(_));
                let fresh = self.fresh_rows(core.cursor().0, count, at_end);
                self.color_rows(core, fresh);
            }
            ScrollUp(count) | ScrollDown(count) => {
                // The emulator could not repaint a pending wrap in a row that has come up blank.
                self.wraps_next = wraps_next || core.cursor().1 >= self.size.cols();
                self.settle(core);
                core.keep(token);
                let at_end = matches!(function, ScrollUp(_));
                let fresh = self.fresh_rows(self.margins.0, count, at_end);
                self.color_rows(core, fresh);
            }
            CursorUp(_) | CursorDown(_) | NextLines(_) | PreviousLines(_)
                if self.margins == (0, self.size.rows() - 1) =>
            {
                self.settle(core);
                core.keep(token);
            }
            // Without protected characters the emulator does the same.
            SelectiveEraseInDisplay(what @ (Erase::ToEnd | Erase::ToCursor | Erase::All))
                if self.extras.has_protected() =>
            {
                self.erase_around(core, what, false);
            }
            SelectiveEraseInLine(what) if self.extras.has_protected() => {
                self.erase_around(core, what, true);
            }
            SelectiveEraseInDisplay(what) | SelectiveEraseInLine(what) => {
                if what != Erase::ToEnd {
                    self.settle(core);
                }
                self.erasing(core, |core| core.keep(token));
            }
            SelectiveEraseArea(area) => self.erase_unprotected(core, area),
            EraseArea(area) => self.erase_area(core, area),
            FillArea(c, area) => self.fill_area(core, c, area),
            Protect(on) => self.extras.protect(on),
            ChecksumKind(kind) => self.checksum_kind = kind,
            CursorUp(count) => self.move_up(core, count),
            CursorDown(count) | RowRelative(count) => {
                self.move_down(core, count);
            }
            NextLines(count) => {
                self.move_down(core, count);
                core.put(b"\r");
            }
            PreviousLines(count) => {
                self.move_up(core, count);
                core.put(b"\r");
            }
            ColumnRelative(count) => core.put_csi(&format!("{count}C")),
            CursorRow(row) => self.go_row(core, row),
            Sgr(params) => {
                let is_basic = is_basic(params);
                if !is_basic || self.extras.is_active() {
                    self.extras.apply(params);
                }
                if is_basic {
                    core.keep(token)
                } else {
                    core.put_csi(&rewritten(params))
                }
                if !is_basic || !self.blanks.are_plain() || shows_in_blanks(params) {
                    self.blanks = Blanks::of(core.screen());
                }
            }
            Bell => self.bells = self.bells.saturating_add(1),
            // A pending wrap stays.
            Tab | TabForward(_) if core.cursor().1 >= self.size.cols() => {}
            Tab if self.tabs.standard() => core.keep(token),
            Tab => self.tab(core, 1),
            TabForward(count) => self.tab(core, i32::from(count)),
            TabBackward(count) => self.tab(core, -i32::from(count)),
            TabStop(change) => {
                let col = core.cursor().1.min(self.size.cols() - 1);
                self.tabs.apply(change, col);
            }
            LineFeed if self.modes.newline => self.feeding(core, |core| core.put(b"\r\n")),
            LineFeed => {
                if !after_cr {
                    self.settle(core);
                }
                self.feeding(core, |core| core.keep(token));
            }
            Index => {
                self.settle(core);
                self.feeding(core, |core| core.put(b"\n"));
            }
            NextLine => self.feeding(core, |core| core.put(b"\r\n")),
            ReverseIndex => {
                self.settle(core);
                // The emulator would scroll the region even if the cursor is outside of it.
                if core.cursor().0 > 0 || self.margins.0 == 0 {
                    self.reverse_index(core);
                }
            }
            Repeat(count) => self.repeat(core, count),
            Charset(change) => self.charsets.apply(change),
            SaveCursor => self.save(core),
            RestoreCursor => self.restore(core),
            SetModes(modes, on) => modes
                .iter()
                .for_each(|(number, mode)| self.set_mode(core, mode, number, on)),
            ApplicationKeypad(on) => core.put(if on { b"\x1b=" } else { b"\x1b>" }),
            SetMargins(top, bottom) => self.set_margins(core, top, bottom),
            SoftReset => self.soft_reset(core),
            Reset => {
                self.reset();
                core.put(b"\x1bc");
            }
            AlignmentPattern => self.alignment_pattern(core),
            Keyboard(change) => {
                let alternate = core.screen().alternate_screen();
                self.keyboard.apply(change, alternate);
                core.painted = true;
            }
            Progress(params) => self.progress = progress::after(self.progress, params),
            ShellMark(params) => self.shell.mark(params),
            Directory(url) => self.shell.enter(url),
            Title(title) => self.title.set(title),
            PushTitle => self.title.push(),
            PopTitle => self.title.pop(),
            Image(image) => self.image(core, image, wraps_next),
            Query(query) => self.answer(core, query),
            Link(data) => self.extras.set_link(extras::Link::parse(data)),
            Unknown => {}
        }
        if takes_other_pen {
            self.blanks = Blanks::of(core.screen());
        }
    }

    /// Moves the cursor up. The top margin stops it, also if it starts outside the scroll region.
    fn move_up(&self, core: &mut Core<'_>, count: u16) {
        self.settle(core);
        let (row, top) = (core.cursor().0, self.margins.0);
        let most = if row >= top { row - top } else { row };
        if most > 0 {
            core.put_csi(&format!("{}A", count.min(most)));
        }
    }

    /// Moves the cursor down. The bottom margin stops it, also if it starts outside the scroll
    /// region.
    fn move_down(&self, core: &mut Core<'_>, count: u16) {
        self.settle(core);
        let (row, bottom) = (core.cursor().0, self.margins.1);
        let last = self.size.rows() - 1;
        let stop = if row <= bottom { bottom } else { last };
        let most = stop.saturating_sub(row);
        if most > 0 {
            core.put_csi(&format!("{}B", count.min(most)));
        }
    }

    /// VPA. In origin mode it counts from the top margin.
    fn go_row(&mut self, core: &mut Core<'_>, row: u16) {
        if self.modes.origin {
            let col = core.cursor().1.min(self.size.cols() - 1);
            core.go(row, col);
        } else {
            core.put_csi(&format!("{}d", u32::from(row) + 1));
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
        let is_plain = !self.modes.insert && self.modes.wrap && !self.extras.is_active();
        if !is_plain || self.wrapping(core, &text).is_some() {
            self.print(core, &text);
        } else {
            core.put(text.as_bytes());
        }
    }

    /// DECSTBM. Margins with fewer than two rows are ignored; valid ones send the cursor home.
    fn set_margins(&mut self, core: &mut Core<'_>, top: u16, bottom: u16) {
        let bottom = bottom.min(self.size.rows() - 1);
        if top < bottom {
            self.margins = (top, bottom);
            core.put_csi(&format!("{};{}r", top + 1, bottom + 1));
            core.go(0, 0);
        }
    }
}

/// Whether a function neither moves a cursor in the last column nor changes cells.
fn leaves_cursor(function: &Function<'_>) -> bool {
    use Function::*;
    matches!(
        function,
        Bell | Tab
            | TabForward(_)
            | Charset(_)
            | TabStop(_)
            | Sgr(_)
            | CursorStyle
            | Keyboard(_)
            | Progress(_)
            | ShellMark(_)
            | Directory(_)
            | Title(_)
            | PushTitle
            | PopTitle
            | Query(_)
            | Link(_)
            | Protect(_)
            | ChecksumKind(_)
    )
}
