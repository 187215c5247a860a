//! A line of items. Shows as many whole items as fit and drops the least important first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::text;

/// An item of a bar.
#[derive(Clone, Debug)]
struct Item {
    spans: Vec<Span<'static>>,
    /// The key that it tells of, if it is a hint.
    key: Option<String>,
    /// What is shown in its place before it is dropped, if that is shorter.
    short: Option<Vec<Span<'static>>>,
    /// Whether it is dropped before others on the right of its rank.
    goes_first: bool,
    /// Items of higher rank are dropped first. Rank 0 is never dropped, but cut if necessary.
    rank: u8,
    /// Whether there is no room for it.
    is_dropped: bool,
}

/// A line with left-aligned and right-aligned items.
#[derive(Clone, Debug)]
pub struct Bar {
    badge: Option<Span<'static>>,
    left: Vec<Item>,
    right: Vec<Item>,
    gap: usize,
    /// Columns before the first item; after the last item there is always one.
    margin: usize,
}

impl Bar {
    /// An empty bar with `gap` blanks between items and one blank at each end.
    pub fn new(gap: usize) -> Self {
        Self {
            badge: None,
            left: Vec::new(),
            right: Vec::new(),
            gap,
            margin: 1,
        }
    }

    /// Starts the bar with a badge instead of a blank. The badge includes its own blanks; `air`
    /// more follow.
    #[must_use]
    pub fn badge(mut self, text: String, style: Style, air: usize) -> Self {
        self.margin = text::width(&text) + air;
        self.badge = Some(Span::styled(text, style));
        self
    }

    /// Adds an item on the left.
    pub fn left(&mut self, rank: u8, spans: Vec<Span<'static>>) {
        self.left.push(Item::new(rank, spans));
    }

    /// Adds a hint on the left: a key and its description.
    pub fn left_hint(&mut self, rank: u8, key: String, spans: Vec<Span<'static>>) {
        self.left.push(Item::hint(rank, key, spans));
    }

    /// Adds text on the left that has a shorter form, which is shown if there is too little room for the other one.
    pub fn text_or(&mut self, rank: u8, text: String, short: String, style: Style) {
        let item = Item::new(rank, vec![Span::styled(text, style)]);
        let short = Some(vec![Span::styled(short, style)]);
        self.left.push(Item { short, ..item });
    }

    /// Adds text on the left.
    pub fn text(&mut self, rank: u8, text: impl Into<String>, style: Style) {
        self.left(rank, vec![Span::styled(text.into(), style)]);
    }

    /// Adds an item on the right.
    pub fn right(&mut self, rank: u8, spans: Vec<Span<'static>>) {
        self.right.push(Item::new(rank, spans));
    }

    /// Adds a hint on the right: a key and its description.
    pub fn right_hint(&mut self, rank: u8, key: String, spans: Vec<Span<'static>>) {
        self.right.push(Item::hint(rank, key, spans));
    }

    /// Adds an item on the right that has a shorter form, which is shown if there is too little room for the other one.
    /// `goes_first`: it is dropped before others of its rank.
    pub fn right_or(
        &mut self,
        rank: u8,
        spans: Vec<Span<'static>>,
        short: Vec<Span<'static>>,
        goes_first: bool,
    ) {
        self.right.push(Item {
            short: Some(short),
            goes_first,
            ..Item::new(rank, spans)
        });
    }

    /// Draws the items that fit.
    pub fn draw(mut self, area: Rect, buf: &mut Buffer) {
        let room = usize::from(area.width);
        self.fit(room);
        if let Some(badge) = self.badge.take() {
            put(buf, area, 0, &Line::from(badge), room);
        }
        let mut x = self.margin;
        for item in shown(&self.left) {
            let line = Line::from(item.spans.clone());
            let end = if shown(&self.right).next().is_none() {
                room
            } else {
                room.saturating_sub(side_width(&self.right, self.gap) + 1 + self.gap)
            };
            put(buf, area, x, &line, end.saturating_sub(x));
            x += item.width() + self.gap;
        }
        let right = side_width(&self.right, self.gap);
        // A blank at the edge, unless it is needed before the items.
        let badge = self.margin.max(1);
        let mut x = room.saturating_sub(right + 1);
        if x < badge {
            x = room.saturating_sub(right);
        }
        for item in shown(&self.right) {
            let line = Line::from(item.spans.clone());
            put(buf, area, x, &line, room.saturating_sub(x));
            x += item.width() + self.gap;
        }
    }

    /// Columns for text on the left if only the items on the right up to `rank` are shown.
    pub fn room(&self, area: Rect, rank: u8) -> usize {
        let kept = self.right.iter().filter(|item| item.rank <= rank);
        let kept: usize = kept.map(|item| item.width() + self.gap).sum();
        usize::from(area.width).saturating_sub(self.margin + kept + 1)
    }

    /// Whether all items fit.
    pub fn is_whole(&self, area: Rect) -> bool {
        self.width() <= usize::from(area.width)
    }

    /// Whether the hint with this key is on the right, and there is room for all of it.
    pub fn has_room_for(mut self, area: Rect, key: &str) -> bool {
        let room = usize::from(area.width);
        self.fit(room);
        // The right side ends one column before the end, unless it is wider than the line.
        let whole = side_width(&self.right, self.gap) < room;
        let is_it = |item: &Item| item.key.as_deref() == Some(key);
        whole && shown(&self.right).any(is_it)
    }

    /// The key of the hint at a column.
    pub fn key_at(mut self, area: Rect, col: u16) -> Option<String> {
        let room = usize::from(area.width);
        self.fit(room);
        let col = usize::from(col.checked_sub(area.x)?);
        let right_start = room.saturating_sub(side_width(&self.right, self.gap) + 1);
        for (items, start) in [(&self.left, self.margin), (&self.right, right_start)] {
            let mut x = start;
            for item in shown(items) {
                if (x..x + item.width()).contains(&col) && item.key.is_some() {
                    return item.key.clone();
                }
                x += item.width() + self.gap;
            }
        }
        None
    }

    /// Drops what does not fit.
    fn fit(&mut self, room: usize) {
        while self.width() > room && self.drop_one() {}
        // A hint for which there is no room ends the hints. What is said of a job has no such order.
        if self.badge.is_some() {
            self.put_back(room);
        }
    }

    /// Puts dropped items back that fit, the most important first: a long one may have made room for short ones.
    fn put_back(&mut self, room: usize) {
        let places = |items: &[Item], is_left: bool| -> Vec<(u8, bool, usize)> {
            let dropped = items.iter().enumerate().filter(|(_, item)| item.is_dropped);
            dropped
                .map(|(at, item)| (item.rank, !is_left, at))
                .collect()
        };
        let mut all = places(&self.left, true);
        all.extend(places(&self.right, false));
        all.sort_unstable();
        for (_, is_right, at) in all {
            self.set_dropped(is_right, at, false);
            if self.width() > room {
                self.set_dropped(is_right, at, true);
            }
        }
    }

    fn set_dropped(&mut self, is_right: bool, at: usize, is_dropped: bool) {
        let side = if is_right {
            &mut self.right
        } else {
            &mut self.left
        };
        if let Some(item) = side.get_mut(at) {
            item.is_dropped = is_dropped;
        }
    }

    fn width(&self) -> usize {
        let left = side_width(&self.left, self.gap);
        let right = side_width(&self.right, self.gap);
        let between = if left > 0 && right > 0 { self.gap } else { 0 };
        left + between + right + self.margin + 1
    }

    /// Shortens or drops an item of the highest rank; `false` if only items of rank 0 are left.
    fn drop_one(&mut self) -> bool {
        let highest = |items: &[Item]| shown(items).map(|item| item.rank).max().unwrap_or(0);
        let rank = highest(&self.left).max(highest(&self.right));
        if rank == 0 {
            return false;
        }
        let is_next = |item: &Item| !item.is_dropped && item.rank == rank;
        // Of several, drop the one nearest to the gap: the last on the left, the first on the
        // right.
        if let Some(item) = self.left.iter_mut().rfind(|item| is_next(item)) {
            match item.short.take() {
                Some(short) => item.spans = short,
                None => item.is_dropped = true,
            }
            return true;
        }
        // Long and short forms side by side read as two kinds of things.
        let mut is_shortened = false;
        for item in self.right.iter_mut().filter(|item| is_next(item)) {
            if let Some(short) = item.short.take() {
                item.spans = short;
                is_shortened = true;
            }
        }
        if is_shortened {
            return true;
        }
        let at = |may: fn(&Item) -> bool| {
            let mut right = self.right.iter();
            right.position(|item| is_next(item) && may(item))
        };
        if let Some(at) = at(|item| item.goes_first).or_else(|| at(|_| true)) {
            self.set_dropped(true, at, true);
        }
        true
    }
}

impl Item {
    fn new(rank: u8, spans: Vec<Span<'static>>) -> Self {
        Self {
            spans,
            key: None,
            short: None,
            goes_first: false,
            rank,
            is_dropped: false,
        }
    }

    fn hint(rank: u8, key: String, spans: Vec<Span<'static>>) -> Self {
        Self {
            key: Some(key),
            ..Self::new(rank, spans)
        }
    }

    fn width(&self) -> usize {
        self.spans
            .iter()
            .map(|span| text::width(&span.content))
            .sum()
    }
}

/// The items for which there is room.
fn shown(items: &[Item]) -> impl Iterator<Item = &Item> {
    items.iter().filter(|item| !item.is_dropped)
}

fn side_width(items: &[Item], gap: usize) -> usize {
    let widths: usize = shown(items).map(Item::width).sum();
    widths + gap * shown(items).count().saturating_sub(1)
}

fn put(buf: &mut Buffer, area: Rect, x: usize, line: &Line<'_>, max: usize) {
    if max == 0 {
        return;
    }
    let x = area.x + u16::try_from(x).unwrap_or(u16::MAX).min(area.width);
    let max = u16::try_from(max).unwrap_or(u16::MAX);
    buf.set_line(x, area.y, line, max);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: u16) -> String {
        let mut bar = Bar::new(2);
        for (rank, text) in [(0, "web"), (2, "pid 1"), (3, "80x24")] {
            bar.text(rank, text, Style::new());
        }
        bar.right(1, vec![Span::raw("? help")]);
        let area = Rect::new(0, 0, width, 1);
        let mut buf = Buffer::empty(area);
        bar.draw(area, &mut buf);
        buf.content().iter().map(|cell| cell.symbol()).collect()
    }

    #[test]
    fn there_is_no_room_for_a_dropped_or_cut_hint() {
        let has_room_for = |width: u16, key: &str| {
            let mut bar = Bar::new(1).badge(" STOP ".to_owned(), Style::new(), 0);
            bar.text(0, "web?", Style::new());
            let mut hint = |rank, key: &str, label: &str| {
                let spans = vec![Span::raw(key.to_owned()), Span::raw(label.to_owned())];
                bar.right_hint(rank, key.to_owned(), spans);
            };
            hint(0, "y", " yes");
            hint(1, "X", " kill -9");
            bar.has_room_for(Rect::new(0, 0, width, 1), key)
        };
        assert!(has_room_for(27, "y") && has_room_for(27, "X"));
        assert!(has_room_for(26, "y") && !has_room_for(26, "X"));
        assert!(!has_room_for(5, "y") && !has_room_for(80, "n"));
    }

    #[test]
    fn short_items_of_a_status_line_stay_where_a_long_one_has_no_room() {
        let drawn = |width: u16| -> String {
            let mut bar = Bar::new(1).badge(" NORMAL ".to_owned(), Style::new(), 0);
            for (rank, text) in [(0, "ask ?"), (2, "input"), (3, "1m")] {
                bar.text(rank, text, Style::new());
            }
            bar.right(2, vec![Span::raw("codex-at-work is typing")]);
            bar.right(1, vec![Span::raw("4?")]);
            let area = Rect::new(0, 0, width, 1);
            let mut buf = Buffer::empty(area);
            bar.draw(area, &mut buf);
            buf.content().iter().map(|cell| cell.symbol()).collect()
        };
        assert_eq!(drawn(40), " NORMAL ask ? input 1m               4? ");
        assert_eq!(drawn(21), " NORMAL ask ? 1m  4? ");
    }

    #[test]
    fn drops_whole_items_by_rank() {
        assert_eq!(drawn(30), " web  pid 1  80x24     ? help ");
        assert_eq!(drawn(24), " web  pid 1      ? help ");
        assert_eq!(drawn(13), " web  ? help ");
        assert_eq!(drawn(12), " web        ");
    }
}
