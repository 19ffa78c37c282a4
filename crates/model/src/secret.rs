//! Secrets: what is never kept in memory, whoever writes it.
//!
//! [`find_secret`] looks for a secret that is *given*: the key itself, the password after its label. Talk about
//! secrets, names of variables, placeholders of manuals, hashes and ids are no secrets. A text that is refused
//! wrongly is a memory lost, so precision counts as much as finding; `secret/tests.rs` has the table of both.

mod given;
mod label;
mod link;
mod number;
mod password;
mod pem;
mod run;
mod shape;
mod tie;
mod value;

use std::fmt;

/// What kind of secret a text holds. Its display names the kind, never the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// A key or token of a known shape, or one given as such.
    Key,
    /// A private key in PEM.
    PrivateKey,
    /// A signed token (JWT).
    SignedToken,
    /// What follows `Authorization:`.
    Authorization,
    /// A password or PIN given as one.
    Password,
    /// The number of a card or of an identity document, under its label.
    Number,
    /// A long run of letters and digits that means nothing.
    Random,
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Key => "an access key or token",
            Self::PrivateKey => "a private key",
            Self::SignedToken => "a signed token",
            Self::Authorization => "an authorization header",
            Self::Password => "a password or PIN",
            Self::Number => "a card or identity number",
            Self::Random => "a long run of random letters and digits",
        })
    }
}

/// Finds the first kind of secret that a text holds.
///
/// Takes time linear in the text, and allocates for texts with labels or links alone.
pub fn find_secret(text: &str) -> Option<SecretKind> {
    // Every secret that is looked for has letters or digits beyond one word.
    if text.len() < 4 {
        return None;
    }
    let public = pem::public_blocks(text);
    pem::holds_private_key(text)
        .then_some(SecretKind::PrivateKey)
        .or_else(|| shape::find(text))
        .or_else(|| link::holds_password(text).then_some(SecretKind::Password))
        .or_else(|| label::find(text))
        .or_else(|| run::holds_random(text, &public).then_some(SecretKind::Random))
}

/// Words that somebody gave, in quotation marks, as a message repeats them; a secret among them is not repeated.
pub fn quoted(words: &str) -> String {
    if find_secret(words).is_some() { "what was given".to_owned() } else { format!("{words:?}") }
}

#[cfg(test)]
mod tests;
