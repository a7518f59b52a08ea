//! Reports a body that hangs while a known violation is being shrunk.
//!
//! A smaller input can send a program into an endless loop. Nothing can stop a thread from outside,
//! but the violation is known by then, and whoever waits for the test should hear of it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::run::lock;

/// How long an execution that only explains a violation may take before this is reported.
pub(super) const LONG: Duration = Duration::from_secs(20);

type Tell = Box<dyn FnOnce(&str) + Send>;

/// Watches executions from its own thread, which starts with the first of them.
pub(super) struct Patience {
    /// When the current execution started.
    since: Arc<Mutex<Option<Instant>>>,
    /// The thread, which ends when the sender is dropped.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
    limit: Duration,
    tell: Option<Tell>,
}

impl Patience {
    /// Reports, once, an execution that takes longer than `limit`.
    pub(super) fn new(limit: Duration, tell: impl FnOnce(&str) + Send + 'static) -> Self {
        Patience { since: Arc::default(), thread: None, limit, tell: Some(Box::new(tell)) }
    }

    /// Starts timing an execution that only explains a violation; `text` is what to report.
    pub(super) fn begin(&mut self, text: impl FnOnce() -> String) {
        *lock(&self.since) = Some(Instant::now());
        if let Some(tell) = self.tell.take() {
            let (since, limit, text) = (self.since.clone(), self.limit, text());
            let (alive, over) = channel();
            let thread = std::thread::Builder::new().name("probtest-patience".into());
            // Without a thread there is just no message.
            let thread = thread.spawn(move || {
                if is_long(&since, limit, &over) {
                    tell(&text);
                }
            });
            self.thread = thread.ok().map(|thread| (alive, thread));
        }
    }

    /// Stops timing the execution.
    pub(super) fn end(&self) {
        *lock(&self.since) = None;
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        if let Some((alive, thread)) = self.thread.take() {
            drop(alive);
            let _ = thread.join();
        }
    }
}

/// Waits until an execution takes too long, or there are no more.
fn is_long(since: &Mutex<Option<Instant>>, limit: Duration, over: &Receiver<()>) -> bool {
    loop {
        let took = lock(since).map(|since| since.elapsed());
        if took >= Some(limit) {
            return true;
        }
        // An execution that started meanwhile gets the full limit.
        let pause = limit.saturating_sub(took.unwrap_or_default()).max(Duration::from_millis(1));
        if over.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
