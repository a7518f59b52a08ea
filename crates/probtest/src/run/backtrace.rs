//! The part of a backtrace that belongs to the test body.

/// Frames of the panic machinery, which stand above the body's.
const MACHINERY: [&str; 4] =
    ["rust_begin_unwind", "core::panicking::", "std::panicking::", "core::result::unwrap_failed"];

/// The first frame below the body.
pub(super) const HARNESS: &str = "probtest::run::execute";

/// The first frames below a thread of a body whose schedule is drawn.
const SCHEDULED: [&str; 2] =
    ["probtest::run::schedules", "shuttle_engine::runtime::thread::continuation"];

/// Frames between the first one of the harness and the body.
const BETWEEN: [&str; 4] =
    ["probtest::machine::", "probtest::cargo::", "shuttle_std::thread::", "core::ops::function::"];

/// Writes a backtrace as `RUST_BACKTRACE=1` promises it: without the frames of
/// the panic machinery and of the harness. `full` keeps everything.
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

/// Keeps the frames of the body; none when they cannot be told from the rest.
fn trim(backtrace: &str) -> Option<String> {
    let mut frames: Vec<(&str, String)> = Vec::new();
    for line in backtrace.lines() {
        match numbered(line) {
            Some(name) => frames.push((name, format!("{line}\n"))),
            None => frames.last_mut()?.1.push_str(&format!("{line}\n")),
        }
    }
    let is_machinery = |name: &str| MACHINERY.iter().any(|part| name.contains(part));
    let first = frames.iter().position(|(name, _)| is_machinery(name))?;
    let below = &frames[first..];
    let begin = below.iter().position(|(name, _)| !is_machinery(name) && !is_glue(name))?;
    let below = &below[begin..];
    let is_end =
        |name: &str| name.contains(HARNESS) || SCHEDULED.iter().any(|part| name.contains(part));
    let mut end = below.iter().position(|(name, _)| is_end(name))?;
    let is_between = |name: &str| BETWEEN.iter().any(|part| name.contains(part));
    while end > 0 && is_between(below[end - 1].0) {
        end -= 1;
    }
    let body: String = below[..end].iter().map(|(_, text)| text.as_str()).collect();
    (end > 0).then_some(body)
}

/// Frames between those of the machinery.
fn is_glue(name: &str) -> bool {
    name.contains("__rust_end_short_backtrace")
}

/// Returns the name of a frame when the line begins one.
pub(super) fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.trim_start().split_once(": ")?;
    number.parse::<u32>().ok().map(|_| name)
}

#[cfg(test)]
mod tests {
    use super::trim;

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
}
