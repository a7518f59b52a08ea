//! The mutation check of the 26 properties. `make mutants` runs it.
//!
//! Each seeded fault of `faults.rs` is written into a copy of the sources, which
//! is built and surveyed. A fault that the properties do not find is given to the
//! other tests of the list. Ends with an error when a fault does not fare as the
//! table says, so the table and the document about it cannot go stale.

mod faults;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use faults::{FAULTS, Fate, Fault};

/// What the copy needs: the workspace, of which only this crate is built.
const PARTS: [&str; 5] =
    ["Cargo.toml", "Cargo.lock", "crates", "examples", "python/examples/policies"];
/// A fault may never end, or fill the memory: seconds and kilobytes.
const SECONDS: u32 = 60;
const KILOBYTES: u32 = 4_000_000;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let copy = root.join("target/mutants");
    fs::create_dir_all(&copy).expect("the build folder is ours");
    for part in PARTS {
        copy_all(&root.join(part), &copy.join(part));
    }
    let sound = survey(&copy);
    assert_eq!(sound, "missed, found=0.0000 at most", "no fault yet");

    let mut wrong = 0;
    let mut fates = Vec::new();
    for fault in &FAULTS {
        let &(what, _, _, expected) = fault;
        let (fate, words) = seed(&copy, fault);
        fates.push(fate);
        wrong += u32::from(fate != expected);
        let mark = if fate == expected { "" } else { "   NOT AS EXPECTED" };
        println!("{:<8}  {what:<62}  {words}{mark}", format!("{fate:?}").to_lowercase());
    }
    let count = |fate| fates.iter().filter(|&&other| other == fate).count();
    println!(
        "\n{} of {} faults are killed by the 26 properties, {} by the other tests of the list, {} survive",
        count(Fate::Killed),
        FAULTS.len(),
        count(Fate::Others),
        count(Fate::Survives)
    );
    if wrong > 0 {
        println!("{wrong} did not fare as the table says");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Puts a fault in, looks who finds it, and takes it out again.
fn seed(copy: &Path, &(what, from, to, _): &Fault) -> (Fate, String) {
    let path = copy.join("crates/probtest-paper/src/skip_list/list.rs");
    let sound = fs::read_to_string(&path).expect("the file of a fault");
    let places = sound.matches(from).count();
    assert_eq!(places, 1, "{what}: its text is there {places} times");
    fs::write(&path, sound.replace(from, to)).expect("the copy is ours");
    let words = survey(copy);
    let fate = if words.starts_with("killed") {
        Fate::Killed
    } else if other_tests(copy) {
        Fate::Survives
    } else {
        Fate::Others
    };
    fs::write(&path, sound).expect("the copy is ours");
    (fate, words)
}

/// What the survey says, or how it ended.
fn survey(copy: &Path) -> String {
    let build = ["build", "--quiet", "-p", "probtest-paper", "--example", "survey"];
    let built = cargo(copy, &build).output().expect("cargo starts");
    let complaint = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "a fault must compile:\n{complaint}");
    let output = limited(&Command::new(copy.join("target/debug/examples/survey")));
    let words = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match output.status.code() {
        Some(0) => words,
        Some(124) => "killed: never ends".to_owned(),
        _ => "killed: fills the memory or the stack".to_owned(),
    }
}

/// Whether the other tests of the list pass.
fn other_tests(copy: &Path) -> bool {
    let words = ["test", "--quiet", "-p", "probtest-paper", "--lib", "--test", "list"];
    let built = cargo(copy, &[&words[..], &["--no-run"]].concat()).status();
    assert!(built.is_ok_and(|status| status.success()), "a fault must compile");
    let ended = limited(&cargo(copy, &words));
    ended.status.success()
}

fn cargo(copy: &Path, words: &[&str]) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(words).current_dir(copy);
    cargo.env("CARGO_TARGET_DIR", copy.join("target"));
    // A fault leaves code unused; that is no news.
    cargo.env("RUSTFLAGS", "--cap-lints=allow");
    cargo
}

/// Runs a command that may never end, or fill the memory. Ends with 124
/// when it took too long.
fn limited(command: &Command) -> Output {
    let script = format!("ulimit -v {KILOBYTES}; exec timeout {SECONDS} \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).arg(command.get_program());
    shell.args(command.get_args());
    let variables = command.get_envs();
    shell.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    shell.output().expect("a shell starts")
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("the copy is ours");
        let entries = fs::read_dir(from).expect("a folder of the sources");
        for entry in entries {
            let path: PathBuf = entry.expect("an entry of the sources").path();
            let name = path.file_name().expect("a name");
            copy_all(&path, &to.join(name));
        }
        return;
    }
    let text = fs::read(from).expect("a file of the sources");
    // Cargo builds again what is newer, so equal files keep their time.
    if fs::read(to).ok().as_ref() != Some(&text) {
        fs::write(to, text).expect("the copy is ours");
    }
}
