//! One execution from start to end: its process, its output, and how it ended, in words.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use probtest::Error;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, test_kill_process_group, waitid};
use tempfile::NamedTempFile;

use super::running::{MOST_OUTPUT, kill};
use super::{ExecutionSeed, Program, Running};
use crate::output::Failure;

/// How much of each stream is shown.
const SHOWN: u64 = 64 << 10;

/// Executes a program in the background, on as many threads as request it.
pub struct Background {
    pub program: Program,
    running: Arc<Running>,
    null: File,
    reports: Reports,
    idle: Mutex<Vec<Worker>>,
}

/// What one thread needs for its executions, reused from one to the next.
struct Worker {
    capture: Capture,
    /// The last command: unless an argument varies, the next one differs only in its environment.
    command: Option<Command>,
}

impl Background {
    pub fn new(
        program: Program,
        running: Arc<Running>,
        reports: Reports,
    ) -> io::Result<Background> {
        let null = File::open("/dev/null")?;
        Ok(Background { reports, program, running, null, idle: Mutex::default() })
    }

    /// Executes once. `look` gets how it ended and what it wrote.
    pub fn execute<T>(
        &self,
        told: ExecutionSeed,
        look: impl FnOnce(Ending, &Capture) -> T,
    ) -> io::Result<T> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut worker = match taken {
            Some(worker) => worker,
            None => Worker { capture: Capture::new(self.reports)?, command: None },
        };
        let output = Some(worker.capture.streams.clone());
        let (ending, leftover) = match self.ready(&mut worker, told) {
            Ok(command) => run(command, true, told, &self.running, output),
            Err(error) => (Ending::Lost(error), false),
        };
        let result = look(ending, &worker.capture);
        if leftover {
            // Processes that are being killed may still write, but not into the files of the next
            // execution.
            worker = Worker { capture: Capture::new(self.reports)?, command: None };
        }
        idle().push(worker);
        Ok(result)
    }

    /// Clears the files, and prepares the command for this execution.
    fn ready<'a>(
        &self,
        Worker { capture, command }: &'a mut Worker,
        told: ExecutionSeed,
    ) -> io::Result<&'a mut Command> {
        capture.clear()?;
        if let Some(mut same) = command.take().filter(|_| !self.program.varies) {
            told.set_variables(&mut same);
            return Ok(command.insert(same));
        }
        let [stdout, stderr] = &capture.streams;
        let mut new = self.program.command(told);
        new.stdin(Stdio::from(self.null.try_clone()?))
            .stdout(Stdio::from(stdout.try_clone()?))
            .stderr(Stdio::from(stderr.try_clone()?))
            // With this option, unlike with a closure before exec, std keeps using posix_spawn,
            // which doesn't copy the page tables.
            .process_group(0);
        for (variable, file) in capture.files() {
            new.env(variable, file.path());
        }
        Ok(command.insert(new))
    }
}

/// Executes a program once with the streams of this process. `group` says whether it gets its own
/// process group: not on a terminal, where only one group may read.
pub fn in_foreground(
    program: &Program,
    running: &Running,
    told: ExecutionSeed,
    group: bool,
    stdout_to_stderr: bool,
) -> Ending {
    let mut command = program.command(told);
    // Its reports aren't read here, but a program that writes them must find a file.
    command.envs([COST_FILE, OUTCOME_FILE].map(|variable| (variable, "/dev/null")));
    if stdout_to_stderr {
        command.stdout(io::stderr());
    }
    if group {
        command.process_group(0);
    }
    run(&mut command, group, told, running, None).0
}

/// Starts a program, waits for the leader, kills the rest of its group, and reaps it. Returns how
/// it ended, and whether it left processes behind.
fn run(
    command: &mut Command,
    group: bool,
    told: ExecutionSeed,
    running: &Running,
    output: Option<[Arc<File>; 2]>,
) -> (Ending, bool) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return (Ending::Unstartable(error), false),
    };
    let leader = Pid::from_child(&child);
    running.begin(leader, group, told.execution, output);
    let waited = wait_for_end(leader, group);
    let killed = running.end(leader);
    if group {
        // The leader isn't reaped yet, so its pid still identifies this group.
        kill(leader, true);
    }
    let reaped = child.wait();
    let leftover = group && test_kill_process_group(leader).is_ok();
    let ending = match (waited, reaped, killed) {
        (Err(error), ..) | (_, Err(error), _) => Ending::Lost(error),
        (Ok(Some(ending)), ..) => ending,
        // Whatever the status: a leader that was alive when its time was up may still have ended by
        // itself before the signal arrived.
        (_, _, Some(killed)) => killed,
        (_, Ok(status), None) => Ending::Exited(status),
    };
    (ending, leftover)
}

/// Waits without reaping, so that the leader's pid stays taken; returns early if the program waits
/// for the terminal. In the foreground, a stopped program is left to its terminal.
fn wait_for_end(leader: Pid, group: bool) -> io::Result<Option<Ending>> {
    let mut ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    if group {
        ended |= WaitIdOptions::STOPPED;
    }
    loop {
        let status = retry_on_intr(|| waitid(WaitId::Pid(leader), ended))?;
        let Some(signal) = status.and_then(|status| status.stopping_signal()) else {
            return Ok(None);
        };
        if [Signal::TTIN.as_raw(), Signal::TTOU.as_raw()].contains(&signal) {
            return Ok(Some(Ending::WantsTerminal));
        }
        // Whoever stopped it will continue it; clear that state and wait.
        let once = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        retry_on_intr(|| waitid(WaitId::Pid(leader), once))?;
    }
}

/// How an execution ended.
pub enum Ending {
    /// By itself, with this status.
    Exited(ExitStatus),
    /// It took longer than allowed and was killed.
    TimedOut,
    /// It wrote more than allowed to this stream.
    Flooded(&'static str),
    /// It wants to read from or write to the terminal, which it doesn't have.
    WantsTerminal,
    /// It was killed because the answer is known, or because of a signal.
    Stopped,
    /// It didn't start.
    Unstartable(io::Error),
    /// It couldn't be waited for, or there is no place for its output.
    Lost(io::Error),
}

impl Ending {
    /// Says why the program didn't start, if so: because of the program itself, or of a temporary
    /// condition.
    pub fn unstartable(&self, word: &str) -> Option<Failure> {
        let Ending::Unstartable(error) = self else {
            return None;
        };
        let what = format!("`{word}` cannot be started: {error}");
        let help = match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOEXEC) => format!(
                "begin the script with a line such as #!/bin/sh, or name its interpreter: -- sh {word}"
            ),
            Some(Errno::NOENT) => {
                "the interpreter in its first line (#!) or the loader it needs does not exist"
                    .into()
            }
            Some(Errno::TOOBIG) => "shorten the arguments or the environment".into(),
            Some(
                Errno::ACCESS
                | Errno::PERM
                | Errno::LOOP
                | Errno::NOTDIR
                | Errno::ISDIR
                | Errno::INVAL,
            ) => "start the program by hand to see what is wrong with it".into(),
            _ => return Some(Failure::Unfinished(what)),
        };
        Some(Error::new(what, word, help).into())
    }

    /// Describes the violation, if it was one.
    pub fn violation(&self, timeout: Option<&str>) -> Option<String> {
        match self {
            Ending::Exited(status) if !status.success() => Some(status_words(*status)),
            Ending::TimedOut => {
                let after = timeout.map_or(String::new(), |t| format!(" after {t}"));
                Some(format!("timed out{after}"))
            }
            _ => None,
        }
    }

    /// Says why the execution proves nothing, if so.
    pub fn broken(&self) -> Option<String> {
        Some(match self {
            Ending::Flooded(stream) => {
                format!("it wrote more than {} MiB to {stream}", MOST_OUTPUT >> 20)
            }
            Ending::WantsTerminal => {
                "the program tried to use the terminal, which it does not have here".into()
            }
            Ending::Stopped => "it was interrupted".into(),
            Ending::Unstartable(error) => format!("the program could not be started: {error}"),
            Ending::Lost(error) => format!("the program could not be watched: {error}"),
            Ending::Exited(_) | Ending::TimedOut => return None,
        })
    }
}

fn status_words(status: ExitStatus) -> String {
    let Some(signal) = status.signal() else {
        return status.code().map_or(status.to_string(), |code| format!("exit code {code}"));
    };
    let Some(name) = signal_hook::low_level::signal_name(signal) else {
        return format!("killed by signal {signal}");
    };
    let meaning = match name {
        "SIGILL" => ", illegal instruction",
        "SIGABRT" => ", abort",
        "SIGBUS" => ", bus error",
        "SIGFPE" => ", arithmetic error",
        "SIGSEGV" => ", segmentation fault",
        _ => "",
    };
    format!("killed by signal {signal} ({name}{meaning})")
}

const COST_FILE: &str = "PROBTEST_COST_FILE";
const OUTCOME_FILE: &str = "PROBTEST_OUTCOME_FILE";

/// What executions may report about themselves.
#[derive(Clone, Copy, Default)]
pub struct Reports {
    /// What they cost.
    pub cost: bool,
    /// Which of the listed outcomes occurred.
    pub outcome: bool,
}

/// The files that receive stdout and stderr, reused by each execution: two without a name. A
/// program writes its cost and its outcome to named files.
pub struct Capture {
    streams: [Arc<File>; 2],
    cost: Option<NamedTempFile>,
    outcome: Option<NamedTempFile>,
}

impl Capture {
    /// Creates the files in the folder for temporary files.
    fn new(reports: Reports) -> io::Result<Capture> {
        Ok(Capture {
            streams: [appending()?, appending()?].map(Arc::new),
            cost: reports.cost.then(NamedTempFile::new).transpose()?,
            outcome: reports.outcome.then(NamedTempFile::new).transpose()?,
        })
    }

    /// The named files, each with the variable that names it.
    fn files(&self) -> impl Iterator<Item = (&'static str, &NamedTempFile)> {
        let files = [(COST_FILE, &self.cost), (OUTCOME_FILE, &self.outcome)];
        files.into_iter().filter_map(|(variable, file)| Some((variable, file.as_ref()?)))
    }

    /// What the execution cost: the sum of the numbers that it wrote, one per line. `None` if it
    /// wrote none.
    pub fn cost(&self) -> Result<Option<f64>, Error> {
        let mut sum = None;
        for line in written(&self.cost) {
            let cost = line.parse().ok();
            let Some(cost) = cost.filter(|cost: &f64| cost.is_finite() && *cost >= 0.0) else {
                return Err(Error::new(
                    "the program wrote a cost that is not a number of 0 or more",
                    format!("{line:?} in {COST_FILE}"),
                    "write one number per line, such as 0.0013",
                ));
            };
            sum = Some(sum.unwrap_or(0.0) + cost);
        }
        Ok(sum)
    }

    /// Which outcome occurred, from 0. `None` if it wrote none.
    pub fn outcome(&self) -> Result<Option<usize>, Error> {
        let lines = written(&self.outcome);
        match lines.iter().map(|line| line.parse().ok()).collect::<Vec<_>>().as_slice() {
            [] => Ok(None),
            [Some(outcome)] => Ok(Some(*outcome)),
            _ => Err(Error::new(
                "the program wrote an outcome that is not one whole number of 0 or more",
                format!("{:?} in {OUTCOME_FILE}", lines.join("\n")),
                "write the number of the outcome that occurred: 0 for the first one that is listed",
            )),
        }
    }

    fn clear(&self) -> io::Result<()> {
        for file in &self.streams {
            // Checking costs less than truncating, and most executions are silent.
            if file.metadata()?.len() > 0 {
                file.set_len(0)?;
            }
        }
        self.files().try_for_each(|(_, file)| std::fs::write(file.path(), ""))
    }

    /// Returns the end of stdout.
    pub fn stdout_text(&self) -> String {
        let (_, bytes) = tail(&self.streams[0], SHOWN).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns all of stdout.
    pub fn whole_stdout(&self) -> io::Result<String> {
        let (_, bytes) = tail(&self.streams[0], MOST_OUTPUT)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Returns the end of both streams as raw bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.streams.each_ref().map(|file| tail(file, SHOWN).unwrap_or_default().1).concat()
    }

    /// Returns the end of both streams, if anything was written.
    pub fn text(&self) -> Option<String> {
        let mut text = String::new();
        for (name, file) in std::iter::zip(["stdout", "stderr"], &self.streams) {
            match tail(file, SHOWN) {
                Ok((_, bytes)) if bytes.is_empty() => {}
                Ok((cut, bytes)) => {
                    let cut = match cut {
                        0 => String::new(),
                        cut => format!(", without its first {cut} bytes"),
                    };
                    text.push_str(&format!("--- {name}{cut} ---\n"));
                    text.push_str(&String::from_utf8_lossy(&bytes));
                    if !text.ends_with('\n') {
                        text.push('\n');
                    }
                }
                Err(error) => text.push_str(&format!("--- {name} cannot be read: {error} ---\n")),
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

/// The lines that a program wrote to a named file, which it may have replaced.
fn written(file: &Option<NamedTempFile>) -> Vec<String> {
    let bytes = file.as_ref().map(|file| std::fs::read(file.path()).unwrap_or_default());
    let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// A file whose writers always append: a program that reopens `/dev/stderr` must not make the
/// others overwrite what is there.
fn appending() -> io::Result<File> {
    let file = tempfile::tempfile()?;
    fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::APPEND)?;
    Ok(file)
}

/// The last bytes of a file, at most this many, and how many precede them.
fn tail(file: &File, most: u64) -> io::Result<(u64, Vec<u8>)> {
    let length = file.metadata()?.len();
    let from = length.saturating_sub(most);
    let mut bytes = vec![0; usize::try_from(length - from).unwrap_or_default()];
    let mut read = 0;
    while read < bytes.len() {
        // The file may have become shorter, if something truncates it.
        match file.read_at(&mut bytes[read..], from + read as u64)? {
            0 => break,
            n => read += n,
        }
    }
    bytes.truncate(read);
    Ok((from, bytes))
}
