//! A model's answers: one unfit change spoils no other, and no line is read twice.

use memlore_model::BookName;
use memlore_model::review::{AnswerProblem, Malformation};
use memlore_store::answer::Reviewed;
use memlore_store::ask::{Init, Removal, Review};
use memlore_store::{Error, Kind, Store};
use memlore_testing::{At, Network};
use serde_json::{Value, json};

const TOO_LONG: &str = include_str!("../../crates/model/src/review/answer-one-too-long.json");

/// A network of homes in which an entry may have 300 UTF-16 units.
fn network<const N: usize>(names: [&str; N]) -> (Network, [At; N]) {
    let mut net = Network::default();
    let devices = names.map(|name| net.replica(name));
    for (device, name) in devices.into_iter().zip(names) {
        let (home, state) = (net.at(device).home(), net.at(device).home().with_file_name("state"));
        let limit = Some("300:utf16".parse().unwrap());
        let init = Init { entry_limit: Some(limit), ..Init::default() };
        drop(Store::init(net.open_at(name, &home, &state), &init).unwrap());
        net.restart(device);
    }
    (net, devices)
}

fn context(net: &mut Network, at: At) -> String {
    net.store(at).review_list(&[]).unwrap().context
}

fn review(through: u64, context: &str, changes: &Value) -> Review {
    Review {
        conversation: "chat:1".to_owned(),
        through,
        context: Some(context.to_owned()),
        answer: json!({"changes": changes}).to_string(),
        ..Review::default()
    }
}

fn apply(net: &mut Network, at: At, review: &Review) -> Reviewed {
    net.store(at).review_apply(review).unwrap().answer
}

fn reasons(done: &Reviewed) -> Vec<(usize, &str)> {
    done.left_out.iter().map(|change| (change.index, change.reason.as_str())).collect()
}

fn cursor(net: &mut Network, at: At) -> Option<u64> {
    net.store(at).review_cursor("chat:1", None).unwrap()
}

#[test]
fn one_text_too_long_spoils_no_other_change() {
    let (mut net, [ada]) = network(["ada"]);
    net.add(ada, "Likes tea");
    net.store(ada).review_cursor("chat:1", Some(9)).unwrap();
    let review = Review {
        conversation: "chat:1".to_owned(),
        through: 11,
        context: Some(context(&mut net, ada)),
        answer: TOO_LONG.to_owned(),
        ..Review::default()
    };
    let done = net.store(ada).review_apply(&review).unwrap();
    assert_eq!(done.warnings.len(), 1, "{:?}", done.warnings);
    assert!(done.warnings[0].contains("348 utf16"), "{:?}", done.warnings);
    assert_eq!(done.answer.left_out.len(), 1);
    assert_eq!((done.answer.cursor, done.answer.again, done.answer.already), (Some(11), false, false));
    assert_eq!(done.answer.applied[0].op, "remove");
    assert_eq!(net.texts(ada), [""; 0]);
    assert_eq!(cursor(&mut net, ada), Some(11));

    let again = apply(&mut net, ada, &review);
    assert!(again.already && again.applied.is_empty() && again.cursor == Some(11));
    let other = Review { answer: r#"{"changes":[]}"#.to_owned(), ..review };
    let moved = net.store(ada).review_apply(&other).unwrap_err();
    assert!(matches!(moved, Error::Moved { through: 11, cursor: 11, .. }), "{moved}");
}

#[test]
fn each_change_has_its_fate() {
    let (mut net, [ada]) = network(["ada"]);
    for text in ["one", "two", "three", "four"] {
        net.add(ada, text);
    }
    let token = context(&mut net, ada);
    let done = apply(
        &mut net,
        ada,
        &review(
            5,
            &token,
            &json!([
                {"op": "add", "text": "five"},
                {"op": "edit", "entry": 1, "text": "x ".repeat(200)},
                {"op": "edit", "entry": "2", "text": "two and a half"},
                {"op": "remove", "entry": 3},
                {"op": "remove", "entry": 3},
                {"op": "add", "text": "the root password is hunter2"},
                {"op": "add", "text": "four"},
                {"op": "add", "text": "three"},
                {"op": "add", "text": "nine"},
            ]),
        ),
    );
    let ops: Vec<_> = done.applied.iter().map(|change| (change.index, change.op)).collect();
    assert_eq!(ops, [(0, "add"), (2, "edit"), (3, "remove"), (7, "add")]);
    assert_eq!(done.secrets, 1);
    assert_eq!(
        reasons(&done)[1..],
        [
            (4, "gone: this answer removes the entry"),
            (6, "it is remembered already"),
            (8, "only the first 8 changes count"),
        ]
    );
    assert_eq!(net.texts(ada), ["one", "two and a half", "four", "five", "three"]);
}

#[test]
fn several_changes_of_one_entry_end_as_the_last_says() {
    let (mut net, [ada]) = network(["ada"]);
    for text in ["a", "b", "c"] {
        net.add(ada, text);
    }
    let token = context(&mut net, ada);
    let changes = json!([
        {"op": "edit", "entry": 1, "text": "a2"},
        {"op": "edit", "entry": 1, "text": "a3"},
        {"op": "edit", "entry": 2, "text": "b2"},
        {"op": "remove", "entry": 2},
        {"op": "edit", "entry": 2, "text": "b3"},
        {"op": "edit", "entry": 3, "text": "c"},
    ]);
    let done = apply(&mut net, ada, &review(1, &token, &changes));
    assert_eq!(net.texts(ada), ["a3", "c"]);
    let applied: Vec<_> = done.applied.iter().map(|change| (change.index, change.text.as_str())).collect();
    assert_eq!(applied, [(1, "a3"), (3, "b")]);
    assert_eq!(done.left_out.len(), 4);
}

#[test]
fn an_answer_that_fails_whole_changes_nothing_and_the_cursor_stays() {
    let (mut net, [ada]) = network(["ada"]);
    net.add(ada, "tea");
    let token = context(&mut net, ada);
    let add = json!({"op": "add", "text": "coffee"});
    let unlisted = review(3, &token, &json!([add, {"op": "remove", "entry": 2}]));
    let topic = review(3, &token, &json!([add, {"op": "add", "text": "x", "topic": "a/b"}]));
    let cut = Review { answer: r#"{"changes": [{"op": "add", "text": "cof"#.to_owned(), ..topic.clone() };
    let kinds: Vec<Error> =
        [&unlisted, &topic, &cut].map(|review| net.store(ada).review_apply(review).unwrap_err()).into();
    assert!(matches!(kinds[0], Error::Answer(AnswerProblem::Unlisted { index: 1, entry: 2, listed: 1 })));
    assert!(matches!(kinds[1], Error::Answer(AnswerProblem::Topic { index: 1 })));
    assert!(matches!(kinds[2], Error::Answer(AnswerProblem::Malformed(Malformation::NoObject))));
    assert!(kinds.iter().all(|error| error.kind() == Kind::Refused));
    let blind = Review { context: None, ..review(3, "", &json!([{"op": "remove", "entry": 1}])) };
    assert_eq!(net.store(ada).review_apply(&blind).unwrap_err().kind(), Kind::Usage);
    assert_eq!((net.texts(ada), cursor(&mut net, ada)), (vec!["tea".to_owned()], None));
}

#[test]
fn a_full_book_fails_the_whole_answer() {
    let (mut net, [ada]) = network(["ada"]);
    let (home, state) = (net.at(ada).home(), net.at(ada).home().with_file_name("state"));
    let limits = vec![(BookName::memory(), Some("2200".parse().unwrap()))];
    let init = Init { limits, ..Init::default() };
    drop(Store::init(net.open_at("ada", &home, &state), &init).unwrap());
    net.restart(ada);
    for n in 0..7 {
        net.add(ada, &format!("{n} {}", "x".repeat(280)));
    }
    let token = context(&mut net, ada);
    let long = |n: usize| json!({"op": "add", "text": format!("new {n} {}", "y".repeat(280))});
    let full = review(4, &token, &json!([long(0), long(1)]));
    assert!(matches!(net.store(ada).review_apply(&full).unwrap_err(), Error::Full { .. }));
    assert_eq!((net.texts(ada).len(), cursor(&mut net, ada)), (7, None));
    // The final state is what counts: a removal in the same answer makes room.
    let fits = review(
        4,
        &token,
        &json!([long(0), long(1), {"op": "remove", "entry": 1}, {"op": "remove", "entry": 2}]),
    );
    assert_eq!(apply(&mut net, ada, &fits).applied.len(), 4);
    assert_eq!(cursor(&mut net, ada), Some(4));
}

#[test]
fn an_answer_of_which_nothing_is_left_moves_the_cursor() {
    let (mut net, [ada]) = network(["ada"]);
    let secrets: Vec<Value> = (0..8)
        .map(|n| json!({"op": "add", "text": format!("password=hunter2{n} {}", "x ".repeat(200))}))
        .collect();
    let done = apply(&mut net, ada, &review(3, &context_of_nothing(), &json!(secrets)));
    assert_eq!((done.secrets, done.left_out.len(), done.cursor, done.again), (8, 0, Some(3), false));
    let empty = review(4, &context_of_nothing(), &json!([]));
    assert_eq!(apply(&mut net, ada, &empty).cursor, Some(4));
    assert_eq!(net.texts(ada), [""; 0]);
}

fn context_of_nothing() -> String {
    memlore_model::Context::default().to_token()
}

#[test]
fn full_answers_are_read_again_four_times_at_most() {
    let (mut net, [ada]) = network(["ada"]);
    for pass in 1..=4 {
        let adds: Vec<Value> = (0..8).map(|n| json!({"op": "add", "text": format!("{pass} {n}")})).collect();
        let full = review(3, &context_of_nothing(), &json!(adds));
        let done = apply(&mut net, ada, &full);
        assert_eq!((done.again, done.cursor), (pass < 4, (pass == 4).then_some(3)), "pass {pass}");
        let same = apply(&mut net, ada, &full);
        assert!(same.already && same.again == done.again && same.cursor == done.cursor, "pass {pass}");
    }
    // The next lines have passes of their own.
    let adds: Vec<Value> = (0..8).map(|n| json!({"op": "add", "text": format!("5 {n}")})).collect();
    assert!(apply(&mut net, ada, &review(6, &context_of_nothing(), &json!(adds))).again);
    assert!(!apply(&mut net, ada, &review(6, &context_of_nothing(), &json!([]))).again);
    assert_eq!(cursor(&mut net, ada), Some(6));
}

#[test]
fn numbers_mean_the_list_that_was_shown() {
    let (mut net, [ada, bob]) = network(["ada", "bob"]);
    for text in ["a", "b", "c", "d"] {
        net.add(ada, text);
    }
    net.meet(ada, bob);
    let token = context(&mut net, ada);
    net.remove(ada, "a");
    net.replace(ada, "b", "b of bob");
    net.remove(ada, "c");
    net.add(ada, "c");
    net.add(ada, "e");
    let changes = json!([
        {"op": "edit", "entry": 1, "text": "a2"},
        {"op": "remove", "entry": 2},
        {"op": "remove", "entry": 3},
        {"op": "edit", "entry": 4, "text": "d2"},
    ]);
    let done = apply(&mut net, ada, &review(1, &token, &changes));
    assert_eq!(
        reasons(&done),
        [
            (0, "gone: the entry was removed after the list was shown"),
            (1, "gone: the entry was replaced after the list was shown"),
            (2, "gone: the entry was removed after the list was shown"),
        ]
    );
    assert_eq!(net.texts(ada), ["b of bob", "d2", "c", "e"]);

    // The numbers follow from the token, also where the list was not shown.
    let elsewhere = apply(&mut net, bob, &review(1, &token, &json!([{"op": "remove", "entry": 4}])));
    assert_eq!(elsewhere.applied[0].text, "d");
    net.settle();
    let removed = net.texts(ada);
    assert!(removed.contains(&"d2".to_owned()) && !removed.contains(&"d".to_owned()), "{removed:?}");
}

#[test]
fn a_list_that_cannot_be_told_here_is_refused() {
    let (mut net, [ada, bob]) = network(["ada", "bob"]);
    net.add(ada, "a");
    net.meet(ada, bob);
    net.add(ada, "b");
    let token = context(&mut net, ada);
    let removal = review(1, &token, &json!([{"op": "remove", "entry": 1}]));
    let refused = net.store(bob).review_apply(&removal).unwrap_err();
    assert!(matches!(refused, Error::Refused(_)), "{refused}");
    net.meet(ada, bob);
    assert_eq!(apply(&mut net, bob, &removal).applied[0].text, "a");
}

#[test]
fn one_answer_on_two_devices_is_one_change() {
    let (mut net, [ada, bob]) = network(["ada", "bob"]);
    for text in ["a", "b", "c"] {
        net.add(ada, text);
    }
    net.meet(ada, bob);
    let token = context(&mut net, ada);
    let changes = json!([
        {"op": "edit", "entry": 2, "text": "b3"},
        {"op": "remove", "entry": 1},
        {"op": "add", "text": "d"},
    ]);
    let answer = review(7, &token, &changes);
    apply(&mut net, ada, &answer);
    apply(&mut net, bob, &answer);
    net.settle();
    for device in [ada, bob] {
        assert_eq!(net.texts(device), ["b3", "c", "d"]);
        assert_eq!(net.conflicts(device), [[""; 0]; 0]);
        assert!(apply(&mut net, device, &answer).already);
        let checks = net.store(device).doctor(false, true).unwrap();
        assert!(checks.iter().all(|check| check.ok), "{checks:?}");
    }

    // After the exchange, too: a third device finds everything done.
    let eve = net.replica("eve");
    net.settle();
    let done = apply(&mut net, eve, &answer);
    assert!(done.applied.is_empty() && !done.already, "{done:?}");
    net.settle();
    assert_eq!(net.texts(ada), ["b3", "c", "d"]);
}

#[test]
fn nobody_follows_another_cursor() {
    let (mut net, [ada, bob]) = network(["ada", "bob"]);
    apply(&mut net, ada, &review(9, &context_of_nothing(), &json!([])));
    net.settle();
    assert_eq!((cursor(&mut net, ada), cursor(&mut net, bob)), (Some(9), None));
    apply(&mut net, bob, &review(4, &context_of_nothing(), &json!([])));
    net.settle();
    assert_eq!((cursor(&mut net, ada), cursor(&mut net, bob)), (Some(9), Some(4)));
    net.restart(ada);
    assert_eq!(cursor(&mut net, ada), Some(9));
    // Set back by hand, the same answer is applied once more.
    net.store(ada).review_cursor("chat:1", Some(2)).unwrap();
    let again = apply(&mut net, ada, &review(9, &context_of_nothing(), &json!([])));
    assert!(!again.already && again.cursor == Some(9));
}

#[test]
fn a_topic_is_a_book() {
    let (mut net, [ada]) = network(["ada"]);
    let changes =
        json!([{"op": "add", "text": "Night trains", "topic": "[[Travel]]"}, {"op": "add", "text": "tea"}]);
    apply(&mut net, ada, &review(1, &context_of_nothing(), &changes));
    let list = net.store(ada).review_list(&[]).unwrap();
    let shown: Vec<_> =
        list.entries.iter().map(|entry| (entry.number, entry.book.as_str(), entry.text.as_str())).collect();
    assert_eq!(shown, [(1, "memory", "tea"), (2, "travel", "Night trains")]);
    let travel: BookName = "travel".parse().unwrap();
    let list = net.store(ada).review_list(std::slice::from_ref(&travel)).unwrap();
    let only = Review {
        books: vec![travel.clone()],
        ..review(
            2,
            &list.context,
            &json!([{"op": "edit", "entry": 1, "text": "Day trains"}, {"op": "add", "text": "ferries"}]),
        )
    };
    apply(&mut net, ada, &only);
    let list = net.store(ada).review_list(&[travel]).unwrap();
    let texts: Vec<_> = list.entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["Day trains", "ferries"]);
    // A list of one book says nothing of another's entries.
    assert!(net.store(ada).remove("tea", &Removal { context: Some(list.context), why: None }).is_err());
}

#[test]
fn any_answer_is_read_or_refused() {
    for answer in [TOO_LONG, "", "{", "}{", "{}", r#"{"changes":[{"op":"add","text":"password=hunter2"}]}"#] {
        for cut in (0..answer.len()).filter(|cut| answer.is_char_boundary(*cut)) {
            memlore_testing::check_review_answer(&answer.as_bytes()[..cut]);
        }
        memlore_testing::check_review_answer(answer.as_bytes());
    }
}
