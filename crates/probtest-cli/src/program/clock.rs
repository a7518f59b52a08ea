//! Is the program seeded from the clock?
//!
//! Such a program does the same in all executions that start within one second. Its output shows
//! that if it depends on what was drawn: it is equal within each second, and differs between some.
//! Times in the output are ignored, since they change with the clock in any program. If the whole
//! plan runs within one second and writes the same, some of its executions run again in the next
//! second. A program that writes nothing, or the same every time, can't be told from one with good
//! seeds.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many executions to check: the first ones.
const MOST: usize = 4096;
/// The chance of taking independent executions for copies.
const FALSE_ALARM: f64 = 1e-9;
/// A run that spans fewer seconds than this may be too short to tell.
const FEW: usize = 8;
/// A number this close to the clock is a time.
const NEAR: f64 = 2.0 * 86_400.0;

/// What the first executions wrote, and when.
#[derive(Debug, Default)]
pub struct ClockWatch {
    /// The second in which each one ran, and a hash of its output.
    seen: Vec<(u64, u64)>,
}

/// The time since 1970.
pub fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl ClockWatch {
    /// Whether to check more executions.
    pub fn looks(&self) -> bool {
        self.seen.len() < MOST
    }

    /// Takes what an execution wrote between two moments. An execution that spans two seconds may
    /// have read either.
    pub fn take(&mut self, began: Duration, ended: Duration, output: &[u8]) {
        let second = began.as_secs();
        if self.looks() && second == ended.as_secs() && !output.is_empty() {
            self.seen.push((second, fingerprint(output, began)));
        }
    }

    /// The last second, if all executions ran within a few seconds and wrote the same in each: then
    /// the following seconds tell more.
    pub fn last_of_few(&self) -> Option<u64> {
        let seconds = self.outputs_of_seconds()?;
        let (last, _) = seconds.last_key_value()?;
        (seconds.len() <= FEW && self.seen.len() > 1 && self.looks()).then_some(*last)
    }

    /// Whether the last execution wrote the same as one in an earlier second.
    pub fn has_come_back(&self) -> bool {
        self.seen.split_last().is_none_or(|((second, last), rest)| {
            rest.iter().any(|(other, output)| other != second && output == last)
        })
    }

    /// Whether the executions were copies within each second, which independent ones would hardly
    /// ever be.
    ///
    /// Independent executions may come in any order. Of all orders of the outputs, those that are
    /// constant within each of `g` seconds give each of the `k` different outputs at least one
    /// second: there are at most `k! C(g, k) k^(g-k)`, and at most `k^g`.
    pub fn is_seed(&self) -> bool {
        let Some(seconds) = self.outputs_of_seconds() else {
            return false;
        };
        let mut outputs: BTreeMap<u64, u64> = BTreeMap::new();
        for (_, output) in &self.seen {
            *outputs.entry(*output).or_default() += 1;
        }
        // Each second has one output, so there are at most as many outputs.
        let (k, g) = (outputs.len() as u64, seconds.len() as u64);
        let (each, rest) = ((k as f64).ln(), g - k);
        let covering = log_factorial(g) - log_factorial(rest) + rest as f64 * each;
        let different = covering.min(g as f64 * each);
        let orders = log_factorial(self.seen.len() as u64);
        let orders = orders - outputs.values().map(|count| log_factorial(*count)).sum::<f64>();
        different - orders < FALSE_ALARM.ln()
    }

    /// The output of each second; `None` if two executions wrote different things in the same
    /// second.
    fn outputs_of_seconds(&self) -> Option<BTreeMap<u64, u64>> {
        let mut seconds = BTreeMap::new();
        for (second, output) in &self.seen {
            if seconds.entry(*second).or_insert(*output) != output {
                return None;
            }
        }
        Some(seconds)
    }
}

fn log_factorial(n: u64) -> f64 {
    (2..=n).map(|k| (k as f64).ln()).sum()
}

/// A hash of an output without the times in it.
fn fingerprint(output: &[u8], now: Duration) -> u64 {
    let of_number = |byte: &u8| byte.is_ascii_digit() || b":.,-/+".contains(byte);
    let mut hasher = DefaultHasher::new();
    for part in output.chunk_by(|one, other| of_number(one) == of_number(other)) {
        match part.first() {
            Some(first) if of_number(first) && is_time(part, now) => hasher.write_u8(0),
            _ => hasher.write(part),
        }
    }
    hasher.finish()
}

/// Whether digits are a date, a time of day, or the clock in seconds or fractions of them.
fn is_time(digits: &[u8], now: Duration) -> bool {
    let between =
        |sign: u8| digits.split(move |byte| *byte == sign).filter(|part| !part.is_empty());
    if between(b':').count() > 1 || between(b'-').count() > 2 || between(b'/').count() > 2 {
        return true;
    }
    let text = String::from_utf8_lossy(digits);
    let number: Option<f64> = text.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok();
    number.is_some_and(|number| {
        [1.0, 1e3, 1e6, 1e9].iter().any(|unit| (number / unit - now.as_secs_f64()).abs() < NEAR)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN: u64 = 1_800_000_000;

    /// Whether a seed is detected in a program's output, by the time and the number of each
    /// execution.
    fn watched(count: u64, millis: u64, write: impl Fn(Duration, u64) -> String) -> bool {
        let mut watch = ClockWatch::default();
        for execution in 0..count {
            let began = Duration::from_secs(BEGAN) + Duration::from_millis(millis * execution);
            let ended = began + Duration::from_millis(millis - 1);
            watch.take(began, ended, write(began, execution).as_bytes());
        }
        watch.is_seed()
    }

    fn mixed(number: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(number);
        hasher.finish() % 1000
    }

    #[test]
    fn a_seed_from_the_clock_is_seen_after_a_second() {
        let seeded = |began: Duration, _| format!("drew {}\n", mixed(began.as_secs()));
        assert!(watched(75, 20, seeded));
        // Within one second there is nothing to compare with.
        assert!(!watched(50, 20, seeded));
        // Two values in six seconds are still one per second.
        assert!(watched(300, 20, |began, _| format!("{}\n", began.as_secs() / 3 % 2)));
        // If executions take 0.41 s, one or two are within a second.
        assert!(watched(59, 410, |began, _| (began.as_secs() * 7919).to_string()));
    }

    #[test]
    fn independent_executions_and_times_in_the_output_are_no_doubt() {
        assert!(!watched(300, 20, |_, execution| format!("drew {}\n", mixed(execution))));
        assert!(!watched(300, 20, |_, _| "ok\n".into()));
        assert!(!watched(300, 20, |_, _| String::new()));
        // Rarely something else, in any second.
        assert!(!watched(300, 20, |_, execution| format!("{}\n", execution % 97 == 5)));
        // Output that changes slowly, but not with the second.
        assert!(!watched(300, 20, |_, execution| format!("{} MB free\n", execution / 70)));
        let times: [fn(u64) -> String; 4] = [
            |seconds| format!("[01:02:{:02}] done\n", seconds % 60),
            |seconds| format!("2027-01-15T08:00:{:02}.123 done\n", seconds % 60),
            |seconds| format!("{seconds} done\n"),
            |seconds| format!("at {seconds}000 ms: done\n"),
        ];
        for time in times {
            assert!(!watched(300, 20, |began, _| time(began.as_secs())));
        }
    }

    /// A watch on one-letter outputs, by the second in which each was written.
    fn seen(outputs: &[(u64, &str)]) -> ClockWatch {
        let mut watch = ClockWatch::default();
        for (second, output) in outputs {
            let began = Duration::from_secs(BEGAN + second);
            watch.take(began, began, output.as_bytes());
        }
        watch
    }

    #[test]
    fn a_run_of_few_seconds_is_followed_while_each_of_them_wrote_the_same() {
        let last = |outputs: &[(u64, &str)]| seen(outputs).last_of_few();
        assert_eq!(last(&[(0, "a"), (0, "a")]), Some(BEGAN));
        assert_eq!(last(&[(0, "a"), (1, "b"), (1, "b")]), Some(BEGAN + 1));
        // Programs that end in a different order than they started.
        assert_eq!(last(&[(1, "b"), (0, "a")]), Some(BEGAN + 1));
        // One execution can't be a copy, and a second with two outputs has no copies.
        assert_eq!(last(&[]), None);
        assert_eq!(last(&[(0, "a")]), None);
        assert_eq!(last(&[(0, "a"), (0, "b")]), None);
        let of_seconds = |count| -> Vec<(u64, &str)> {
            let both = |second| [(second, "a"), (second, "a")];
            (0..count).flat_map(both).collect()
        };
        assert_eq!(last(&of_seconds(FEW as u64)), Some(BEGAN + FEW as u64 - 1));
        assert_eq!(last(&of_seconds(FEW as u64 + 1)), None);
        let full = vec![(0, "a"); MOST];
        assert_eq!(last(&full), None);
        assert_eq!(last(&full[1..]), Some(BEGAN));
    }

    #[test]
    fn an_output_has_come_back_when_an_earlier_second_wrote_it() {
        let back = |outputs: &[(u64, &str)]| seen(outputs).has_come_back();
        assert!(back(&[(0, "a"), (1, "a")]));
        assert!(back(&[(0, "a"), (1, "b"), (2, "a")]));
        assert!(!back(&[(0, "a"), (0, "a")]));
        assert!(!back(&[(0, "a"), (1, "b"), (1, "b")]));
        assert!(!back(&[(0, "a"), (1, "a"), (2, "b")]));
        // If there is nothing to check, there is nothing to wait for.
        assert!(back(&[]));
    }
}
