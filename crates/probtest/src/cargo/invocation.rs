//! How this process was started, for the replay line.

use crate::report::Invocation;

/// Looks at how this process was started.
pub(super) fn invocation(package: Option<&str>) -> Invocation {
    let ignored = |word: String| word == "--ignored" || word == "--include-ignored";
    Invocation {
        package: package.map(Into::into),
        profile: profile().filter(|profile| profile != "debug"),
        ignored: std::env::args_os().any(|word| ignored(word.to_string_lossy().into_owned())),
        nextest: std::env::var_os("NEXTEST").is_some(),
    }
}

/// Returns the profile's folder; test binaries lie in target/PROFILE/deps.
fn profile() -> Option<String> {
    let binary = std::env::current_exe().ok()?;
    let deps = binary.parent()?;
    let profile = deps
        .ends_with("deps")
        .then(|| deps.parent()?.file_name())??;
    Some(profile.to_string_lossy().into_owned())
}
