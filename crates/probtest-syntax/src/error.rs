//! Errors about something that you wrote.

use std::borrow::Cow;
use std::fmt;

/// Why something was refused: what is wrong, what was given, what to do.
///
/// ```
/// use probtest_syntax::Probability;
///
/// let error = Probability::parse("1.5").unwrap_err().about("p");
/// assert_eq!(error.given(), "1.5");
/// assert_eq!(
///     error.to_string(),
///     "p is not strictly between 0 and 1\n  given  1.5\n  help   write a probability such as 0.01, 1e-3 or 1/1024"
/// );
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Error(Box<ErrorParts>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct ErrorParts {
    /// Where it came from, such as a variable; empty if that is obvious.
    context: String,
    /// The name of the quantity; empty if the sentence has its own subject.
    subject: Cow<'static, str>,
    what: Cow<'static, str>,
    given: String,
    help: Cow<'static, str>,
}

impl Error {
    /// Makes an error from a whole sentence.
    pub fn new(
        what: impl Into<Cow<'static, str>>,
        given: impl Into<String>,
        help: impl Into<Cow<'static, str>>,
    ) -> Self {
        Error::of("", what, given, help)
    }

    /// Makes an error about a quantity: its name, then the rest of the sentence.
    pub fn of(
        subject: impl Into<Cow<'static, str>>,
        what: impl Into<Cow<'static, str>>,
        given: impl Into<String>,
        help: impl Into<Cow<'static, str>>,
    ) -> Self {
        Error(Box::new(ErrorParts {
            context: String::new(),
            subject: subject.into(),
            what: what.into(),
            given: given.into(),
            help: help.into(),
        }))
    }

    /// Calls the quantity by the name that the user knows.
    #[must_use]
    pub fn about(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        if !self.0.subject.is_empty() {
            self.0.subject = name.into();
        }
        self
    }

    /// Adds where the value came from.
    #[must_use]
    pub fn from_place(mut self, context: impl Into<String>) -> Self {
        self.0.context = context.into();
        self
    }

    /// Replaces the value that was given.
    #[must_use]
    pub fn with_given(mut self, given: impl Into<String>) -> Self {
        self.0.given = given.into();
        self
    }

    /// Replaces the help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.0.help = help.into();
        self
    }

    /// What is wrong, in one sentence.
    pub fn what(&self) -> String {
        let ErrorParts { context, subject, what, .. } = &*self.0;
        let colon = if context.is_empty() { "" } else { ": " };
        let blank = if subject.is_empty() { "" } else { " " };
        format!("{context}{colon}{subject}{blank}{what}")
    }

    /// What was given.
    pub fn given(&self) -> &str {
        &self.0.given
    }

    /// What to do.
    pub fn help(&self) -> &str {
        &self.0.help
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, given, help) = (self.what(), self.given(), self.help());
        write!(f, "{what}\n  given  {given}\n  help   {help}")
    }
}

impl fmt::Debug for Error {
    /// The same as `Display`, because `unwrap` and `?` in `main` show this.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Error {}
