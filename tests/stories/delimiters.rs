//! Texts that look like something of ours, or of a view, are ordinary texts on every path.

use memlore_store::ask::BatchOp;
use memlore_testing::Network;

/// Whole entries that some program's parser would take apart, hide or take for its own.
const DISGUISED: [&str; 17] = [
    "Deploy:\n§\nmigrate first",
    "§",
    "§\nx",
    "x\n§",
    "x\n§\n",
    "  §  ",
    "\\§",
    "a\n\\§\nb",
    "a\n\\\\§\nb",
    "§\n§\n§",
    "a\n § \nb",
    "# Memory",
    "<!-- memlore -->",
    "<!-- id: aaaaaaaaaaaaaaaaaaaaaaaaaa -->",
    "__mem_tomb__:da39a3ee",
    "+aaaaaaaaaaaaaaaaaaaaaaaaaa",
    "[key: value]",
];

#[test]
fn a_disguised_text_is_one_entry_everywhere_and_goes_by_its_own_text() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, "n1");
    for text in DISGUISED {
        net.add(ada, text);
        net.add(ada, "n2");
        net.restart(ada);
        net.meet(ada, bob);
        let shown = net.texts(bob);
        assert_eq!(shown.len(), 3, "{text:?}");
        assert_eq!(shown[1].trim(), text.trim());
        net.remove(bob, text);
        net.meet(ada, bob);
        assert_eq!(net.texts(ada), ["n1", "n2"], "{text:?}");
        net.remove(ada, "n2");
    }
    net.settle();
}

#[test]
fn all_disguised_texts_stand_beside_each_other_and_survive_an_edit_of_the_file() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    let mut ops: Vec<BatchOp> = DISGUISED.map(|text| BatchOp::Add { text: text.to_owned() }).into();
    ops.push(BatchOp::Add { text: "last".to_owned() });
    net.batch(ada, &ops);
    let before = net.texts(ada);
    // Two of them differ from others by outer white space alone.
    assert_eq!(before.len(), DISGUISED.len() - 2 + 1);
    let view = String::from_utf8(net.at(ada).view()).unwrap();
    net.edit(ada, format!("{view}\n§\nby hand"));
    assert_eq!(net.texts(ada), [before.clone(), vec!["by hand".to_owned()]].concat());
    net.settle();
    for text in &before[..before.len() - 1] {
        net.remove(bob, text);
    }
    net.settle();
    assert_eq!(net.texts(ada), ["last", "by hand"]);
}
