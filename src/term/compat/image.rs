//! Images: their places are marked, as far as the row has room.

use super::{Core, State};
use crate::term::control::image::{Image, TEXT};

impl State {
    /// Marks the place of an image. `wraps_next` is a pending wrap that the emulator does not know.
    pub(super) fn image(&self, core: &mut Core<'_>, image: Image, wraps_next: bool) {
        let cols = self.size.cols();
        match self.modes.wrap {
            true if wraps_next => self.feeding(core, |core| core.put(b"\r\n")),
            true => {}
            false => self.settle(core),
        }
        // While a wrap is pending, the emulator begins in the next row.
        let col = Some(core.cursor().1).filter(|&col| col < cols).unwrap_or(0);
        let room = usize::from(cols - col).min(TEXT.len());
        let attributes = core.screen().attributes_formatted();
        core.put(format!("\x1b[0;2m{}{attributes}", &TEXT[..room]).as_bytes());
        match image {
            Image::Below => {
                core.go_col(col);
                self.feeding(core, |core| core.put(b"\n"));
            }
            Image::Behind => {}
            Image::InPlace => core.go_col(col),
        }
    }
}
