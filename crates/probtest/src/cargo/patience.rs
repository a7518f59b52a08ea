//! Telling of a body that hangs while a known violation is made smaller.
//!
//! A smaller input can send a program into a loop that never ends. Nothing can stop a thread from
//! outside, but the violation is known by then, and whoever waits for the test should know it too.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::run::lock;

/// How long an execution may take that only explains a violation, before that is told.
pub(super) const LONG: Duration = Duration::from_secs(20);

type Tell = Box<dyn FnOnce(&str) + Send>;

/// Watches executions from a thread of its own, which begins with the first of them.
pub(super) struct Patience {
    watch: Arc<(Mutex<Watch>, Condvar)>,
    thread: Option<JoinHandle<()>>,
    limit: Duration,
    tell: Option<Tell>,
}

#[derive(Default)]
struct Watch {
    since: Option<Instant>,
    text: String,
    is_over: bool,
}

impl Patience {
    /// Tells, once, of an execution that takes longer than this.
    pub(super) fn new(limit: Duration, tell: impl FnOnce(&str) + Send + 'static) -> Self {
        Patience { watch: Arc::default(), thread: None, limit, tell: Some(Box::new(tell)) }
    }

    /// An execution begins that only explains what the text says.
    pub(super) fn begin(&mut self, text: impl FnOnce() -> String) {
        lock(&self.watch.0).since = Some(Instant::now());
        if let Some(tell) = self.tell.take() {
            lock(&self.watch.0).text = text();
            let (watch, limit) = (self.watch.clone(), self.limit);
            let thread = std::thread::Builder::new().name("probtest-patience".into());
            // Without a thread nobody is told, and that is all.
            self.thread = thread.spawn(move || wait(&watch, limit, tell)).ok();
        }
    }

    /// It has ended.
    pub(super) fn end(&self) {
        lock(&self.watch.0).since = None;
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        lock(&self.watch.0).is_over = true;
        self.watch.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn wait(watch: &(Mutex<Watch>, Condvar), limit: Duration, tell: Tell) {
    let mut state = lock(&watch.0);
    while !state.is_over {
        let took = state.since.map_or(Duration::ZERO, |since| since.elapsed());
        if state.since.is_some() && took >= limit {
            return tell(&state.text);
        }
        // One that has begun meanwhile has all of its time.
        let pause = limit.saturating_sub(took).max(Duration::from_millis(1));
        let waited = watch.1.wait_timeout(state, pause);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn an_execution_that_does_not_end_is_told_once_and_one_that_does_is_not() {
        let (told, heard) = channel();
        let tell = move |text: &str| told.send(text.to_owned()).unwrap();
        let mut patience = Patience::new(Duration::ZERO, tell);
        patience.begin(|| "violated at execution 3".into());
        assert_eq!(heard.recv().unwrap(), "violated at execution 3");
        patience.begin(|| unreachable!("it is told once"));
        drop(patience);
        assert!(heard.recv().is_err());

        let (told, heard) = channel();
        let mut patience = Patience::new(Duration::MAX, move |_| told.send(()).unwrap());
        patience.begin(String::new);
        patience.end();
        drop(patience);
        assert!(heard.recv().is_err());
    }
}
