//! Backtraces: the part that belongs to the test body, and where in it a number was drawn.

use crate::seed::{DrawSite, Trace};

/// Frames of the panic machinery, above those of the body.
const MACHINERY: [&str; 4] =
    ["rust_begin_unwind", "core::panicking::", "std::panicking::", "core::result::unwrap_failed"];

/// The first frame below the body.
pub(super) const HARNESS: &str = "probtest::run::execute";

/// The first frames below a thread of a body with a random schedule.
const SCHEDULED: [&str; 2] =
    ["probtest::run::schedules", "shuttle_engine::runtime::thread::continuation"];

/// Frames between the first one of the harness and those of the body.
const BETWEEN: [&str; 4] =
    ["probtest::machine::", "probtest::cargo::", "shuttle_std::thread::", "core::ops::function::"];

/// Writes a backtrace as for `RUST_BACKTRACE=1`: without the frames of the panic machinery and the
/// harness. `full` keeps everything.
pub(super) fn text(backtrace: &str) -> String {
    let full = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "full");
    let body = if full { None } else { trim(backtrace) };
    match body {
        Some(body) => format!(
            "stack backtrace of the body:\n{body}note: RUST_BACKTRACE=full shows every frame"
        ),
        None => format!("stack backtrace:\n{backtrace}"),
    }
}

/// Keeps the frames of the body; `None` if they can't be told from the rest.
fn trim(backtrace: &str) -> Option<String> {
    let mut frames: Vec<(&str, String)> = Vec::new();
    for line in backtrace.lines() {
        match numbered(line) {
            Some(name) => frames.push((name, format!("{line}\n"))),
            None => frames.last_mut()?.1.push_str(&format!("{line}\n")),
        }
    }
    let has = |name: &str, parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let first = frames.iter().position(|(name, _)| has(name, &MACHINERY))?;
    let below = &frames[first..];
    let is_above = |name| has(name, &MACHINERY) || has(name, &["__rust_end_short_backtrace"]);
    let begin = below.iter().position(|(name, _)| !is_above(name))?;
    let below = &below[begin..];
    let is_below = |name| has(name, &[HARNESS]) || has(name, &SCHEDULED);
    let mut end = below.iter().position(|(name, _)| is_below(name))?;
    while end > 0 && has(below[end - 1].0, &BETWEEN) {
        end -= 1;
    }
    let body: String = below[..end].iter().map(|(_, text)| text.as_str()).collect();
    (end > 0).then_some(body)
}

/// Returns the name of a frame if the line starts one.
fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.trim_start().split_once(": ")?;
    number.parse::<u32>().ok().map(|_| name)
}

/// Parts of paths that don't belong to the user: the registry, and Rust itself.
const FOREIGN: [&str; 4] = ["/registry/src/", "/rustc/", "/.rustup/", "/git/checkouts/"];

/// Where a number was drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Site {
    /// The call that drew it, as written in the user's code.
    pub call: String,
    /// What the call returned, if that is known.
    pub gave: Option<String>,
    /// The number that was drawn, as a share of the largest possible one.
    pub share: String,
    /// The file and line.
    pub place: Option<String>,
}

impl Site {
    /// Finds where a draw came from.
    pub(crate) fn of(place: &DrawSite) -> Self {
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

/// Writes a number as a share of the largest possible one.
fn share(share: f64) -> String {
    let short = match share {
        share if share < 1e-4 => return format!("{share:.1e}"),
        share => format!("{:.4}", (share * 1e4).floor() / 1e4),
    };
    short.trim_end_matches('0').to_owned()
}

/// Finds the first frame in the user's code, and the call it made.
fn find(backtrace: &str) -> (String, Option<String>) {
    let (mut call, mut name, mut drawn) = ("", "", false);
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
            // Ours are recognized by name unless they were inlined into the caller.
            let is_hidden = ours && !part.starts_with("draw_u") && part != "draw_bytes";
            call = if is_hidden { "" } else { part };
            continue;
        }
        return (call.to_owned(), Some(without_column(place)));
    }
    (call.to_owned(), None)
}

/// The last part of a function's path, without type arguments.
fn last_part(name: &str) -> &str {
    let name = name.trim_end_matches(' ');
    let plain = if name.ends_with('>') { name.split("::<").next().unwrap_or(name) } else { name };
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
    fn only_the_frames_of_the_body_are_kept() {
        let text = "   0: probtest::run::execute::describe
             at ./src/run/execute.rs:139:21
   1: std::panicking::panic_with_hook
   2: std::sys::backtrace::__rust_end_short_backtrace
   3: rust_begin_unwind
   4: core::panicking::panic_fmt
   5: walks::step
             at ./src/lib.rs:20:5
   6: walks::walk
   7: probtest::machine::check::{{closure}}
             at ./src/machine/mod.rs:102:36
   8: core::ops::function::impls::<impl core::ops::function::FnMut<A> for &F>::call_mut
   9: probtest::run::execute::once
  10: main
";
        let expected = "   5: walks::step
             at ./src/lib.rs:20:5
   6: walks::walk
";
        assert_eq!(trim(text).as_deref(), Some(expected));
    }

    #[test]
    fn a_backtrace_without_names_is_not_trimmed() {
        assert_eq!(trim("   0: <unknown>\n   1: <unknown>\n"), None);
        assert_eq!(trim(""), None);
    }

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
