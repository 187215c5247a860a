//! The keys of the grid; the others act as in NORMAL.

use crate::tui::keymap::actions;

actions! {
    /// What keys do in the grid.
    Action of "grid", "NORMAL with the grid: these keys differ";
    Left "left" ["h", "left"] "The tile to the left";
    Right "right" ["l", "right"] "The tile to the right";
    Down "down" ["j", "down"] "The tile below";
    Up "up" ["k", "up"] "The tile above";
    MoreTiles "more-tiles" ["+", "="] "More tiles";
    FewerTiles "fewer-tiles" ["-"] "Fewer tiles";
}
