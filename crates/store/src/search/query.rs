//! What somebody searches for: words, phrases in quotes, prefixes with a star.

use super::words::is_cjk;

/// A query, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// The expression for the index; it can be no wrong one.
    pub(super) expression: String,
    /// The words themselves, for the snippet.
    pub(super) needles: Vec<String>,
}

impl Query {
    /// Reads a query; nothing when it names no word.
    pub(super) fn read(asked: &str) -> Option<Self> {
        let mut query = Self { expression: String::new(), needles: Vec::new() };
        for (index, part) in asked.split('"').enumerate() {
            if index % 2 == 1 {
                query.phrase(part, false);
                continue;
            }
            for word in part.split_whitespace() {
                let stem = word.trim_end_matches('*');
                query.phrase(stem, stem.len() < word.len());
            }
        }
        (!query.expression.is_empty()).then_some(query)
    }

    /// Adds words that have to stand next to one another; of the last one perhaps only the beginning.
    fn phrase(&mut self, text: &str, prefix: bool) {
        let (tokens, open) = tokens(text);
        if tokens.is_empty() {
            return;
        }
        let and = if self.expression.is_empty() { "" } else { " AND " };
        let star = if prefix || open { " *" } else { "" };
        self.expression.push_str(&format!("{and}\"{}\"{star}", tokens.join(" ")));
        self.needles.push(text.to_lowercase());
    }
}

/// The tokens of a text as the index has them, and whether the last is a lone character that may begin a pair.
fn tokens(text: &str) -> (Vec<String>, bool) {
    let mut tokens: Vec<String> = Vec::new();
    let mut open = false;
    let mut word = String::new();
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        let c = characters[at];
        if !is_cjk(c) {
            // What is neither letter nor digit only separates, as in the index.
            if c.is_alphanumeric() || is_mark(c) {
                word.push(c);
                open = false;
            } else if !word.is_empty() {
                tokens.push(std::mem::take(&mut word));
            }
            at += 1;
            continue;
        }
        if !word.is_empty() {
            tokens.push(std::mem::take(&mut word));
        }
        let end = characters[at..].iter().position(|c| !is_cjk(*c)).map_or(characters.len(), |n| at + n);
        let run = &characters[at..end];
        tokens.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
        open = run.len() == 1;
        if open {
            tokens.push(run.iter().collect());
        } else if end < characters.len() && characters[end..].iter().any(|c| c.is_alphanumeric()) {
            // In the index the run's last character stands between its last pair and what follows.
            tokens.extend(run.last().map(char::to_string));
        }
        at = end;
    }
    if !word.is_empty() {
        tokens.push(word);
    }
    (tokens, open)
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(asked: &str) -> String {
        Query::read(asked).map(|query| query.expression).unwrap_or_default()
    }

    #[test]
    fn words_phrases_and_prefixes() {
        assert_eq!(expression("tea \"over coffee\" mor*"), "\"tea\" AND \"over coffee\" AND \"mor\" *");
        assert_eq!(expression("a-b"), "\"a b\"");
        assert_eq!(expression("\"unclosed words"), "\"unclosed words\"");
        assert_eq!(expression("* \" - ( OR"), "\"OR\"");
        assert_eq!(expression("  "), "");
    }

    #[test]
    fn chinese_is_asked_for_in_pairs() {
        assert_eq!(expression("数据"), "\"数据\"");
        assert_eq!(expression("数据库"), "\"数据 据库\"");
        assert_eq!(expression("数"), "\"数\" *");
        assert_eq!(expression("数据x"), "\"数据 据 x\"");
    }
}
