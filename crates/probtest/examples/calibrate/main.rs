//! Checks probtest against its own promises, and writes the page about it.
//!
//! `make calibrate` runs it. The argument is the file to write; without one the page goes to
//! standard output. `--quick` simulates a 500th. Ends with code 1 if a promise is broken.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

mod promises;

use promises::{Effort, Row, Verdict, contrasts, flakes, page, sections};

const USAGE: &str = "usage: calibrate [--quick] [--jobs N] [FILE]";

struct Asked {
    effort: Effort,
    jobs: usize,
    file: Option<PathBuf>,
}

fn main() -> ExitCode {
    let asked = match asked(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(problem) => {
            eprintln!("error: {problem}\n  help   {USAGE}");
            return ExitCode::from(2);
        }
    };
    let (text, promises, broken) = answer(&asked);
    let written = match &asked.file {
        Some(file) => replace(file, &text).map_err(|error| format!("{}: {error}", file.display())),
        None => std::io::stdout()
            .write_all(text.as_bytes())
            .map_err(|error| format!("standard output: {error}")),
    };
    if let Err(problem) = written {
        eprintln!(
            "error: the page cannot be written\n  given  {problem}\n  help   name a file in a folder that exists"
        );
        return ExitCode::from(3);
    }
    // On stderr, since the page itself may go to stdout.
    eprintln!("{} of {promises} promises are kept", promises - broken);
    if let Some(file) = &asked.file {
        eprintln!("  written   {}", file.display());
    }
    if broken > 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn asked(mut words: impl Iterator<Item = String>) -> Result<Asked, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut asked = Asked { effort: Effort::FULL, jobs: cores, file: None };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => asked.effort = Effort::QUICK,
            "--jobs" => {
                let given = words.next().unwrap_or_default();
                let jobs = given.parse().ok().filter(|jobs| (1..=1024).contains(jobs));
                asked.jobs = jobs.ok_or(format!("--jobs takes 1 to 1024, given {given:?}"))?;
            }
            _ if word.starts_with('-') || asked.file.is_some() => {
                return Err(format!("{word:?} is not understood"));
            }
            _ => asked.file = Some(PathBuf::from(word)),
        }
    }
    // Minutes of work must not end with a page that can't be written.
    if let Some(file) = &asked.file {
        let folder = file.parent().filter(|folder| *folder != Path::new(""));
        if !folder.unwrap_or(Path::new(".")).is_dir() || file.is_dir() {
            return Err(format!("{} is no place for a file", file.display()));
        }
    }
    Ok(asked)
}

/// Answers everything, and counts the promises and those that are broken.
fn answer(asked: &Asked) -> (String, usize, usize) {
    let mut sections = sections();
    sections.push(flakes());
    let cases = || sections.iter().flat_map(|section| &section.cases);
    let all: u64 = cases().map(|case| case.pieces(asked.effort)).sum();
    let progress = Progress::new(all);
    let done = || progress.advance();
    let mut answers = Vec::new();
    let mut broken = 0;
    for section in sections {
        let mut rows: Vec<Row> = Vec::new();
        for case in &section.cases {
            let row = case.answer(asked.effort, asked.jobs, &done);
            if row.verdict() != Verdict::Kept {
                broken += 1;
                progress.clear();
                eprintln!("{}", page::line(&row));
            }
            rows.push(row);
        }
        answers.push((section, rows));
    }
    progress.clear();
    let promises = answers.iter().map(|(_, rows)| rows.len()).sum();
    (page::page(&answers, &contrasts()), promises, broken)
}

/// Replaces a file atomically: an interrupted run leaves the old one.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let new = file.with_extension("new");
    std::fs::write(&new, text)?;
    std::fs::rename(&new, file)
}

/// One line on a terminal: how much is done.
struct Progress {
    all: u64,
    done: AtomicU64,
    began: Instant,
    shown: bool,
}

impl Progress {
    fn new(all: u64) -> Self {
        Progress {
            all,
            done: AtomicU64::new(0),
            began: Instant::now(),
            shown: std::io::stderr().is_terminal(),
        }
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let hundredth = (self.all / 100).max(1);
        if self.shown && done.is_multiple_of(hundredth) {
            let seconds = self.began.elapsed().as_secs();
            let percent = done * 100 / self.all;
            eprint!("\rcalibrating: {percent} % of the simulations, {seconds} s ");
        }
    }

    fn clear(&self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}
