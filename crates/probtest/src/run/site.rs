//! Where in the user's code a number was drawn, and by which call.

use serde::{Deserialize, Serialize};

use super::backtrace::numbered;
use crate::seed::{Place, Trace};

/// Parts of paths that do not belong to the user: the registry, and Rust itself.
const FOREIGN: [&str; 4] = ["/registry/src/", "/rustc/", "/.rustup/", "/git/checkouts/"];

/// Where a number was drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The call that drew it, as the user knows it.
    pub call: String,
    /// What came out of it, where that is known.
    pub gave: Option<String>,
    /// The number that was drawn, as a share of the largest.
    pub share: String,
    /// The file and the line.
    pub place: Option<String>,
}

impl Site {
    /// Finds where a draw came from.
    pub(crate) fn of(place: &Place) -> Self {
        let share = share(place.part);
        match &place.trace {
            Trace::Backtrace(backtrace) => {
                let (call, line) = find(&backtrace.to_string());
                Site { call, gave: None, share, place: line }
            }
            Trace::Known { call, gave, line } => {
                Site { call: call.clone(), gave: gave.clone(), share, place: line.clone() }
            }
        }
    }
}

/// Writes a number as a share of the largest that could have been drawn.
fn share(share: f64) -> String {
    let short = match share {
        share if share < 1e-4 => return format!("{share:.1e}"),
        share => format!("{:.4}", (share * 1e4).floor() / 1e4),
    };
    short.trim_end_matches('0').to_owned()
}

/// Finds the first frame of the user's code, and the call that it made.
fn find(backtrace: &str) -> (String, Option<String>) {
    let mut call = String::new();
    let (mut name, mut drawn) = ("", false);
    for line in backtrace.lines() {
        if let Some(next) = numbered(line) {
            name = next;
            continue;
        }
        let Some(place) = line.trim().strip_prefix("at ") else {
            continue;
        };
        let ours = name.contains("probtest::seed::");
        drawn |= ours;
        if !drawn {
            continue;
        }
        if ours || FOREIGN.iter().any(|part| place.contains(part)) {
            let part = last_part(name);
            // Ours are known by their names where they were not compiled into the caller.
            call = match ours && !part.starts_with("draw_u") && part != "draw_bytes" {
                true => String::new(),
                false => part.to_owned(),
            };
            continue;
        }
        return (call, Some(without_column(place)));
    }
    (call, None)
}

/// The last part of a path of a function, without its type arguments.
fn last_part(name: &str) -> &str {
    let name = name.trim_end_matches(|c| c != '>' && c == ' ');
    let plain = match name.strip_suffix('>') {
        Some(_) => name.split("::<").next().unwrap_or(name),
        None => name,
    };
    plain.rsplit("::").next().unwrap_or(plain)
}

fn without_column(place: &str) -> String {
    let place = place.strip_prefix("./").unwrap_or(place);
    let line = place.rsplit_once(':').filter(|(rest, _)| rest.contains(':'));
    line.map_or(place, |(rest, _)| rest).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_of_the_user_is_found_with_the_call_it_made() {
        let text = "   0: probtest::seed::tape::Reel::draw
             at ./src/seed/tape.rs:200:21
   1: <probtest::seed::rng::TestRng as rand_core::TryRng>::try_next_u64
             at ./src/seed/rng.rs:10:5
   2: rand::rng::RngExt::random_bool
             at /home/me/.cargo/registry/src/index/rand-0.10.0/src/rng.rs:170:9
   3: walks::step
             at ./src/lib.rs:20:5
   4: walks::walk
             at ./src/lib.rs:40:5
";
        let expected = ("random_bool".to_owned(), Some("src/lib.rs:20".to_owned()));
        assert_eq!(find(text), expected);
        assert_eq!(find("   0: main\n"), (String::new(), None));
        assert_eq!(last_part("rand::rng::RngExt::random_range::<i32, _>"), "random_range");
    }
}
