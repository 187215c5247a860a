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
    /// The places in the table, by target of the link. Cells without a link have an empty one.
    places: HashMap<String, Vec<u16>>,
    /// The name of the table, while it is not empty.
    name: Option<TableName>,
}

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
        if self.current.is_none() && self.table.len() >= Marker::COUNT {
            self.clean(&used());
        }
        if self.current.is_none() && self.table.len() < Marker::COUNT {
            self.current = Marker::new(self.table.len());
            self.name.get_or_insert_with(TableName::fresh);
            self.put(self.table.len(), self.now.clone());
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

    fn put(&mut self, place: usize, extra: Extra) {
        let places = self.places.entry(key(&extra).to_owned()).or_default();
        places.extend(u16::try_from(place));
        match self.table.get_mut(place) {
            Some(old) => *old = extra,
            None => self.table.push(extra),
        }
    }

    /// Uses the first place of the full table that no cell uses for the next character, and forgets the others
    /// from there on, so that cells keep their markers.
    fn clean(&mut self, used: &[Marker]) {
        let mut is_used = vec![false; self.table.len()];
        for marker in used {
            if let Some(used) = is_used.get_mut(marker.index()) {
                *used = true;
            }
        }
        let last = is_used.iter().rposition(|used| *used);
        self.table.truncate(last.map_or(0, |last| last + 1));
        if self.table.len() == Marker::COUNT {
            // The last place is in use: take one before it.
            if let Some(free) = is_used.iter().position(|used| !used) {
                self.current = Marker::new(free);
                self.table[free] = self.now.clone();
            }
        }
        self.name = Some(TableName::fresh());
        self.places.clear();
        let table = std::mem::take(&mut self.table);
        for (place, extra) in table.into_iter().enumerate() {
            self.put(place, extra);
        }
    }
}

fn key(extra: &Extra) -> &str {
    extra.link.as_ref().map_or("", |link| &link.uri)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
