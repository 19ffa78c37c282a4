//! Numbers of cards and of people, under their label.

use super::SecretKind;
use super::label::{Label, Labelled};
use super::tie::tied;
use super::value::is_one_of;

/// Finds the number that a label announces.
pub(super) fn find(labelled: &Labelled<'_>) -> Option<SecretKind> {
    let least_to_most = match labelled.label {
        Label::Card => 12..=19,
        Label::AnyCard => 13..=19,
        Label::CardCheck => 3..=4,
        Label::Passport => 6..=10,
        Label::Identity => 6..=20,
        Label::Iban => 15..=34,
        _ => return None,
    };
    if labelled.label == Label::Identity && is_id_of_a_thing(labelled) {
        return None;
    }
    let (_, rest) = tied(labelled)?;
    let number = number_at(rest, labelled.label);
    let digits: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).collect();
    let held = match labelled.label {
        Label::Card | Label::CardCheck => {
            least_to_most.contains(&digits.len()) && digits.len() == number.len()
        }
        Label::AnyCard => least_to_most.contains(&digits.len()) && has_check_digit(&digits),
        Label::Iban => {
            least_to_most.contains(&number.len())
                && number.bytes().take(2).all(|byte| byte.is_ascii_uppercase())
                && digits.len() >= 10
        }
        _ => least_to_most.contains(&number.len()) && digits.len() >= 5 && digits.len() * 2 > number.len(),
    };
    held.then_some(SecretKind::Number)
}

/// The number that a text begins with, without the spaces and hyphens that group it.
fn number_at(rest: &str, label: Label) -> String {
    let mut rest = rest
        .trim_start_matches([' ', '\t', '"', '\'', '`', '#', '*', ':', '=', '号', '是', '码', '碼', '：']);
    for filler in ["number", "no.", "no", "nr.", "nr", "is", "ist"] {
        if let Some(after) = rest
            .get(..filler.len())
            .filter(|word| word.eq_ignore_ascii_case(filler))
            .map(|_| &rest[filler.len()..])
            && after.starts_with([' ', ':', '=', '.', '#'])
        {
            rest = after.trim_start_matches([' ', ':', '=', '.', '#']);
        }
    }
    let mut number = String::new();
    for group in rest.split_inclusive([' ', '-', '.', '/']) {
        let plain = group.trim_end_matches([' ', '-', '.', '/', ',', ';', ')', '"', '\'', '`', '*', '。']);
        let fits = plain.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
        let grouped = matches!(label, Label::Card | Label::AnyCard | Label::Identity | Label::Iban)
            || number.is_empty();
        let belongs = plain.bytes().any(|byte| byte.is_ascii_digit()) && grouped;
        if plain.is_empty() || !fits || !belongs || number.len() > 40 {
            break;
        }
        number.push_str(plain);
        if plain.len() + 1 < group.len() {
            break;
        }
    }
    number
}

/// Whether a payment card may have this number (Luhn).
fn has_check_digit(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| {
            let value = u32::from(digit - b'0') * if index % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// "The order ID number": things have ids too.
fn is_id_of_a_thing(labelled: &Labelled<'_>) -> bool {
    const THINGS: &str = "\
        order issue ticket user chat message session build job task project document invoice transaction \
        tracking product device channel group room bot app client process commit run page video post \
        thread item entry part serial model event record request case game";
    let before = labelled.before().trim_end_matches([' ', '-', '_']);
    let before = before.strip_suffix("'s").unwrap_or(before);
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let after = labelled.after().split_whitespace().take(3).filter(|_| labelled.after().starts_with(" of "));
    is_one_of(word, THINGS) || after.clone().any(|word| is_one_of(word, THINGS))
}
