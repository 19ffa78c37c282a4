//! Points in time as people write and read them, in UTC.

/// Microseconds in one second.
const SECOND_US: u64 = 1_000_000;
const DAY_SECONDS: u64 = 86_400;

/// A point in time as RFC 3339 writes it, to the second.
pub(crate) fn rfc3339(us: u64) -> String {
    let (date, seconds) = (date(us), us / SECOND_US % DAY_SECONDS);
    format!("{date}T{:02}:{:02}:{:02}Z", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A point in time for people, to the minute.
pub(crate) fn minute(us: u64) -> String {
    rfc3339(us)[..16].replace('T', " ")
}

/// How long ago something was, in a few characters; a date when that is long.
pub(crate) fn age(now_us: u64, then_us: u64) -> String {
    match now_us.saturating_sub(then_us) / SECOND_US {
        0..10 => "now".to_owned(),
        seconds @ 10..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds / 60),
        seconds @ 3_600..DAY_SECONDS => format!("{}h", seconds / 3_600),
        seconds if seconds < 31 * DAY_SECONDS => format!("{}d", seconds / DAY_SECONDS),
        _ => date(then_us),
    }
}

/// Reads a point in time: RFC 3339, `YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS` (UTC), or microseconds since the epoch.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let problem = || {
        "no point in time since 1970: write 2026-11-30, 2026-11-30T14:05:00Z or microseconds since the epoch"
            .to_owned()
    };
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map_err(|_| problem());
    }
    read(text).and_then(|us| u64::try_from(us).ok()).ok_or_else(problem)
}

fn read(text: &str) -> Option<i64> {
    let mut rest = text;
    let year = digits(&mut rest, 4)?;
    let month = literal(&mut rest, &["-"]).and_then(|()| digits(&mut rest, 2))?;
    let day = literal(&mut rest, &["-"]).and_then(|()| digits(&mut rest, 2))?;
    if !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
        return None;
    }
    let mut us = days_since_epoch(year, month, day) * 86_400 * 1_000_000;
    if rest.is_empty() {
        return Some(us);
    }
    literal(&mut rest, &["T", "t", " "])?;
    let hour = digits(&mut rest, 2)?;
    let minute = literal(&mut rest, &[":"]).and_then(|()| digits(&mut rest, 2))?;
    let second = match literal(&mut rest, &[":"]) {
        Some(()) => digits(&mut rest, 2)?,
        None => 0,
    };
    // 60 is a leap second, which no clock of ours counts.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    us += ((hour * 60 + minute) * 60 + second) * 1_000_000;
    if literal(&mut rest, &["."]).is_some() {
        us += fraction_us(&mut rest)?;
    }
    Some(us - offset_seconds(rest)? * 1_000_000)
}

/// Takes a fraction of a second; what is finer than a microsecond is cut off.
fn fraction_us(rest: &mut &str) -> Option<i64> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (fraction, after) = rest.split_at(length);
    *rest = after;
    let micros: String = fraction.chars().chain("000000".chars()).take(6).collect();
    (length > 0).then(|| micros.parse().ok())?
}

fn offset_seconds(mut rest: &str) -> Option<i64> {
    if matches!(rest, "" | "Z" | "z") {
        return Some(0);
    }
    let sign =
        if literal(&mut rest, &["-"]).is_some() { -1 } else { literal(&mut rest, &["+"]).map(|()| 1)? };
    let hours = digits(&mut rest, 2)?;
    let minutes = literal(&mut rest, &[":"]).and_then(|()| digits(&mut rest, 2))?;
    (rest.is_empty() && hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}

fn digits(rest: &mut &str, count: usize) -> Option<i64> {
    let number = rest.get(..count).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
    *rest = &rest[count..];
    number.parse().ok()
}

fn literal(rest: &mut &str, any_of: &[&str]) -> Option<()> {
    *rest = any_of.iter().find_map(|literal| rest.strip_prefix(literal))?;
    Some(())
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Counts the days from 1970-01-01 to a date of the Gregorian calendar.
///
/// The year is taken to begin in March, so that the leap day is its last; 400 years are 146,097 days.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + year * 365 + year / 4 - year / 100 + day_of_year - 719_468
}

/// The date of a point in time, `YYYY-MM-DD`.
fn date(us: u64) -> String {
    let days = us / SECOND_US / DAY_SECONDS + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_reads_back_from_what_it_shows() {
        // Four centuries and a bit, so that every kind of leap year is met.
        for day in (0..170_000).chain(2_932_800..2_932_897) {
            let us = day * DAY_SECONDS * SECOND_US + 5 * SECOND_US;
            assert_eq!(parse(&rfc3339(us)), Ok(us), "{}", rfc3339(us));
        }
    }

    #[test]
    fn a_time_is_read_in_each_of_its_spellings() {
        let us = 1_796_047_200_000_000;
        assert_eq!(rfc3339(us), "2026-11-30T14:00:00Z");
        assert_eq!(minute(us), "2026-11-30 14:00");
        for text in [
            "2026-11-30T14:00:00Z",
            "2026-11-30t14:00:00z",
            "2026-11-30 14:00",
            "2026-11-30T14:00:00",
            "2026-11-30T15:30:00.000+01:30",
            "2026-11-30T09:00:00-05:00",
            "1796047200000000",
        ] {
            assert_eq!(parse(text), Ok(us), "{text}");
        }
        assert_eq!(parse("2026-11-30T14:00:00.1234567Z"), Ok(us + 123_456));
        assert_eq!(parse("2026-11-30"), Ok(us - 14 * 3_600 * SECOND_US));
        assert_eq!(parse("1970-01-01"), Ok(0));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-29",
            "2026-11-30T",
            "2026-11-30T24:00:00",
            "2026-11-30T14:00:00+1",
            "2026-11-30T14:00:00Zx",
            "1969-12-31",
            "20é6-11-30",
            "99999999999999999999",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ages_are_short() {
        let now = 1_796_047_200_000_000;
        let ago = |seconds: u64| age(now, now - seconds * SECOND_US);
        assert_eq!(
            [ago(0), ago(59), ago(60), ago(7_200), ago(3 * 86_400), ago(40 * 86_400)],
            ["now", "59s", "1m", "2h", "3d", "2026-10-21"]
        );
        assert_eq!(age(now, now + 5), "now");
    }
}
