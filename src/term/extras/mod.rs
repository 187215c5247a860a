//! What the emulator's cells have no room for: [`Style`] and links.
//!
//! A cell of `vt100` has colours, four attributes and up to 22 bytes of text. A cell with more gets a *marker*:
//! a zero-width character behind its text, which the emulator moves, copies and erases with the cell. The
//! marker is an index into a table of the screen. Markers are unassigned code points (U+E0200 to U+E0FFF, which
//! Unicode has reserved for characters of no width), so no text loses a character to them. They are removed
//! wherever text leaves the screen.

mod marker;
mod painter;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use self::marker::{Marker, split, strip};
pub use self::painter::paint;
use super::style::Style;

/// A link (OSC 8).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Link {
    /// The parameter `id`: cells with the same id and target belong together. May be empty.
    pub id: String,
    /// The target, a URI. Not empty.
    pub uri: String,
}

/// Longest target in bytes, as in VTE and kitty; others are ignored.
const MAX_URI: usize = 2083;

/// Longest id in bytes, as in VTE; others are ignored.
const MAX_ID: usize = 250;

impl Link {
    /// Reads the parameters of OSC 8, which end with `;` and the target; `None`: the link ends.
    pub fn parse(data: &[u8]) -> Option<Self> {
        let data = std::str::from_utf8(data).ok()?;
        let (params, uri) = data.split_once(';')?;
        let is_good = !uri.is_empty() && uri.len() <= MAX_URI && !uri.contains(char::is_control);
        let id = params
            .split(':')
            .find_map(|param| param.strip_prefix("id="));
        let id = id.filter(|id| id.len() <= MAX_ID && !id.contains(char::is_control));
        is_good.then(|| Self {
            id: id.unwrap_or_default().to_owned(),
            uri: uri.to_owned(),
        })
    }
}

/// What a marker stands for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extra {
    /// The attributes.
    pub style: Style,
    /// The link.
    pub link: Option<Arc<Link>>,
    /// Whether DECSED, DECSEL and DECSERA leave the cell alone (DECSCA).
    pub is_protected: bool,
}

impl Extra {
    /// Whether a cell needs no marker.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The table of a screen, and the attributes of the next character.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    now: Extra,
    /// The marker of `now`, if it was looked up already.
    current: Option<Marker>,
    table: Vec<Extra>,
    /// The places in use, by target of the link. Cells without a link have an empty one.
    places: HashMap<String, Vec<u16>>,
    /// The places before the end of the table that are not in use.
    free: Vec<u16>,
    /// Number of new extras since the table was cleaned.
    since_clean: usize,
    /// The name of the table, while it is not empty.
    name: Option<TableName>,
}

/// A full table is cleaned at most once in so many new extras: each cleaning looks at all cells, and a program
/// could draw a screen that uses the whole table.
const CLEAN_EVERY: usize = Marker::COUNT / 8;

/// The name of a table. Markers of two tables with the same name stand for the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableName(u64);

impl TableName {
    fn fresh() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

impl Extras {
    /// The attributes of the next character.
    pub fn now(&self) -> &Extra {
        &self.now
    }

    /// Whether the next character needs a marker.
    pub fn is_active(&self) -> bool {
        !self.now.is_none()
    }

    /// Applies an SGR sequence with these parameters.
    pub fn apply(&mut self, params: &[u8]) {
        let mut style = self.now.style;
        style.apply(params);
        self.set_style(style);
    }

    /// Changes the attributes of the next character.
    pub fn set_style(&mut self, style: Style) {
        self.now.style = style;
        self.current = None;
    }

    /// Protects the next characters, or no longer (DECSCA).
    pub fn protect(&mut self, on: bool) {
        self.now.is_protected = on;
        self.current = None;
    }

    /// Whether a cell may be protected.
    pub fn has_protected(&self) -> bool {
        self.table.iter().any(|extra| extra.is_protected)
    }

    /// Begins a link, or ends it.
    pub fn set_link(&mut self, link: Option<Link>) {
        self.now.link = link.map(Arc::new);
        self.current = None;
    }

    /// The name of the table; `None` while there are no markers.
    pub fn table(&self) -> Option<TableName> {
        self.name
    }

    /// What a marker stands for.
    pub fn get(&self, marker: Marker) -> Option<&Extra> {
        self.table.get(marker.index())
    }

    /// The marker of the next character, if it needs one. `used` returns the markers of all cells; it is called
    /// when the table is full, to drop what no cell has any more. If the cells use all of it, the next character
    /// gets none.
    pub fn marker(&mut self, used: impl FnOnce() -> Vec<Marker>) -> Option<Marker> {
        if !self.is_active() || self.current.is_some() {
            return self.current;
        }
        self.current = self.find();
        if self.current.is_none() {
            self.since_clean += 1;
            let is_full = self.table.len() >= Marker::COUNT && self.free.is_empty();
            if is_full && self.since_clean >= CLEAN_EVERY {
                self.clean(&used());
            }
            self.current = self.add();
        }
        self.current
    }

    fn find(&self) -> Option<Marker> {
        let places = self.places.get(key(&self.now))?;
        let place = places
            .iter()
            .find(|place| self.table[usize::from(**place)] == self.now)?;
        Marker::new(usize::from(*place))
    }

    /// Puts the attributes of the next character into the table, if it has room.
    fn add(&mut self) -> Option<Marker> {
        let extra = self.now.clone();
        let place = match self.free.pop() {
            Some(place) => {
                self.table[usize::from(place)] = extra;
                place
            }
            None if self.table.len() < Marker::COUNT => {
                self.table.push(extra);
                u16::try_from(self.table.len() - 1).ok()?
            }
            None => return None,
        };
        self.name.get_or_insert_with(TableName::fresh);
        self.list(place);
        Marker::new(usize::from(place))
    }

    fn list(&mut self, place: u16) {
        let key = key(&self.table[usize::from(place)]).to_owned();
        self.places.entry(key).or_default().push(place);
    }

    /// Frees the places that no cell uses. Cells keep their markers.
    fn clean(&mut self, used: &[Marker]) {
        let mut is_used = vec![false; self.table.len()];
        for marker in used {
            if let Some(used) = is_used.get_mut(marker.index()) {
                *used = true;
            }
        }
        self.name = Some(TableName::fresh());
        self.places.clear();
        self.since_clean = 0;
        for (place, is_used) in (0..).zip(is_used) {
            if is_used {
                self.list(place)
            } else {
                self.free.push(place)
            }
        }
    }
}

fn key(extra: &Extra) -> &str {
    extra.link.as_ref().map_or("", |link| &link.uri)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
