//! Whether a value beside the word "password" is one, or only says something about it.

use super::tie::{Tie, Value};
use super::value::{is_measure, is_one_of, is_unit};

/// Whether a value under a password's label is a password.
pub(super) fn is_password(tie: Tie, value: Value<'_>) -> bool {
    let text = value.text;
    let length = text.chars().count();
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let letter = text.chars().any(char::is_alphabetic);
    if !(4..=200).contains(&length) || is_measure(text) {
        return false;
    }
    if text.contains(' ') {
        return is_phrase(tie, value);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let year = length == 4 && (text.starts_with("19") || text.starts_with("20"));
        return !is_unit(value.next) && (tie != Tie::Beside || !year && length <= 12);
    }
    if digit && letter {
        return tie != Tie::Beside || value.quoted || length >= 6 && !text.contains('/');
    }
    // Marks that join words or end them make no password of them.
    if text.chars().any(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '\'' | '/' | '.' | '’'))
        && letter
    {
        return text.is_ascii() && tie != Tie::Beside;
    }
    match tie {
        Tie::Equals => !is_state(text),
        Tie::Colon | Tie::Is => (value.quoted || value.last) && is_lone_word(text),
        Tie::Beside => false,
        Tie::Before => value.last && is_used_word(text),
    }
}

/// Words of a sentence, which the words of a passphrase are not.
const FUNCTION: &str = "\
    a an the in on at of to for with is are be not no by or and must should least your this kept see \
    ask only than";

/// A quoted phrase, unless it is a sentence about passwords.
fn is_phrase(tie: Tie, value: Value<'_>) -> bool {
    value.quoted && tie != Tie::Beside && !value.text.split_whitespace().any(|word| is_one_of(word, FUNCTION))
}

/// The words of a passphrase without quotation marks: small, four or more, and no sentence.
pub(super) fn is_bare_phrase(rest: &str) -> bool {
    let phrase = rest.split(['.', ';', '\n']).next().unwrap_or_default();
    let words: Vec<&str> = phrase.split_whitespace().collect();
    (4..=12).contains(&words.len())
        && words.iter().all(|word| {
            let said = ["ed", "ly", "ing"].iter().any(|ending| word.ends_with(ending));
            word.bytes().all(|byte| byte.is_ascii_lowercase()) && !is_one_of(word, FUNCTION) && !said
        })
}

/// A word that stands alone where a password is named, and says nothing about one.
fn is_lone_word(word: &str) -> bool {
    let many = word.matches('-').count() >= 3;
    let tail = word.rsplit(['-', '/']).next().unwrap_or(word);
    many || !is_state(word) && !is_state(tail) && !word.contains('/') && word.chars().count() >= 4
}

/// A word that somebody uses as the password, other than those for what everybody may use.
fn is_used_word(word: &str) -> bool {
    is_lone_word(word)
        && !is_one_of(
            word,
            "email mail name username birthday birthdate date this that them same phrase passphrase code word number phone hostname domain biometrics fingerprint passkeys passkey file prompt",
        )
}

/// What is said *about* a password.
fn is_state(word: &str) -> bool {
    const STATES: &str = "\
        unknown none missing empty blank weak strong long short easy hard simple complex correct wrong \
        invalid valid incorrect right bad good fine okay safe unsafe secure insecure secret private \
        public local global unique random same different new temporary permanent mandatory necessary \
        sensitive only gone lost stolen broken forgotten hidden known given written kept below above \
        here there elsewhere separate rotation reset recovery change login policy manager hash field \
        button form page link input prompt text string number code email yes true false todo varchar \
        default admin-only off never always sometimes nobody everybody keychain vault icloud dashlane \
        protonpass gopass";
    let lower = word.to_lowercase();
    let about = ["ed", "able", "ible", "ing", "ly", "less", "ful", "ous"];
    is_one_of(&lower, STATES)
        || about.iter().any(|ending| lower.ends_with(ending))
        || ["1password", "keepass", "bitwarden", "lastpass", "authenticat"]
            .iter()
            .any(|name| lower.starts_with(name))
}
