//! Passwords, PINs and tokens that are given as such: `password=…`, "the root password is …", "uses … as the PIN".

use super::SecretKind;
use super::label::{Label, Labelled};
use super::password::{is_bare_phrase, is_password};
use super::tie::{Tie, Value, before, first_word, tied, value_at};
use super::value::{is_drawn, is_measure, is_one_of, is_placeholder, is_reference, is_unit};

/// Finds a secret given under a label.
pub(super) fn find(labelled: &Labelled<'_>) -> Option<SecretKind> {
    if let Some((tie, rest)) = tied(labelled)
        && let Some(value) = value_at(rest)
        && let Some(kind) = judge(labelled, tie, value)
    {
        return Some(kind);
    }
    if let Some((Tie::Colon | Tie::Is, rest)) = tied(labelled)
        && labelled.label == Label::Password
        && labelled.range.len() > "password".len()
        && is_bare_phrase(rest)
    {
        return Some(SecretKind::Password);
    }
    // Quotation marks say that the words are meant as they stand.
    before(labelled)
        .and_then(|value| judge(labelled, if value.quoted { Tie::Is } else { Tie::Before }, value))
}

fn judge(labelled: &Labelled<'_>, tie: Tie, value: Value<'_>) -> Option<SecretKind> {
    let digits = value.text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits && (is_placeholder(value.text) || is_reference(value.text)) {
        return None;
    }
    match labelled.label {
        Label::Password => is_password(tie, value).then_some(SecretKind::Password),
        Label::Assigned if tie == Tie::Equals => is_password(tie, value).then_some(SecretKind::Password),
        Label::Pin => is_pin(labelled, tie, value).then_some(SecretKind::Password),
        Label::Key => is_key(tie, value, 8).then_some(SecretKind::Key),
        Label::Token if tie != Tie::Beside => is_key(tie, value, 16).then_some(SecretKind::Key),
        Label::Authorization => is_credential(labelled).then_some(SecretKind::Authorization),
        _ => None,
    }
}

fn is_pin(labelled: &Labelled<'_>, tie: Tie, value: Value<'_>) -> bool {
    let digits = value.text.bytes().all(|byte| byte.is_ascii_digit());
    let named = labelled.name().starts_with("PI") || labelled.range.len() > "pin".len();
    digits
        && (4..=12).contains(&value.text.len())
        && !is_unit(value.next)
        && (tie != Tie::Beside || named || value.last)
}

fn is_key(tie: Tie, value: Value<'_>, least: usize) -> bool {
    let text = value.text.trim_end_matches('=');
    let least = if tie == Tie::Beside { least.max(16) } else { least };
    let usual = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/_.~-=$!".contains(&byte));
    text.len() >= least && usual && is_drawn(text) && !(is_measure(text) && text.len() < 24)
}

/// What follows `Authorization`: a scheme and a credential that no manual would print.
fn is_credential(labelled: &Labelled<'_>) -> bool {
    let rest = labelled.after().trim_start_matches(['"', '\'', '`', '*', ' ']);
    let Some(rest) = rest.strip_prefix([':', '=']) else { return false };
    let rest = rest.trim_start_matches(['"', '\'', '`', '*', ' ']);
    let Some((scheme, rest)) = first_word(rest) else { return false };
    let schemes = "bearer basic token apikey bot key";
    let Some(value) = value_at(rest).filter(|_| is_one_of(scheme, schemes)) else { return false };
    let text = value.text.trim_end_matches('=');
    text.len() >= 8 && is_drawn(text) && !is_placeholder(text) && !is_reference(value.text)
}
