//! What a question answers: a measurement, its bound, and whether it holds.

/// The head of the table that [`Figure::markdown`] gives rows for.
pub(crate) const MARKDOWN_HEAD: &str = "| what | measured | bound | |\n|---|---|---|---|";

/// One measurement.
pub(crate) struct Figure {
    what: String,
    measured: String,
    bound: String,
    holds: Option<bool>,
}

impl Figure {
    /// A measurement that is to be at most `most`, both in `unit`.
    pub(crate) fn at_most(what: &str, measured: f64, most: f64, unit: &str, how: &str) -> Self {
        Self {
            what: what.to_owned(),
            measured: format!("{} ({how})", amount(measured, unit)),
            bound: format!("≤ {}", amount(most, unit)),
            holds: Some(measured <= most),
        }
    }

    /// A measurement that is to be at most so many times another; both stand beside the ratio.
    pub(crate) fn ratio(what: &str, (ours, theirs): (f64, f64), most: f64, unit: &str) -> Self {
        let how = format!("{} : {}", amount(ours, unit), amount(theirs, unit));
        Self::at_most(what, ours / theirs, most, "×", &how)
    }

    /// Something that could not be measured here, and why.
    pub(crate) fn missing(what: &str, why: &str) -> Self {
        Self::told(what, why)
    }

    /// A measurement without a bound, which helps to read the others.
    pub(crate) fn told(what: &str, measured: &str) -> Self {
        Self { what: what.to_owned(), measured: measured.to_owned(), bound: String::new(), holds: None }
    }

    /// The figure as a line.
    pub(crate) fn line(&self) -> String {
        format!("{:<5} {:<58} {:<40} {}", self.verdict(), self.what, self.measured, self.bound)
    }

    /// The figure as a row of a table.
    pub(crate) fn markdown(&self) -> String {
        format!("| {} | {} | {} | {} |", self.what, self.measured, self.bound, self.verdict())
    }

    fn verdict(&self) -> &'static str {
        match self.holds {
            Some(true) => "ok",
            Some(false) => "OVER",
            None => "-",
        }
    }
}

fn amount(value: f64, unit: &str) -> String {
    let digits = match value.abs() {
        0.0 => 0,
        _ if value.fract() == 0.0 => 0,
        small if small < 10.0 => 2,
        middle if middle < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}
