//! Labels: the words after which, or before which, a secret is given.

use super::{SecretKind, given, number};
use std::ops::Range;

/// What a label says of the value beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    /// A password or passphrase.
    Password,
    /// A password, when a program assigns it: `DB_PASS=…`.
    Assigned,
    /// A PIN.
    Pin,
    /// A key, named in full: `api key`, `client secret`.
    Key,
    /// Something called a token or a secret, which may be many things.
    Token,
    /// What an `Authorization` header says.
    Authorization,
    /// A payment card's number.
    Card,
    /// Something called a card, which may be many things.
    AnyCard,
    /// A card's check digits.
    CardCheck,
    /// The number of a passport.
    Passport,
    /// The number of a person in some register.
    Identity,
    /// A bank account's international number.
    Iban,
}

/// The labels, each as the parts it consists of; of those with a common beginning the longest comes first.
const LABELS: [(&[&str], Label); 95] = [
    (&["password"], Label::Password),
    (&["passwd"], Label::Password),
    (&["pwd"], Label::Password),
    (&["passphrase"], Label::Password),
    (&["pass", "phrase"], Label::Password),
    (&["passcode"], Label::Password),
    (&["passwort"], Label::Password),
    (&["kennwort"], Label::Password),
    (&["wachtwoord"], Label::Password),
    (&["contraseña"], Label::Password),
    (&["пароль"], Label::Password),
    (&["Пароль"], Label::Password),
    (&["mot", "de", "passe"], Label::Password),
    (&["pass"], Label::Assigned),
    (&["pw"], Label::Assigned),
    (&["pin", "code"], Label::Pin),
    (&["pin", "number"], Label::Pin),
    (&["pincode"], Label::Pin),
    (&["pin"], Label::Pin),
    (&["api", "key"], Label::Key),
    (&["api", "token"], Label::Key),
    (&["api", "secret"], Label::Key),
    (&["apikey"], Label::Key),
    (&["secret", "access", "key"], Label::Key),
    (&["secret", "key"], Label::Key),
    (&["access", "key"], Label::Key),
    (&["access", "token"], Label::Key),
    (&["account", "key"], Label::Key),
    (&["private", "key"], Label::Key),
    (&["encryption", "key"], Label::Key),
    (&["signing", "key"], Label::Key),
    (&["recovery", "key"], Label::Key),
    (&["recovery", "code"], Label::Key),
    (&["client", "secret"], Label::Key),
    (&["app", "secret"], Label::Key),
    (&["webhook", "secret"], Label::Key),
    (&["auth", "token"], Label::Key),
    (&["bearer", "token"], Label::Key),
    (&["refresh", "token"], Label::Key),
    (&["bot", "token"], Label::Key),
    (&["bearer"], Label::Key),
    (&["token"], Label::Token),
    (&["secret"], Label::Token),
    (&["authorization"], Label::Authorization),
    (&["credit", "card", "number"], Label::Card),
    (&["credit", "card"], Label::Card),
    (&["debit", "card", "number"], Label::Card),
    (&["debit", "card"], Label::Card),
    (&["bank", "card"], Label::Card),
    (&["card", "number"], Label::Card),
    (&["card", "no"], Label::Card),
    (&["kreditkarte"], Label::Card),
    (&["kreditkartennummer"], Label::Card),
    (&["kartennummer"], Label::Card),
    (&["card"], Label::AnyCard),
    (&["visa"], Label::AnyCard),
    (&["mastercard"], Label::AnyCard),
    (&["amex"], Label::AnyCard),
    (&["cvv"], Label::CardCheck),
    (&["cvc"], Label::CardCheck),
    (&["cvv2"], Label::CardCheck),
    (&["passport", "number"], Label::Passport),
    (&["passport", "no"], Label::Passport),
    (&["passport"], Label::Passport),
    (&["reisepass"], Label::Passport),
    (&["passnummer"], Label::Passport),
    (&["reisepassnummer"], Label::Passport),
    (&["ssn"], Label::Identity),
    (&["social", "security", "number"], Label::Identity),
    (&["social", "security", "no"], Label::Identity),
    (&["social", "security"], Label::Identity),
    (&["social", "insurance", "number"], Label::Identity),
    (&["sozialversicherungsnummer"], Label::Identity),
    (&["id", "card", "number"], Label::Identity),
    (&["id", "card"], Label::Identity),
    (&["id", "number"], Label::Identity),
    (&["id", "no"], Label::Identity),
    (&["identity", "card", "number"], Label::Identity),
    (&["identity", "card"], Label::Identity),
    (&["identity", "number"], Label::Identity),
    (&["identification", "number"], Label::Identity),
    (&["national", "id", "number"], Label::Identity),
    (&["national", "id"], Label::Identity),
    (&["tax", "id"], Label::Identity),
    (&["tax", "number"], Label::Identity),
    (&["nhs", "number"], Label::Identity),
    (&["aadhaar"], Label::Identity),
    (&["personalausweis"], Label::Identity),
    (&["personalausweisnummer"], Label::Identity),
    (&["ausweisnummer"], Label::Identity),
    (&["steuernummer"], Label::Identity),
    (&["steuer", "id"], Label::Identity),
    (&["driver", "license"], Label::Identity),
    (&["driving", "licence"], Label::Identity),
    (&["iban"], Label::Iban),
];

/// Labels of a language that puts no spaces between words.
const UNSPACED: [(&str, Label); 10] = [
    ("密码", Label::Password),
    ("密碼", Label::Password),
    ("口令", Label::Password),
    ("パスワード", Label::Password),
    ("暗証番号", Label::Pin),
    ("身份证", Label::Identity),
    ("身分證", Label::Identity),
    ("护照", Label::Passport),
    ("银行卡", Label::Card),
    ("信用卡", Label::Card),
];

/// A label where it stands in a text.
#[derive(Clone, Debug)]
pub(super) struct Labelled<'t> {
    pub(super) text: &'t str,
    pub(super) label: Label,
    pub(super) range: Range<usize>,
}

/// How far beside a label its value is looked for, in bytes; so the search stays linear in the text.
const NEAR: usize = 512;

impl<'t> Labelled<'t> {
    /// The label as it is written.
    pub(super) fn name(&self) -> &'t str {
        &self.text[self.range.clone()]
    }

    /// What stands before the label, as far as it matters.
    pub(super) fn before(&self) -> &'t str {
        let before = &self.text[..self.range.start];
        &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR))..]
    }

    /// What follows the label, as far as it matters.
    pub(super) fn after(&self) -> &'t str {
        let after = &self.text[self.range.end..];
        &after[..after.floor_char_boundary(NEAR)]
    }
}

/// Finds a secret beside its label.
pub(super) fn find(text: &str) -> Option<SecretKind> {
    let parts = parts(text);
    let mut at = 0;
    while at < parts.len() {
        let Some((count, label)) = label_at(text, &parts[at..]) else {
            at += 1;
            continue;
        };
        let labelled = Labelled { text, label, range: parts[at].start..parts[at + count - 1].end };
        if ends_here(&labelled)
            && let Some(kind) = given::find(&labelled).or_else(|| number::find(&labelled))
        {
            return Some(kind);
        }
        at += count;
    }
    UNSPACED.iter().filter(|_| !text.is_ascii()).find_map(|(word, label)| {
        text.match_indices(word).find_map(|(start, _)| {
            let labelled = Labelled { text, label: *label, range: start..start + word.len() };
            given::find(&labelled).or_else(|| number::find(&labelled))
        })
    })
}

/// The words of a text, those of `camelCase` and `snake_case` names apart.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut open: Option<usize> = None;
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if let Some(start) = open {
            let capital_begins = c.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_uppercase()
                        && characters.peek().is_some_and(|(_, next)| next.is_ascii_lowercase()));
            if !c.is_alphanumeric() || capital_begins {
                parts.push(start..at);
                open = c.is_alphanumeric().then_some(at);
            }
        } else if c.is_alphanumeric() {
            open = Some(at);
        }
        before = c;
    }
    parts.extend(open.map(|start| start..text.len()));
    parts
}

fn label_at(text: &str, parts: &[Range<usize>]) -> Option<(usize, Label)> {
    let word = |index: usize| parts.get(index).map(|part: &Range<usize>| &text[part.clone()]);
    let joined = |index: usize| {
        let between = &text[parts[index].end..parts[index + 1].start];
        matches!(between, "" | " " | "-" | "_" | "'s " | ". ")
    };
    let first = word(0).filter(|word| may_begin_label(word))?;
    let found =
        LABELS.iter().filter(|(words, _)| same(words[0], first)).find(|(words, _)| {
            words.iter().enumerate().skip(1).all(|(index, wanted)| {
                word(index).is_some_and(|word| same(wanted, word)) && joined(index - 1)
            })
        });
    found.map(|(words, label)| (words.len(), *label))
}

/// Of each first letter the lengths of the words with which a label begins, as bits.
const BEGINNINGS: [u32; 26] = {
    let mut lengths = [0; 26];
    let mut index = 0;
    while index < LABELS.len() {
        let word = LABELS[index].0[0].as_bytes();
        if word[0].is_ascii_lowercase() {
            lengths[(word[0] - b'a') as usize] |= 1 << word.len();
        }
        index += 1;
    }
    lengths
};

/// Whether a word may begin a label: most words end here.
fn may_begin_label(word: &str) -> bool {
    let first = word.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
    let lengths = BEGINNINGS.get(usize::from(first.wrapping_sub(b'a')));
    lengths.map_or(!first.is_ascii(), |lengths| word.len() < 32 && lengths >> word.len() & 1 == 1)
}

fn same(wanted: &str, word: &str) -> bool {
    wanted.eq_ignore_ascii_case(word)
}

/// Whether a name ends with the label: `password_hash` and `token-count` are names of something else.
fn ends_here(labelled: &Labelled<'_>) -> bool {
    let mut after = labelled.after().chars();
    match after.next() {
        Some('_') => false,
        Some('-') => !after.next().is_some_and(char::is_alphanumeric),
        Some(c) => !c.is_alphanumeric(),
        None => true,
    }
}
