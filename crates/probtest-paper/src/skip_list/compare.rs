//! When two lists are equal, when they are equivalent, and how they print.

use std::fmt;

use super::{NodeRef, SkipList};

impl SkipList {
    /// Says whether both hold the same keys, whatever their levels.
    ///
    /// ```
    /// use probtest::seed::{RunSeed, Stream};
    /// use probtest_paper::skip_list::{Parameters, SkipList};
    ///
    /// let stream = Stream::new(RunSeed(1), "example");
    /// let mut low = SkipList::new(Parameters::new(0.001, 3)?);
    /// let mut high = SkipList::new(Parameters::new(0.999, 3)?);
    /// low.insert(5, &mut stream.execution(1));
    /// high.insert(5, &mut stream.execution(1));
    /// assert!(low.is_equivalent(&high));
    /// assert_ne!(low, high);
    /// # Ok::<(), probtest_paper::skip_list::ParameterError>(())
    /// ```
    pub fn is_equivalent(&self, other: &SkipList) -> bool {
        self.keys().eq(other.keys())
    }
}

/// Lists are equal when their levels hold the same keys and their pointers lead
/// to the same places.
impl PartialEq for SkipList {
    fn eq(&self, other: &SkipList) -> bool {
        self.height() == other.height()
            && (1..=self.height()).all(|level| same_level(self, other, level))
    }
}

fn same_level(a: &SkipList, b: &SkipList, level: usize) -> bool {
    let (mut left, mut right) = (a.level(level), b.level(level));
    let below = || a.level(level - 1).zip(b.level(level - 1));
    let mut ahead = below();
    loop {
        let (left, right) = match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) if left.key() == right.key() => (left, right),
            _ => return false,
        };
        let (left, right) = match (left.lower(), right.lower()) {
            (None, None) => continue,
            (Some(left), Some(right)) if left.key() == right.key() => (left, right),
            _ => return false,
        };
        let either = |(l, r): &(NodeRef<'_>, NodeRef<'_>)| l.is(&left) || r.is(&right);
        // In a valid list the nodes below lie ahead, and one walk is enough.
        let mut walk = ahead.clone();
        let place = match walk.find(either) {
            Some(place) => {
                ahead = walk;
                Some(place)
            }
            None => below().find(either),
        };
        // Both point to the same place of the level below, or both to none of it.
        if place.is_some_and(|(l, r)| !(l.is(&left) && r.is(&right))) {
            return false;
        }
    }
}

/// One line for each level, the highest first, as in the paper:
///
/// ```
/// use probtest::seed::{RunSeed, Stream};
/// use probtest_paper::skip_list::{Parameters, SkipList};
///
/// let mut rng = Stream::new(RunSeed(2), "example").execution(1);
/// let mut list = SkipList::new(Parameters::new(0.999, 2)?);
/// list.insert(16, &mut rng);
/// list.insert(15, &mut rng);
/// assert_eq!(list.to_string(), "15 -> 16 -> None\n15 -> 16 -> None");
/// # Ok::<(), probtest_paper::skip_list::ParameterError>(())
/// ```
impl fmt::Display for SkipList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for level in (1..=self.height()).rev() {
            for node in self.level(level) {
                write!(f, "{} -> ", node.key())?;
            }
            f.write_str(if level > 1 { "None\n" } else { "None" })?;
        }
        Ok(())
    }
}

/// Key and neighbours, as in the paper: `12 (next: None, lower: 12)`.
impl fmt::Display for NodeRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |node: Option<NodeRef<'_>>| {
            node.map_or_else(|| "None".to_owned(), |node| node.key().to_string())
        };
        let (next, lower) = (name(self.next()), name(self.lower()));
        write!(f, "{} (next: {next}, lower: {lower})", self.key())
    }
}
