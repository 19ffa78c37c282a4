//! Stamps as others write them: seconds with a fraction.

/// Reads a JSON number of seconds to the nearest microsecond; nothing when it is no number that fits.
pub fn micros(written: &str) -> Option<i64> {
    exact(written).or_else(|| {
        let micros = (written.parse::<f64>().ok()? * 1e6).round();
        // Beyond these a double no longer tells microseconds apart, and no clock ever showed them.
        (micros.abs() < 9e18).then_some(micros as i64)
    })
}

/// Reads decimal digits as they are, because a double may lie half a microsecond beside them.
fn exact(written: &str) -> Option<i64> {
    let (negative, digits) = match written.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, written),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 13 || !plain(whole) || !plain(fraction) {
        return None;
    }
    let mut micros: i64 = whole.parse::<i64>().ok()?.checked_mul(1_000_000)?;
    for (index, digit) in fraction.bytes().take(7).enumerate() {
        let digit = i64::from(digit - b'0');
        micros += match index {
            0..6 => digit * 10_i64.pow(5 - index as u32),
            _ => i64::from(digit >= 5),
        };
    }
    Some(if negative { -micros } else { micros })
}

/// Writes microseconds as seconds, so that [`micros`] reads the same back.
pub fn seconds(micros: i64) -> String {
    let sign = if micros < 0 { "-" } else { "" };
    let micros = micros.unsigned_abs();
    format!("{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_to_the_nearest_microsecond() {
        assert_eq!(micros("1764511200.123456"), Some(1_764_511_200_123_456));
        assert_eq!(micros("1796073533.82793"), Some(1_796_073_533_827_930));
        assert_eq!(micros("100"), Some(100_000_000));
        assert_eq!(micros("0.0000005"), Some(1));
        assert_eq!(micros("-1.5"), Some(-1_500_000));
        assert_eq!(micros("1.7645112e9"), Some(1_764_511_200_000_000));
        assert_eq!(micros("1e300"), None);
        assert_eq!(micros("\"1\""), None);
        assert_eq!(micros("null"), None);
    }

    #[test]
    fn what_was_written_reads_back() {
        for us in [0, 1, -1, 999_999, -1_500_000, 1_764_511_200_123_456, 253_402_300_799_999_999] {
            assert_eq!(micros(&seconds(us)), Some(us));
        }
    }
}
