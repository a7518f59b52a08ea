//! From values to places.

/// An axis without its looks: which value lies where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    values: (f64, f64),
    places: (f64, f64),
    logarithmic: bool,
}

impl Scale {
    /// An even scale.
    pub fn linear(values: (f64, f64), places: (f64, f64)) -> Self {
        Scale {
            values,
            places,
            logarithmic: false,
        }
    }

    /// A logarithmic scale; values are above zero.
    ///
    /// ```
    /// use probtest_paper::draw::Scale;
    ///
    /// let scale = Scale::logarithmic((0.001, 0.1), (0.0, 100.0));
    /// assert!((scale.at(0.01) - 50.0).abs() < 1e-9);
    /// ```
    pub fn logarithmic(values: (f64, f64), places: (f64, f64)) -> Self {
        Scale {
            values,
            places,
            logarithmic: true,
        }
    }

    /// Where a value lies; values beyond the ends lie at the ends.
    pub fn at(&self, value: f64) -> f64 {
        let axis = |value: f64| if self.logarithmic { value.ln() } else { value };
        let (low, high) = (axis(self.values.0), axis(self.values.1));
        let part = ((axis(value) - low) / (high - low)).clamp(0.0, 1.0);
        self.places.0 + (self.places.1 - self.places.0) * part
    }
}
