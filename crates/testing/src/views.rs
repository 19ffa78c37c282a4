//! Bodies that feed the readers of views with anything.

use memlore_view::{Dialect, Frame, Reading, Shown, parse, read_bytes, render};

/// Reads the bytes as a hermes file, as the first that was ever seen and as a change of its own rendering.
///
/// Whatever was read must render into a file that reads back as the same entries, and that hermes-agent would split
/// into exactly these.
pub fn check_hermes_parser(bytes: &[u8]) {
    let Reading::Text(text) = read_bytes(Dialect::Hermes, Some(bytes), &[]) else { return };
    let mut parsed = parse(Dialect::Hermes, &text);
    let entries: Vec<_> = parsed.items.iter().map(|item| Shown::plain(&item.text)).collect();
    let rendered = render(Dialect::Hermes, &entries, &Frame::default());
    assert_eq!(parse(Dialect::Hermes, &rendered), parsed, "{rendered:?}");
    let pieces = rendered.split("\n§\n").filter(|piece| !piece.trim().is_empty()).count();
    assert_eq!(pieces, parsed.items.len(), "{rendered:?}");
    // The mark at the beginning of a file is taken off only where no version began with it.
    let again = read_bytes(Dialect::Hermes, Some(rendered.as_bytes()), &[&rendered]);
    assert_eq!(again, Reading::Text(rendered));
    // What is left in the frame stays in the file.
    let all: Vec<usize> = (0..parsed.items.len()).step_by(2).collect();
    let before = parsed.items.len();
    parsed.leave_in_frame(&all);
    let entries: Vec<_> = parsed.items.iter().map(|item| Shown::plain(&item.text)).collect();
    let framed = parse(Dialect::Hermes, &render(Dialect::Hermes, &entries, &parsed.frame));
    assert_eq!(framed.items.len(), before);
}
