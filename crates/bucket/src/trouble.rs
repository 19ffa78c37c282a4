//! What a store answers, in words of a share.

use crate::{Address, Kind};
use memlore_exchange::ShareProblem;
use object_store::Error;
use std::io;

/// The share at this address cannot be opened, and why.
pub(crate) fn unusable(address: &str, why: &str) -> ShareProblem {
    ShareProblem::Address {
        title: address.to_owned(),
        source: io::Error::new(io::ErrorKind::InvalidInput, why),
    }
}

/// The environment does not describe the bucket, or contradicts itself.
pub(crate) fn unconfigured(address: &Address, error: &Error) -> ShareProblem {
    let why = format!("{}; look at {}", in_short(&told(error)), address.kind.variables());
    unusable(&address.to_string(), &why)
}

/// Why a request failed, and what to do next.
pub(crate) fn explain(kind: Kind, error: &Error) -> io::Error {
    let (what, said) = (in_short(&told(error)), said_about_credentials(error));
    let (of, next) = if said {
        let next = format!("look at {}", kind.variables());
        (io::ErrorKind::PermissionDenied, next)
    } else if matches!(error, Error::NotImplemented { .. } | Error::NotSupported { .. }) {
        (
            io::ErrorKind::Unsupported,
            "memlore needs a store that can create an object only if there is none".to_owned(),
        )
    } else {
        (io::ErrorKind::Other, "`memlore sync` tries again".to_owned())
    };
    // As text: the causes are all in it, and nobody is to print them a second time.
    io::Error::new(of, format!("{what}; {next}"))
}

/// Whether the bucket itself is not there: an error that does not concern one object.
pub(crate) fn is_absent(error: &Error) -> bool {
    // Of a listing the library tells nothing but the text of the answer.
    matches!(error, Error::NotFound { .. })
        || matches!(error, Error::Generic { .. }) && error.to_string().contains("404 Not Found")
}

/// A call that took longer than any may.
pub(crate) fn too_slow(seconds: u64) -> io::Error {
    let what = format!("the store did not answer within {seconds} s; `memlore sync` tries again");
    io::Error::new(io::ErrorKind::TimedOut, what)
}

fn said_about_credentials(error: &Error) -> bool {
    let text = error.to_string();
    matches!(error, Error::PermissionDenied { .. } | Error::Unauthenticated { .. })
        // Without variables a machine in a cloud is asked for its own account, which other machines do not have.
        || text.contains("169.254.169.254")
        || text.contains("metadata")
}

/// What an error tells, with its first cause, which the others often keep to themselves.
fn told(error: &Error) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    let (all, first) = (error.to_string(), causes.last().map(ToString::to_string));
    match first {
        Some(first) if !all.contains(&first) => format!("{all}: {first}"),
        _ => all,
    }
}

/// What an error tells, on one line: of the page of XML in it only the sentence for people.
fn in_short(text: &str) -> String {
    let text = without_queries(text);
    let sentence = text.split_once("<Message>").and_then(|(_, rest)| rest.split_once("</Message>"));
    match (sentence, text.find("<?xml").or_else(|| text.find("<Error>"))) {
        (Some((sentence, _)), Some(page)) => format!("{}{sentence}", &text[..page]),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// Azure's signatures stand in the query of an address, which errors repeat.
fn without_queries(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for word in text.split_inclusive([' ', ',', ')', '"']) {
        match word.split_once('?') {
            Some((before, _)) if before.contains("://") => {
                kept.push_str(before);
                kept.extend(word.chars().last().filter(|last| !last.is_alphanumeric()));
            }
            _ => kept.push_str(word),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_page_of_xml_only_the_sentence_is_told() {
        let page =
            "403 Forbidden: <?xml version=\"1.0\"?>\n<Error><Code>X</Code><Message>No.</Message></Error>";
        assert_eq!(in_short(page), "403 Forbidden: No.");
        assert_eq!(in_short("first\n  second"), "first second");
    }

    #[test]
    fn a_signature_in_an_address_is_not_repeated() {
        let told = without_queries(
            "PUT https://a.blob.core.windows.net/c/x?sig=S3CR3T&se=1 in 2s: what? (http://b/?sig=S3CR3T)",
        );
        assert_eq!(told, "PUT https://a.blob.core.windows.net/c/x in 2s: what? (http://b/)");
    }
}
