//! Several operations in one transaction.

use super::{Sandbox, keys};
use serde_json::json;

#[test]
fn a_batch_tells_the_fate_of_each_operation() {
    let sandbox = Sandbox::default();
    for text in ["old", "gone", "there"] {
        sandbox.add(text);
    }
    let ops = json!([
        {"op": "add", "text": "new"},
        {"op": "replace", "old": "old", "text": "newer"},
        {"op": "remove", "old": "gone"},
        {"op": "add", "text": "there"},
        {"op": "remove", "old": "never said"},
    ]);
    let answer = sandbox.ends_with(0, &["batch"], ops.to_string());
    assert_eq!(keys(&answer), ["results", "warnings"]);
    let results = answer["results"].as_array().unwrap();
    assert_eq!(keys(&results[0]), ["index", "op", "status", "id", "removed", "reason"]);
    let fates: Vec<_> = results.iter().map(|one| (one["op"].as_str(), one["status"].as_str())).collect();
    let fate = |op, status| (Some(op), Some(status));
    assert_eq!(
        fates,
        [
            fate("add", "done"),
            fate("replace", "done"),
            fate("remove", "done"),
            fate("add", "exists"),
            fate("remove", "nothing"),
        ]
    );
    assert!(
        results[0]["id"].is_string() && results[1]["removed"].as_array().is_some_and(|ids| ids.len() == 1)
    );
    assert_eq!(sandbox.texts(), ["newer", "there", "new"]);
}

#[test]
fn a_refused_operation_stops_no_other() {
    let sandbox = Sandbox::default();
    let ops = r#"[{"op":"add","text":"one"},{"op":"drop","old":"x"},{"op":"add"},
        {"op":"add","text":"bad \ud83d end"},{"op":"add","text":" "},{"op":"add","text":"two"}]"#;
    let answer = sandbox.ends_with(3, &["batch"], ops);
    assert_eq!((&answer["error"]["kind"], &answer["error"]["stored"]), (&json!("refused"), &json!(true)));
    let results = answer["results"].as_array().unwrap();
    let statuses: Vec<_> = results.iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, ["done", "refused", "refused", "refused", "refused", "done"]);
    assert!(results.iter().all(|one| one["reason"].is_string() == (one["status"] == "refused")), "{answer}");
    assert_eq!((&results[1]["op"], &results[1]["index"]), (&json!("drop"), &json!(1)));
    assert_eq!(sandbox.texts(), ["one", "two"]);
}

#[test]
fn the_limit_is_judged_on_the_final_state() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--limit", "memory=10"]);
    sandbox.add("0123456789");
    let ops = json!([{"op": "add", "text": "abcdefghij"}, {"op": "remove", "old": "0123456789"}]);
    sandbox.ends_with(0, &["batch"], ops.to_string());
    assert_eq!(sandbox.texts(), ["abcdefghij"]);
}

#[test]
fn what_is_no_list_stores_nothing() {
    let sandbox = Sandbox::default();
    for stdin in ["", "nonsense", r#"{"op":"add","text":"x"}"#, r#"[{"op":"add","text":"x"}"#] {
        let answer = sandbox.ends_with(2, &["batch"], stdin);
        assert_eq!(answer["error"]["stored"], false);
    }
    sandbox.ends_with(2, &["batch"], b"[\"\xff\"]");
    assert_eq!(sandbox.ends_with(0, &["batch"], "[]")["results"], json!([]));
    assert_eq!(sandbox.texts(), Vec::<String>::new());
}
