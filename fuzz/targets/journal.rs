//! A journal of this test that someone else continued: read, continued, and read again. A line that
//! starts with `{` gets its checksum here, so that what follows the checksum is fuzzed too.
#![no_main]

use std::cell::LazyCell;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use probtest::machine::{Executor, Journal, Serial, TestRun};
use probtest::run::{Observation, Violation};
use probtest::{Claim, Error, Settings, TestRng};
use siphasher::sip::SipHasher24;

thread_local! {
    /// The journal of this process, and its first line.
    static FILE: LazyCell<(PathBuf, String)> = LazyCell::new(|| {
        let folder = std::env::temp_dir().join(format!("probtest-fuzz-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        run(&folder).expect("an empty folder");
        let mut files = fs::read_dir(&folder).expect("the folder");
        let file = files.next().expect("a journal").expect("its name").path();
        let text = fs::read_to_string(&file).expect("text");
        let head = text.lines().next().expect("a head").to_owned();
        (file, head)
    });
}

fn run(folder: &Path) -> Result<(), Error> {
    let claim: Claim = probtest::tolerate(0.1).p(0.3).claim()?;
    let journal = Journal::open(folder, "here", "fuzz", None, None)?.every(Duration::from_secs(60));
    let mut run = TestRun::begin(&claim, Settings::new("fuzz").seed(7))?;
    run.keep(journal)?;
    let mut body = |rng: &mut TestRng| match rng.draw_u64() % 8 {
        0 => Observation::Violated(Box::new(Violation::new("zero"))),
        _ => Observation::Passed,
    };
    Serial::new(&mut body).execute(&mut run);
    let _ = run.finish().to_string();
    Ok(())
}

fuzz_target!(|text: &str| {
    let mut journal = String::new();
    for line in text.lines() {
        if line.starts_with('{') {
            let mut hasher = SipHasher24::new();
            hasher.write(line.as_bytes());
            journal.push_str(&format!("{:016x} ", hasher.finish()));
        }
        journal.push_str(line);
        journal.push('\n');
    }
    FILE.with(|known| {
        let (file, head) = &**known;
        let folder = file.parent().expect("a folder");
        for other in fs::read_dir(folder).expect("the folder").flatten() {
            let _ = fs::remove_file(other.path());
        }
        fs::write(file, format!("{head}\n{journal}")).expect("the journal is written");
        let _ = run(folder);
        let _ = run(folder);
    });
});
