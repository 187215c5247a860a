//! How soon a view shows a typed key.

use std::time::{Duration, Instant};

use crate::peer::Peer;
use crate::view::View;

/// Lines of keys, and keys of a line.
const LINES: usize = 5;
const KEYS: usize = 40;

/// The kernel's character that erases a line (`VKILL`).
const ERASE: &str = "\x15";

/// Between two keys: what follows the frame of the one before is over.
const PAUSE: Duration = Duration::from_millis(5);

/// Seconds from each of some keys until the view of a job has drawn it.
pub(crate) fn keys(peer: &mut dyn Peer) -> Vec<f64> {
    let job = peer.start(&["cat".to_owned()]);
    let mut view = View::open(peer.view(&job));
    // Until it has the terminal, the terminal would echo keys itself. What it draws for the first one is not measured.
    view.wait_for(|screen| screen.alt_screen() && !screen.text(true).trim().is_empty());
    view.send("~");
    view.wait_for_text("~");
    let mut times = Vec::new();
    for line in 0..LINES {
        view.send(ERASE);
        view.wait_for(|screen| screen.cursor().col == 0);
        let mut typed = String::new();
        for key in 0..KEYS {
            view.watch(PAUSE);
            let letter = char::from(b'a' + ((line + key) % 26) as u8);
            typed.push(letter);
            let begin = Instant::now();
            view.send(letter.encode_utf8(&mut [0; 4]));
            let drawn = view.wait_for(|screen| screen.text(true).contains(&typed));
            times.push((drawn - begin).as_secs_f64());
        }
    }
    times
}
