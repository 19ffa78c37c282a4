//! Every branch of reading and planning an answer.

use super::*;
use crate::{Limit, find_secret};

fn fitness(text: &str) -> Fitness {
    let limit: Limit = "300:utf16".parse().unwrap();
    match crate::clean_text(text) {
        _ if find_secret(text).is_some() => Fitness::Secret,
        Err(problem) => Fitness::Unfit(problem.to_string()),
        Ok(text) if limit.unit.count(&text) > limit.most => Fitness::Unfit("too long".to_owned()),
        Ok(text) => Fitness::Fit(text),
    }
}

fn plan(answer: &str, listed: usize) -> Result<Vec<Planned>, AnswerProblem> {
    Ok(read_answer(answer)?.plan(listed, fitness)?.0)
}

fn done(op: Op) -> Planned {
    Planned::Do { op, topic: None, team: false }
}

fn add(text: &str) -> Op {
    Op::Add { text: text.to_owned() }
}

#[test]
fn one_text_too_long_is_left_out_alone() {
    let answer = include_str!("answer-one-too-long.json");
    assert_eq!(
        plan(answer, 1),
        Ok(vec![Planned::Unfit("too long".to_owned()), done(Op::Remove { entry: 1 })])
    );
}

#[test]
fn an_answer_may_stand_in_a_fence_or_in_prose() {
    let object = r#"{"changes": [{"op": "add", "text": "tea"}]}"#;
    for answer in [
        object.to_owned(),
        format!("```json\n{object}\n```"),
        format!("Here is what I would keep:\n\n{object}\n\nThat is all."),
        format!("\u{feff}{object}"),
    ] {
        assert_eq!(plan(&answer, 0), Ok(vec![done(add("tea"))]), "{answer}");
    }
}

#[test]
fn what_is_malformed_is_told() {
    use Malformation::*;
    let cases = [
        ("", NoObject),
        ("nothing to change", NoObject),
        ("null", NoObject),
        ("[]", NoObject),
        ("} {", NoObject),
        (r#"{"changes": [{"op": "add", "text": "te"#, NoObject),
        (r#"{"changes": []} and {"changes": []}"#, NoObject),
        (r#"{"changes": [{"op":"add","text":"\ud83d"}]}"#, NoObject),
        ("{}", NoList),
        (r#"{"changes": null}"#, NoList),
        (r#"{"changes": {"op": "add", "text": "x"}}"#, NoList),
        (r#"[{"op": "add", "text": "x"}]"#, NoList),
        (r#"{"changes": ["add"]}"#, NoChange(0)),
        (r#"{"changes": [{"op": "add", "text": "x"}, null]}"#, NoChange(1)),
        (r#"{"changes": [{"text": "x"}]}"#, Op(0)),
        (r#"{"changes": [{"op": "explode"}]}"#, Op(0)),
        (r#"{"changes": [{"op": "Add", "text": "x"}]}"#, Op(0)),
        (r#"{"changes": [{"op": "add"}]}"#, Text(0)),
        (r#"{"changes": [{"op": "add", "text": " \n"}]}"#, Text(0)),
        (r#"{"changes": [{"op": "add", "text": 5}]}"#, Text(0)),
        (r#"{"changes": [{"op": "edit", "entry": 1}]}"#, Text(0)),
        (r#"{"changes": [{"op": "edit", "text": "x"}]}"#, Entry(0)),
        (r#"{"changes": [{"op": "remove"}]}"#, Entry(0)),
        (r#"{"changes": [{"op": "remove", "entry": 0}]}"#, Entry(0)),
        (r#"{"changes": [{"op": "remove", "entry": -1}]}"#, Entry(0)),
        (r#"{"changes": [{"op": "remove", "entry": 1.5}]}"#, Entry(0)),
        (r#"{"changes": [{"op": "remove", "entry": "one"}]}"#, Entry(0)),
        (r#"{"changes": [{"op": "remove", "entry": [1]}]}"#, Entry(0)),
        (r#"{"changes": [{"op": "add", "text": "x", "topic": 5}]}"#, Topic(0)),
        (r#"{"changes": [{"op": "add", "text": "x", "team": "yes"}]}"#, Team(0)),
    ];
    for (answer, expected) in cases {
        assert_eq!(plan(answer, 9), Err(expected.into()), "{answer}");
    }
}

#[test]
fn a_number_may_be_written_as_a_string() {
    for entry in ["3", r#""3""#, r#"" 3 ""#, "3.0"] {
        let answer = format!(r#"{{"changes": [{{"op": "remove", "entry": {entry}}}]}}"#);
        assert_eq!(plan(&answer, 3), Ok(vec![done(Op::Remove { entry: 3 })]), "{entry}");
    }
    let huge = r#"{"changes": [{"op": "remove", "entry": 1e30}]}"#;
    assert!(matches!(plan(huge, 3), Err(AnswerProblem::Unlisted { index: 0, .. })));
}

#[test]
fn malformed_comes_before_unlisted_and_unlisted_before_a_bad_topic() {
    let malformed =
        r#"{"changes": [{"op":"remove","entry":9}, {"op":"add","text":"x","topic":"a/b"}, {"op":"no"}]}"#;
    assert_eq!(plan(malformed, 1), Err(Malformation::Op(2).into()));
    let unlisted = r#"{"changes": [{"op":"add","text":"x","topic":"a/b"}, {"op":"remove","entry":2}]}"#;
    assert_eq!(plan(unlisted, 1), Err(AnswerProblem::Unlisted { index: 1, entry: 2, listed: 1 }));
    let topic =
        r#"{"changes": [{"op":"add","text":"password=hunter2"}, {"op":"add","text":"x","topic":"a/b"}]}"#;
    assert_eq!(plan(topic, 1), Err(AnswerProblem::Topic { index: 1 }));
}

/// Eight adds, and then one more change.
fn nine(ninth: &str) -> String {
    let adds: Vec<String> = (0..8).map(|n| format!(r#"{{"op":"add","text":"tea {n}"}}"#)).collect();
    format!(r#"{{"changes": [{}, {ninth}]}}"#, adds.join(", "))
}

#[test]
fn eight_changes_count_and_all_are_checked_for_their_entries() {
    let planned = plan(&nine(r#"{"op":"add","text":"nine"}"#), 0).unwrap();
    assert_eq!((planned.len(), &planned[8]), (9, &Planned::Beyond));
    assert!(plan(&nine(r#"{"op":"add","text":"nine","topic":"a/b"}"#), 0).is_ok());
    let unlisted = plan(&nine(r#"{"op":"remove","entry":2}"#), 1);
    assert_eq!(unlisted, Err(AnswerProblem::Unlisted { index: 8, entry: 2, listed: 1 }));
    assert_eq!(plan(&nine(r#"{"op":"remove"}"#), 1), Err(Malformation::Entry(8).into()));
}

#[test]
fn a_secret_is_left_out_silently_also_when_it_is_too_long() {
    let long = "x ".repeat(200);
    let answer = format!(
        r#"{{"changes": [{{"op":"add","text":"password=hunter2 {long}"}}, {{"op":"edit","entry":1,"text":"{long}"}},
            {{"op":"add","text":"\u001f"}}, {{"op":"add","text":" fine "}}]}}"#
    );
    let planned = plan(&answer, 1).unwrap();
    assert_eq!(planned[0], Planned::Secret);
    assert_eq!(planned[1], Planned::Unfit("too long".to_owned()));
    assert_eq!(planned[2], Planned::Unfit("the text is empty".to_owned()));
    assert_eq!(planned[3], done(add("fine")));
}

#[test]
fn a_cursor_reads_back_from_its_json() {
    let at = crate::Stamp { us: 7, logical: 2 };
    let cursor = Cursor {
        conversation: "chat:1".to_owned(),
        through: 11,
        at,
        by: "bot".to_owned(),
        device: String::new(),
        reset: true,
    };
    assert_eq!(Cursor::from_json(cursor.to_json().as_bytes()), Some(cursor.clone()));
    let plain = Cursor { at: crate::Stamp::at(7), by: String::new(), reset: false, ..cursor };
    assert_eq!(plain.to_json(), r#"{"conversation":"chat:1","through":11,"at":7}"#);
    for json in [
        "",
        "[]",
        "{}",
        r#"{"conversation":1,"through":1,"at":1}"#,
        r#"{"conversation":"c","through":-1,"at":1}"#,
    ] {
        assert_eq!(Cursor::from_json(json.as_bytes()), None, "{json}");
    }
}
