use super::*;
use crate::Stamp;

fn message(json: &str) -> Message {
    Message::parse(json.as_bytes()).unwrap()
}

#[test]
fn what_a_message_says_is_its_role_content_and_tools() {
    let plain = message(r#"{"role":"user","content":"hi"}"#);
    let more =
        message(r#"{"extra":[1.50],"content":"h\u0069","role":"user","tool_calls":null,"timestamp":3}"#);
    assert_eq!(plain.digest(), more.digest());
    for other in [
        r#"{"role":"assistant","content":"hi"}"#,
        r#"{"role":"user","content":"hi "}"#,
        r#"{"role":"user","content":null}"#,
        r#"{"role":"user","content":""}"#,
        r#"{"role":"user"}"#,
        r#"{"role":"user","content":"hi","tool_call_id":"c1"}"#,
    ] {
        assert_ne!(plain.digest(), message(other).digest(), "{other}");
    }
    assert_eq!(message(r#"{"role":"user"}"#).digest(), message(r#"{"role":"user","content":null}"#).digest());
}

#[test]
fn tool_calls_given_as_text_are_the_same_calls() {
    let list = message(r#"{"role":"assistant","tool_calls":[{"id":"c1","function":{"arguments":"{}"}}]}"#);
    let text = message(
        r#"{"role":"assistant","tool_calls":"[{\"function\": {\"arguments\": \"{}\"}, \"id\": \"c1\"}]"}"#,
    );
    assert_eq!(list.digest(), text.digest());
    assert_eq!(list.calls(), ["c1"]);
    assert_eq!(text.calls(), ["c1"]);
    assert_ne!(list.digest(), message(r#"{"role":"assistant","tool_calls":"[{"}"#).digest());
}

#[test]
fn a_message_is_kept_as_it_was_written() {
    let json = r#"{"b": 1.50, "a":[ ],"content":"x\u2028","big":123456789012345678901234567890}"#;
    assert_eq!(message(json).text(), json);
    assert_eq!(
        message(r#"{"b": 1.50,"flush_timestamp": 7, "a":"\u00e9"}"#).text(),
        r#"{"b": 1.50, "a": "\u00e9"}"#
    );
}

#[test]
fn stamps_are_read_where_others_write_them() {
    let given = |json: &str| message(json).given_us();
    assert_eq!(given(r#"{"flush_timestamp":7,"timestamp":1}"#), Some(7));
    assert_eq!(given(r#"{"_flush_timestamp":1.5,"timestamp":1}"#), Some(1_500_000));
    assert_eq!(given(r#"{"timestamp":100}"#), Some(100_000_000));
    assert_eq!(given(r#"{"timestamp":"yesterday"}"#), None);
    assert_eq!(given(r#"{"flush_timestamp":null,"timestamp":1}"#), Some(1_000_000));
    assert_eq!(given("{}"), None);
    assert_eq!(Message::parse(br#"{"flush_timestamp":1.5}"#), Err(MessageProblem::Stamp));
}

#[test]
fn what_is_no_object_is_no_message() {
    assert_eq!(Message::parse(b"[1]"), Err(MessageProblem::NoObject));
    assert_eq!(Message::parse(b"{\"a\":\"\xff\"}"), Err(MessageProblem::NotUtf8));
    for broken in ["", "{", r#"{"a":1} x"#, r#"{"a":1,}"#, "\0\0garbage"] {
        assert!(matches!(Message::parse(broken.as_bytes()), Err(MessageProblem::NotJson(_))), "{broken}");
    }
}

#[test]
fn depth_is_no_danger() {
    let deep = format!("{{\"content\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let other = format!("{{\"content\":{}{}}}", "[".repeat(50_001), "]".repeat(50_001));
    assert_ne!(message(&deep).digest(), message(&other).digest());
}

#[test]
fn records_read_back() {
    let clock = Stamp { us: 5, logical: 2 };
    let record = MessageRecord {
        session: "a\0\"ü".into(),
        flush_us: -3,
        clock,
        by: "hermes".into(),
        device: String::new(),
        message: message(r#"{"role":"user","content":"\u0000","n":1e400}"#),
    };
    assert_eq!(MessageRecord::from_payload(&record.to_payload()), Some(record.clone()));
    let facts = FactsRecord {
        session: "s".into(),
        clock,
        facts: [("title".into(), "\"x\"".into()), ("ended".into(), "1.50".into())].into(),
    };
    assert_eq!(FactsRecord::from_payload(&facts.to_payload()), Some(facts));
    let digest = record.message.digest();
    for hidden in [Hidden::No, Hidden::Compacted, Hidden::Rewound, Hidden::Gone] {
        let hiding =
            HidingRecord { session: "s".into(), clock, hidden, messages: vec![(1, digest), (2, digest)] };
        assert_eq!(HidingRecord::from_payload(&hiding.to_payload()), Some(hiding));
        assert_eq!(Hidden::from_number(hidden.number()), hidden);
    }
    let same = SameRecord { session: "s".into(), same: vec![(1, 2, digest)] };
    assert_eq!(SameRecord::from_payload(&same.to_payload()), Some(same));
}
