//! Numbers as ECMAScript writes them.

/// Writes a JSON number in its canonical form.
pub(super) fn push(out: &mut String, written: &str) -> Option<()> {
    let number: f64 = written.parse().ok()?;
    if !number.is_finite() {
        out.push_str(written);
        return Some(());
    }
    if number == 0.0 {
        out.push('0');
        return Some(());
    }
    if number < 0.0 {
        out.push('-');
    }
    // Rust writes the fewest digits that give the same number back, as ECMAScript does; only the layout differs.
    let shortest = format!("{:e}", number.abs());
    let (mantissa, exponent) = shortest.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let (count, point) = (digits.len() as i32, exponent + 1);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if count <= point && point <= 21 {
        out.push_str(&digits);
        out.push_str(&zeros(point - count));
    } else if 0 < point && point <= 21 {
        let (whole, rest) = digits.split_at(point as usize);
        out.push_str(&format!("{whole}.{rest}"));
    } else if -6 < point && point <= 0 {
        out.push_str(&format!("0.{}{digits}", zeros(-point)));
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("{first}{dot}{rest}e{sign}{}", exponent.abs()));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    fn canonical(written: &str) -> String {
        let mut out = String::new();
        super::push(&mut out, written).unwrap();
        out
    }

    #[test]
    fn numbers_have_the_form_of_ecmascript() {
        let cases = [
            ("0", "0"),
            ("-0", "0"),
            ("1.0", "1"),
            ("-12.50", "-12.5"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("9007199254740993", "9007199254740992"),
            ("295147905179352830000", "295147905179352830000"),
            ("1e21", "1e+21"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("1e400", "1e400"),
        ];
        for (written, wanted) in cases {
            assert_eq!(canonical(written), wanted);
        }
    }
}
