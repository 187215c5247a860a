//! Draws the SVG picture of a screen as PNG.

use std::sync::{Arc, OnceLock};

use epaint_default_fonts::HACK_REGULAR;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Name of the font that is contained in the program.
const FONT: &str = "Hack";

/// Maximum number of pixels. Each takes four bytes while the picture is drawn.
pub const MAX_PIXELS: u64 = 8_000_000;

/// A picture that cannot be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undrawn {
    /// It has more than [`MAX_PIXELS`].
    TooLarge,
    /// It is not a picture that bgproc has made.
    Invalid,
}

/// The picture as PNG. Characters that the font does not have are drawn as boxes.
pub fn png(svg: &str) -> Result<Vec<u8>, Undrawn> {
    let options = Options {
        font_family: FONT.to_owned(),
        fontdb: fonts(),
        ..Options::default()
    };
    // Before all of it is read, which takes long.
    let (width, height) = size(svg).ok_or(Undrawn::Invalid)?;
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(Undrawn::TooLarge);
    }
    let tree = Tree::from_str(svg, &options).map_err(|_| Undrawn::Invalid)?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or(Undrawn::Invalid)?;
    resvg::render(&tree, Transform::default(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|_| Undrawn::Invalid)
}

/// Width and height in pixels, which stand in the first tag.
fn size(svg: &str) -> Option<(u64, u64)> {
    let (tag, _) = svg.split_once('>')?;
    let value = |name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    Some((value("width")?, value("height")?))
}

/// The fonts: only that of the program, so that a picture looks the same everywhere.
fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(HACK_REGULAR.to_vec());
        fonts.set_monospace_family(FONT);
        Arc::new(fonts)
    });
    fonts.clone()
}
