//! How a value is tied to its label, before it or after it.

use super::label::{Label, Labelled};
use super::value::is_one_of;

/// How a value is tied to its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// `=`
    Equals,
    /// `:`
    Colon,
    /// "is", "was changed to", …
    Is,
    /// It follows the label, with nothing between.
    Beside,
    /// It stands before "as the" or "is the".
    Before,
}

/// A value beside a label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'t> {
    pub(super) text: &'t str,
    /// Whether quotation marks are around it.
    pub(super) quoted: bool,
    /// The sentence ends with it.
    pub(super) last: bool,
    /// The word after it.
    pub(super) next: &'t str,
}

/// How the text goes on after a label: the tie, and what follows it.
pub(super) fn tied<'t>(labelled: &Labelled<'t>) -> Option<(Tie, &'t str)> {
    let mut rest = labelled.after().trim_start_matches(['"', '\'', '`', '*', ']', '”', '’']);
    let label = labelled.name();
    if label.ends_with("no") || label.ends_with("No") {
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    // `password (root): …`
    if let Some(inside) = rest.trim_start_matches(' ').strip_prefix('(')
        && let Some((inside, after)) = inside.split_once(')')
        && inside.len() <= 40
    {
        if symbol(after).is_none()
            && !first_word(after).is_some_and(|(word, _)| word == "to" || is_one_of(word, VERBS))
        {
            return Some((Tie::Beside, inside));
        }
        rest = after;
    }
    if let Some(tie) = symbol(rest) {
        return Some(tie);
    }
    if let Some((word, after)) = first_word(rest) {
        if is_one_of(word, VERBS) {
            return Some((Tie::Is, skip_verbs(rest)));
        }
        if is_one_of(word, PREPOSITIONS) {
            // "changed the password to …"
            let to = is_one_of(word, "to in").then_some((Tie::Beside, after));
            return described(after).or(to);
        }
    }
    for verb in ["是", "为", "為", "は"] {
        if let Some(rest) = rest.trim_start_matches(['号', '碼', '码']).strip_prefix(verb) {
            return Some((Tie::Is, rest));
        }
    }
    rest.starts_with([' ', '\n']).then_some((Tie::Beside, rest))
}

/// Passes over what a label belongs to, "the router in the cellar", not beyond the sentence.
fn described(mut rest: &str) -> Option<(Tie, &str)> {
    for _ in 0..9 {
        rest = rest.trim_start_matches([' ', '\t']);
        let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        if is_one_of(word, VERBS) {
            return Some((Tie::Is, skip_verbs(rest)));
        }
        if matches!(word, "=" | ":") || word.ends_with([':', '：']) {
            return Some((Tie::Colon, after));
        }
        if word.is_empty() || word.ends_with(['.', ';', '!', '?', ',']) {
            return None;
        }
        rest = after;
    }
    None
}

/// The words between a label and its value.
const VERBS: &str = "\
    is was are ist war lautet est es equals becomes will should be has been changed set reset now \
    currently still temporarily always";

const PREPOSITIONS: &str = "\
    for of on to at in from für vom von zum zur pour de del du";

/// The tie that a symbol makes.
fn symbol(rest: &str) -> Option<(Tie, &str)> {
    let rest = rest.trim_start_matches(['"', '\'', '`', '*', ']', ' ', '号', '碼']);
    let ties = [
        ("|", Tie::Beside),
        (":=", Tie::Equals),
        ("=>", Tie::Equals),
        ("==", Tie::Equals),
        ("=", Tie::Equals),
        ("->", Tie::Colon),
        ("→", Tie::Colon),
        (":", Tie::Colon),
        ("：", Tie::Colon),
    ];
    let (sign, tie) = ties.into_iter().find(|(sign, _)| rest.starts_with(sign))?;
    let after = &rest[sign.len()..];
    // `password::hash` is a path in a program.
    (!after.starts_with(':')).then_some((tie, after))
}

/// The first word of what follows, after white space or nothing; none where a sentence ends.
pub(super) fn first_word(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.trim_start_matches([' ', '\t']);
    let length =
        rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '\'' | '_')).unwrap_or(rest.len());
    (length > 0).then(|| rest.split_at(length))
}

/// Passes over "is now set to".
fn skip_verbs(mut rest: &str) -> &str {
    while let Some((word, after)) = first_word(rest)
        && (is_one_of(word, VERBS) || word == "to")
    {
        rest = after;
    }
    rest.strip_prefix(':').unwrap_or(rest)
}

const OPENING: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('«', '»'), ('„', '“')];

/// The value that a text begins with.
pub(super) fn value_at(rest: &str) -> Option<Value<'_>> {
    let rest = rest.trim_start_matches([' ', '\t', '*']);
    let first = rest.chars().next()?;
    if let Some((_, closing)) = OPENING.into_iter().find(|(opening, _)| *opening == first) {
        let inside = &rest[first.len_utf8()..];
        let end = inside.find(closing)?;
        return Some(Value { text: &inside[..end], quoted: true, last: true, next: "" });
    }
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let token = &rest[..end];
    // What an assignment in a link or a list of arguments ends with.
    let token = token.split(['&', ';', ',']).next().unwrap_or_default();
    let text =
        token.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '"', '\'', '`', '>', '*', '?', '”', '。']);
    // An exclamation mark ends a sentence, or a password.
    let text = if text.bytes().any(|byte| byte.is_ascii_digit()) { text } else { text.trim_end_matches('!') };
    let after = &rest[text.len()..];
    let last = after.trim_start_matches([' ', '\t']).chars().next().is_none_or(|c| !c.is_alphanumeric());
    let next = first_word(after).map_or("", |(word, _)| word);
    Some(Value { text, quoted: false, last, next })
}

/// The value that stands before its label: "uses … as the password", "… is the PIN".
pub(super) fn before<'t>(labelled: &Labelled<'t>) -> Option<Value<'t>> {
    if !matches!(labelled.label, Label::Password | Label::Pin) || is_modifier(labelled) {
        return None;
    }
    let mut rest = labelled.before().trim_end_matches([' ', '"', '`']);
    for _ in 0..4 {
        let start = rest
            .rfind(|c: char| !c.is_alphanumeric() && c != '-' && c != '\'')
            .map_or(0, |at| at + rest[at..].chars().next().map_or(0, char::len_utf8));
        let word = &rest[start..];
        if word.is_empty() {
            return None;
        }
        rest = rest[..start].trim_end_matches(' ');
        if is_one_of(word, "as als is ist comme como") {
            return value_before(rest, is_one_of(word, "as als comme como"));
        }
    }
    None
}

fn value_before(rest: &str, used: bool) -> Option<Value<'_>> {
    let last = rest.chars().next_back()?;
    if let Some((opening, _)) = OPENING.into_iter().find(|(_, closing)| *closing == last) {
        let inside = &rest[..rest.len() - last.len_utf8()];
        let start = inside.rfind(opening)? + opening.len_utf8();
        return Some(Value { text: &inside[start..], quoted: true, last: true, next: "" });
    }
    let start = rest
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + rest[at..].chars().next().map_or(0, char::len_utf8));
    let verb = rest[..start].trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    let uses = "use uses used using type types enter enters set sets";
    Some(Value { text: &rest[start..], quoted: false, last: used && is_one_of(verb, uses), next: "" })
}

/// Whether the label only describes the noun after it: "the password manager".
fn is_modifier(labelled: &Labelled<'_>) -> bool {
    const FOLLOW: &str = "\
        for of on in at to and or but everywhere there here when if since because by with until now \
        today again too from";
    let rest = labelled.after();
    rest.starts_with(' ') && first_word(rest).is_some_and(|(word, _)| !is_one_of(word, FOLLOW))
}
