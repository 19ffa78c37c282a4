//! Reading a file line by line in bounded memory.

use memlore_model::message::MAX_MESSAGE_BYTES;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};

/// The longest line that is read: a message and what it is wrapped in.
const MOST_BYTES: usize = MAX_MESSAGE_BYTES + 64 * 1024;

/// How much of a longer line is kept.
const KEPT_BYTES: usize = 64 * 1024;

/// A line, as far as it can be read.
pub(super) enum Text {
    Line(Vec<u8>),
    /// The beginning of a line that is too long, and its length.
    TooLong(Vec<u8>, u64),
}

/// A line and where it stands.
pub(super) struct Piece {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Where the next one begins.
    pub(super) end: u64,
    /// Whether it ends in a line feed.
    pub(super) ended: bool,
    pub(super) text: Text,
}

/// The lines of a file from somewhere on.
pub(super) struct Lines<'a> {
    reader: BufReader<&'a mut File>,
    at: u64,
    lines: u64,
    /// Why reading ended before the end.
    pub(super) problem: Option<io::Error>,
}

impl<'a> Lines<'a> {
    /// Begins at an offset that has this many line feeds before it.
    pub(super) fn begin(file: &'a mut File, (at, lines): (u64, u64)) -> Self {
        let problem = file.seek(SeekFrom::Start(at)).err();
        Self { reader: BufReader::with_capacity(64 * 1024, file), at, lines, problem }
    }

    pub(super) fn next(&mut self) -> Option<Piece> {
        if self.problem.is_some() {
            return None;
        }
        match self.read() {
            Ok(piece) => piece,
            Err(error) => {
                self.problem = Some(error);
                None
            }
        }
    }

    fn read(&mut self) -> io::Result<Option<Piece>> {
        let mut kept = Vec::new();
        let mut length = 0;
        let mut ended = false;
        while !ended {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            if buffer.is_empty() {
                break;
            }
            let found = buffer.iter().position(|b| *b == b'\n');
            ended = found.is_some();
            let part = &buffer[..found.unwrap_or(buffer.len())];
            length += part.len() as u64;
            if length <= MOST_BYTES as u64 {
                kept.extend_from_slice(part);
            } else if kept.len() > KEPT_BYTES {
                kept.truncate(KEPT_BYTES);
                kept.shrink_to_fit();
            }
            let used = part.len() + usize::from(ended);
            self.reader.consume(used);
            self.at += used as u64;
        }
        if length == 0 && !ended {
            return Ok(None);
        }
        let number = self.lines + 1;
        self.lines += u64::from(ended);
        let text = if length > MOST_BYTES as u64 { Text::TooLong(kept, length) } else { Text::Line(kept) };
        Ok(Some(Piece { number, end: self.at, ended, text }))
    }
}

/// Counts the lines from an offset on that hold anything.
pub(super) fn count_from(file: &mut File, offset: u64) -> u64 {
    let mut lines = Lines::begin(file, (offset, 0));
    let mut count = 0;
    while let Some(piece) = lines.next() {
        let blank = matches!(&piece.text, Text::Line(bytes) if super::is_blank(bytes));
        count += u64::from(!blank);
    }
    count
}
