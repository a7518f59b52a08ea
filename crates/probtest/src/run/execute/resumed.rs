//! One of several async executions on a thread: its state while it isn't polled.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use super::super::saying::Statements;
use super::super::{Observation, here, panics, saying, strays};
use super::{get_ready, settle, settle_input};
use crate::seed::TestRng;

/// The future of a body that borrows its source.
pub type Pending<'a> = Pin<Box<dyn Future<Output = Observation> + 'a>>;

/// Polls a body the way [`super::once`] calls one: with panics caught and its own marks.
pub struct Resumed<'a> {
    body: Option<Pending<'a>>,
    execution: here::Execution,
    marks: here::Marks,
    said: Statements,
    panics: panics::SeenPanics,
}

/// Executes a body, and says whether it drew from its source.
pub async fn execution(
    mut rng: TestRng,
    body: &dyn for<'r> Fn(&'r mut TestRng) -> Pending<'r>,
) -> (Observation, bool) {
    let execution = here::Execution::of(&rng);
    let (marks, observation) = Resumed::new(&mut rng, execution, body).await;
    let observation = settle_input(&mut rng, marks, observation);
    (observation, rng.has_drawn())
}

impl<'a> Resumed<'a> {
    fn new(
        rng: &'a mut TestRng,
        execution: here::Execution,
        body: &dyn for<'r> Fn(&'r mut TestRng) -> Pending<'r>,
    ) -> Self {
        Resumed {
            body: Some(body(rng)),
            execution,
            marks: 0,
            said: Statements::default(),
            panics: panics::SeenPanics::default(),
        }
    }

    /// Calls something that belongs to this execution, and catches panics.
    fn within<T>(&mut self, call: impl FnOnce() -> T) -> (std::thread::Result<T>, here::Outer) {
        get_ready();
        let outer = here::begin(|| self.execution, self.marks);
        self.swap();
        let came_to = catch_unwind(AssertUnwindSafe(call));
        self.execution = here::current().unwrap_or(self.execution);
        self.marks = here::end(&outer);
        (came_to, outer)
    }

    /// Swaps the state of this execution in, and out again.
    fn swap(&mut self) {
        self.said = saying::replace(std::mem::take(&mut self.said));
        self.panics = panics::replace(std::mem::take(&mut self.panics));
    }
}

impl Future for Resumed<'_> {
    type Output = (here::Marks, Observation);

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let Some(mut body) = this.body.take() else {
            return Poll::Pending;
        };
        let (polled, _outer) = this.within(|| match body.as_mut().poll(context) {
            Poll::Ready(observation) => {
                // Drop what the body holds while this still counts as its execution.
                drop(body);
                Ok(observation)
            }
            Poll::Pending => Err(body),
        });
        let observation = match polled {
            Ok(Err(body)) => {
                this.body = Some(body);
                this.swap();
                return Poll::Pending;
            }
            Ok(Ok(observation)) => observation,
            Err(payload) => panics::caught(payload),
        };
        let observation = match this.marks & !here::OF_INPUTS {
            0 if !strays::is_news() => observation,
            marks => settle(marks, observation),
        };
        this.swap();
        Poll::Ready((this.marks, observation))
    }
}

impl Drop for Resumed<'_> {
    /// Drops a body that is no longer needed, whose destructors may panic.
    fn drop(&mut self) {
        if let Some(body) = self.body.take() {
            let (dropped, _outer) = self.within(|| drop(body));
            if let Err(payload) = dropped {
                panics::drop_quietly(payload);
            }
            self.swap();
        }
    }
}
