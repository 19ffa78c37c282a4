//! What comes in on stdin.

use crate::error::{CommandError, Exit};
use std::io::Read as _;

/// Reads stdin to its end.
pub(super) fn read() -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|problem| CommandError::io("stdin cannot be read", &problem))?;
    Ok(bytes)
}

/// Reads a text from stdin.
pub(super) fn read_text() -> Result<String, CommandError> {
    String::from_utf8(read()?).map_err(|problem| {
        let at = problem.utf8_error().valid_up_to();
        CommandError::new(Exit::Refused, "text", format!("stdin is not UTF-8: byte {at} begins no character"))
            .hint("convert the text to UTF-8 first")
    })
}
