//! The piece of a text that shows why it was found.

/// How many characters a snippet shows before and after what was found.
const AROUND: usize = 40;

/// A piece of a text around the first of the words in it; its beginning when none stands there literally.
pub(super) fn of(text: &str, needles: &[String]) -> String {
    let characters: Vec<char> = text.chars().collect();
    // Lower-casing may change how many characters there are; then places are only near.
    let lower: Vec<char> = characters.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let place = |needle: &String| {
        let needle: Vec<char> = needle.chars().collect();
        let at = lower.windows(needle.len().max(1)).position(|window| window == needle)?;
        Some((at, needle.len()))
    };
    let (at, length) = needles.iter().filter_map(place).min().unwrap_or((0, 0));
    let begin = at.saturating_sub(AROUND);
    let end = (at + length + AROUND).min(characters.len());
    let mut snippet = String::new();
    if begin > 0 {
        snippet.push('…');
    }
    snippet.extend(characters[begin..end].iter().map(|c| if c.is_whitespace() { ' ' } else { *c }));
    if end < characters.len() {
        snippet.push('…');
    }
    snippet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_shows_what_was_found() {
        let text = format!("{} Tea\nover coffee {}", "x".repeat(100), "y".repeat(100));
        let snippet = of(&text, &["tea".to_owned()]);
        assert!(
            snippet.starts_with('…') && snippet.ends_with('…') && snippet.contains("Tea over coffee"),
            "{snippet}"
        );
        assert_eq!(of("short", &["nowhere".to_owned()]), "short");
        assert_eq!(of("", &[String::new()]), "");
    }
}
