//! A claim on the mean of a number.

use super::Error;

/// The least and the largest number that an execution can return, the wanted means, and
/// how far off a mean must be to fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    pub(crate) between: (f64, f64),
    pub(crate) wanted: Wanted,
    pub(crate) margin: f64,
}

/// Which means are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wanted {
    /// From the first to the second.
    Within(f64, f64),
    /// This one or a higher one.
    Above(f64),
    /// This one or a lower one.
    Below(f64),
}

impl Wanted {
    /// The lowest wanted mean, if there is one.
    pub(crate) fn low(self) -> Option<f64> {
        match self {
            Wanted::Within(low, _) | Wanted::Above(low) => Some(low),
            Wanted::Below(_) => None,
        }
    }

    /// The highest wanted mean, if there is one.
    pub(crate) fn high(self) -> Option<f64> {
        match self {
            Wanted::Within(_, high) | Wanted::Below(high) => Some(high),
            Wanted::Above(_) => None,
        }
    }

    pub(super) fn given(self) -> String {
        match self {
            Wanted::Within(low, high) => format!("within = ({low}, {high})"),
            Wanted::Above(low) => format!("above = {low}"),
            Wanted::Below(high) => format!("below = {high}"),
        }
    }
}

impl Mean {
    /// Lets only a mean pass that some program can have and some other one can miss.
    pub(super) fn new(between: (f64, f64), wanted: Wanted, margin: f64) -> Result<Self, Error> {
        let (low, high) = between_two(between)?;
        if let Wanted::Within(from, to) = wanted
            && from > to
        {
            return Err(Error::new(
                "within does not go from low to high",
                format!("within = ({from}, {to})"),
                "write the lower one first",
            ));
        }
        let margin = positive("margin", margin)?;
        // How far a mean can miss each bound.
        let rooms = [
            wanted.low().map(|bound| (bound, bound - low)),
            wanted.high().map(|bound| (bound, high - bound)),
        ];
        for (bound, room) in rooms.into_iter().flatten() {
            if !(low < bound && bound < high) {
                finite("the wanted mean", bound)?;
                return Err(Error::new(
                    "the wanted mean is outside the range that an execution can return",
                    format!("{}, between = ({low}, {high})", wanted.given()),
                    format!(
                        "write a mean above {low} and below {high}, or assert on each execution"
                    ),
                ));
            }
            if margin >= room {
                return Err(Error::new(
                    "a mean that misses the claim by the margin would be outside the range that an execution can return",
                    format!("{}, margin = {margin}, between = ({low}, {high})", wanted.given()),
                    format!("lower the margin below {room}"),
                ));
            }
        }
        Ok(Mean { between: (low, high), wanted, margin })
    }

    /// Puts a number onto the scale from 0 to 1.
    pub(crate) fn scaled(&self, value: f64) -> f64 {
        let (low, high) = self.between;
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Puts a number of the scale from 0 to 1 back onto that of the claim.
    pub(crate) fn unscaled(&self, share: f64) -> f64 {
        let (low, high) = self.between;
        (low + share * (high - low)).clamp(low, high)
    }
}

/// Refuses bounds that are none.
pub(super) fn between_two(between: (f64, f64)) -> Result<(f64, f64), Error> {
    const BETWEEN: &str = "write the smallest and the largest number that an execution can return";
    let (low, high) = (finite("between", between.0)?, finite("between", between.1)?);
    if low >= high {
        return Err(Error::new(
            "between does not go from low to high",
            format!("between = ({low}, {high})"),
            BETWEEN,
        ));
    }
    if !(high - low).is_finite() {
        return Err(Error::new(
            "between is wider than a number can be",
            format!("between = ({low:e}, {high:e})"),
            BETWEEN,
        ));
    }
    Ok((low, high))
}

/// Refuses infinities and NaN.
pub(super) fn finite(name: &'static str, value: f64) -> Result<f64, Error> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(Error::of(name, "is not a finite number", value.to_string(), "write a plain number"))
}

/// Refuses what leaves nothing between what passes and what fails.
pub(super) fn positive(name: &'static str, value: f64) -> Result<f64, Error> {
    if finite(name, value)? > 0.0 {
        return Ok(value);
    }
    Err(Error::of(
        name,
        "is not above 0, so the same program would have to both pass and fail",
        format!("{name} = {value}"),
        "write how far off a program may be before it must fail",
    ))
}
