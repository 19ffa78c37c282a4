//! An agent's own memory and its team's, in one profile.

use memlore_model::BookName;
use memlore_store::Store;
use memlore_store::answer::{AddStatus, Reviewed};
use memlore_store::ask::{Add, Init, ListQuery, Review};
use memlore_testing::Network;
use serde_json::json;
use std::fs;

fn texts(store: &Store, book: &BookName) -> Vec<String> {
    let query = ListQuery { book: Some(book.clone()), ..ListQuery::default() };
    store.list(&query).unwrap().entries.into_iter().map(|listed| listed.entry.text).collect()
}

fn apply(store: &mut Store, through: u64) -> Reviewed {
    let changes = json!({"changes": [
        {"op": "add", "text": "Ships on Tuesdays", "team": true},
        {"op": "add", "text": "Eats no fish", "team": true, "topic": "food"},
        {"op": "add", "text": "Likes tea", "team": false},
    ]});
    let conversation = "group:room:bot".to_owned();
    let review = Review { conversation, through, answer: changes.to_string(), ..Review::default() };
    store.review_apply(&review).unwrap().answer
}

#[test]
fn what_is_meant_for_the_team_goes_to_its_file_where_there_is_one() {
    let net = Network::default();
    let folder = tempfile::tempdir().unwrap();
    let (home, state) = (folder.path().join("bot"), folder.path().join("state"));
    fs::create_dir_all(folder.path().join("team")).unwrap();
    let theirs = "# The team\n\nEverybody's.\n\n- Meets on Mondays [by: Ann]\n";
    let shared = folder.path().join("team/MEMORY.md");
    fs::write(&shared, theirs).unwrap();
    let open = || net.open_at("desk", &home, &state);
    let bullets = Init { dialect: Some("bullets".to_owned()), ..Init::default() };
    drop(Store::init(open(), &bullets).unwrap());
    let views = vec![(BookName::team(), "../team/MEMORY.md".into())];
    drop(Store::init(open(), &Init { views, ..bullets }).unwrap());
    let mut store = Store::open(open()).unwrap();
    assert_eq!(apply(&mut store, 1).applied.len(), 3);
    assert_eq!(texts(&store, &BookName::team()), ["Meets on Mondays", "Ships on Tuesdays", "Eats no fish"]);
    assert_eq!(texts(&store, &BookName::memory()), ["Likes tea"]);
    let expected = format!("{theirs}- Ships on Tuesdays\n- Eats no fish\n");
    assert_eq!(fs::read_to_string(&shared).unwrap(), expected);
    let own = fs::read_to_string(home.join("MEMORY.md")).unwrap();
    assert_eq!(own, "# Memory\n\n- Likes tea\n\n## Index\n");

    // What the team knows is no duplicate of what the bot knows, nor the other way round.
    let own = store.add(&Add::new(BookName::memory(), "ships on TUESDAYS")).unwrap().answer;
    assert_eq!(own.status, AddStatus::Added);
    let again = store.add(&Add::new(BookName::team(), "meets on  mondays")).unwrap().answer;
    assert_eq!(again.status, AddStatus::Exists);
    assert_eq!(apply(&mut store, 2).applied.len(), 0);
}

#[test]
fn an_agent_without_a_team_keeps_it_to_itself() {
    let net = Network::default();
    let folder = tempfile::tempdir().unwrap();
    let open = net.open_at("desk", &folder.path().join("bot"), &folder.path().join("state"));
    let mut store = Store::open_or_create(open).unwrap().answer;
    assert_eq!(apply(&mut store, 1).applied.len(), 3);
    assert_eq!(texts(&store, &BookName::team()), [""; 0]);
    assert_eq!(texts(&store, &BookName::memory()), ["Ships on Tuesdays", "Likes tea"]);
    assert_eq!(texts(&store, &"food".parse().unwrap()), ["Eats no fish"]);
}
