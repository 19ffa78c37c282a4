//! Whatever was appended, retried, put aside, taken in and exchanged: each message once, in one order, everywhere.

use memlore_model::Message;
use memlore_testing::{At, Network};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;

/// One thing that happens. Numbers name replicas, conversations, texts and stamps.
#[derive(Clone, Debug)]
enum Event {
    /// Hands over messages without stamps.
    Append(usize, usize, Vec<usize>),
    /// Hands over a message with a stamp; the same numbers mean the same message.
    Stamped(usize, usize, usize, i64),
    /// Leaves a stamped message in a pending file, as this replica or as another program.
    PutAside(usize, usize, usize, i64, bool),
    /// Leaves lines without stamps in a pending file of their own, in the place of those that were there.
    Unstamped(usize, usize, Vec<usize>),
    /// Copies a pending file to another device, as a conflict copy.
    Copy(usize, usize, usize),
    Recover(usize),
    Deliver(usize, usize),
    Restart(usize),
    ClockOff(usize, i64),
}

const SESSIONS: [&str; 2] = ["s", "Ünïcode/../.."];
const TEXTS: [&str; 4] = ["yes", "", "caf\u{e9}", "a\nb"];

/// Events; `unstamped` says how often lines without stamps are among them.
fn events(unstamped: u32) -> impl Strategy<Value = Vec<Event>> {
    let (at, session, text, stamp) = (0..4_usize, 0..SESSIONS.len(), 0..TEXTS.len(), 1..6_i64);
    let lines = (at.clone(), session.clone(), prop::collection::vec(text.clone(), 1..5));
    let event = prop_oneof![
        unstamped => lines.prop_map(|(at, session, texts)| Event::Unstamped(at, session, texts)),
        4 => (at.clone(), session.clone(), prop::collection::vec(text.clone(), 1..4))
            .prop_map(|(at, session, texts)| Event::Append(at, session, texts)),
        4 => (at.clone(), session.clone(), text.clone(), stamp.clone())
            .prop_map(|(at, session, text, stamp)| Event::Stamped(at, session, text, stamp)),
        4 => (at.clone(), session.clone(), text, stamp, any::<bool>())
            .prop_map(|(at, session, text, stamp, ours)| Event::PutAside(at, session, text, stamp, ours)),
        2 => (at.clone(), at.clone(), session).prop_map(|(from, to, session)| Event::Copy(from, to, session)),
        3 => at.clone().prop_map(Event::Recover),
        4 => (at.clone(), at.clone()).prop_map(|(from, to)| Event::Deliver(from, to)),
        1 => at.clone().prop_map(Event::Restart),
        1 => (at, -400..4_000_000_i64).prop_map(|(at, seconds)| Event::ClockOff(at, seconds)),
    ];
    prop::collection::vec(event, 1..25)
}

/// Session, stamp and text of a message.
type Identity = (String, i64, String);

struct Player {
    net: Network,
    all: Vec<At>,
    handed: BTreeSet<Identity>,
}

impl Player {
    fn new(replicas: usize) -> Self {
        let mut net = Network::default();
        let all = (0..replicas).map(|n| net.replica(&format!("device{n}"))).collect();
        Self { net, all, handed: BTreeSet::new() }
    }

    fn at(&self, number: usize) -> At {
        self.all[number % self.all.len()]
    }

    fn play(&mut self, event: &Event) {
        match event {
            Event::Append(at, session, texts) => {
                let messages: Vec<Message> = texts.iter().map(|text| message(TEXTS[*text], None)).collect();
                self.append(*at, SESSIONS[*session], &messages, texts);
            }
            Event::Stamped(at, session, text, stamp) => {
                self.append(*at, SESSIONS[*session], &[message(TEXTS[*text], Some(*stamp))], &[*text]);
            }
            Event::PutAside(at, session, text, stamp, ours) => {
                let status = self.net.store(self.at(*at)).status().unwrap();
                let writer = if *ours { status.replica.to_string() } else { "somebody".to_owned() };
                let line = serde_json::json!({
                    "_fallback_timestamp": *stamp as f64, "_session": SESSIONS[*session], "_writer": writer,
                    "message": {"role": "user", "content": TEXTS[*text]},
                });
                self.write_pending(*at, &format!("p{session}.pending.jsonl"), &format!("{line}\n"));
                let identity = (SESSIONS[*session].to_owned(), stamp * 1_000_000, TEXTS[*text].to_owned());
                self.handed.insert(identity);
            }
            Event::Unstamped(at, session, texts) => {
                let lines: String = texts
                    .iter()
                    .map(|text| {
                        let message = serde_json::json!({"role": "user", "content": TEXTS[*text]});
                        format!(
                            "{}\n",
                            serde_json::json!({"_session": SESSIONS[*session], "message": message})
                        )
                    })
                    .collect();
                let home = self.net.at(self.at(*at)).home();
                fs::remove_file(home.join("sessions").join("q.pending.jsonl")).ok();
                self.write_pending(*at, "q.pending.jsonl", &lines);
            }
            Event::Copy(from, to, session) => {
                let home = self.net.at(self.at(*from)).home();
                let file = home.join("sessions").join(format!("p{session}.pending.jsonl"));
                if let Ok(content) = fs::read_to_string(file) {
                    self.write_pending(*to, &format!("p{session}.pending-DEVICE{from}.jsonl"), &content);
                }
            }
            Event::Recover(at) => drop(self.net.store(self.at(*at)).recover().unwrap()),
            Event::Deliver(from, to) => {
                let (from, to) = (self.at(*from), self.at(*to));
                if from != to {
                    self.net.deliver(from, to);
                }
            }
            Event::Restart(at) => self.net.restart(self.at(*at)),
            Event::ClockOff(at, seconds) => self.net.set_clock_off(self.at(*at), *seconds),
        }
    }

    fn append(&mut self, at: usize, session: &str, messages: &[Message], texts: &[usize]) {
        let answers = self.net.store(self.at(at)).append(session, messages).unwrap();
        for (answer, text) in answers.iter().zip(texts) {
            let identity = (session.to_owned(), answer.flush_us.unwrap(), TEXTS[*text].to_owned());
            let new = self.handed.insert(identity);
            assert!(new || messages[0].given_us().is_some(), "a stamp is made once");
        }
    }

    fn write_pending(&self, at: usize, name: &str, content: &str) {
        let folder = self.net.at(self.at(at)).home().join("sessions");
        fs::create_dir_all(&folder).unwrap();
        let mut file = fs::OpenOptions::new().create(true).append(true).open(folder.join(name)).unwrap();
        file.write_all(content.as_bytes()).unwrap();
    }

    /// Everything of a replica, in its order.
    fn read(&mut self, at: At) -> Vec<Identity> {
        let mut all = Vec::new();
        for session in SESSIONS {
            let listed = self.net.store(at).sessions().unwrap();
            if !listed.iter().any(|listed| listed.session == session) {
                continue;
            }
            let shown = self.net.store(at).session(session, None, &mut |message| {
                let content = message.fields.iter().find(|(name, _)| name == "content").unwrap();
                let content = serde_json::from_str(&content.1).unwrap();
                all.push((message.session.clone(), message.flush_us, content));
                Ok(())
            });
            shown.unwrap();
        }
        all
    }
}

impl Player {
    /// Lets everything reach everybody; asserts that all have the same and that nothing is left to do. Returns it.
    fn settle(&mut self) -> Vec<Identity> {
        let all = self.all.clone();
        for at in &all {
            self.net.store(*at).recover().unwrap();
        }
        self.net.run_until_quiet();
        let first = self.read(all[0]);
        for at in &all {
            assert_eq!(self.read(*at), first);
            let again = self.net.exchange(*at);
            assert_eq!((again.records, again.published_records), (0, 0));
            for check in self.net.store(*at).doctor(false, false).unwrap() {
                assert!(check.ok, "{} {}", check.name, check.detail);
            }
        }
        first
    }
}

fn message(text: &str, stamp: Option<i64>) -> Message {
    let mut json = serde_json::json!({"role": "user", "content": text});
    if let Some(stamp) = stamp {
        json["flush_timestamp"] = (stamp * 1_000_000).into();
    }
    Message::parse(json.to_string().as_bytes()).unwrap()
}

/// So many cases, unless PROPTEST_CASES asks for another number.
fn config(cases: u32) -> ProptestConfig {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: wanted.unwrap_or(cases), max_shrink_iters: 300, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn each_message_is_there_once_in_one_order(replicas in 2..=4_usize, events in events(0)) {
        let mut player = Player::new(replicas);
        events.iter().for_each(|event| player.play(event));
        let read = player.settle();
        let once: BTreeSet<Identity> = read.iter().cloned().collect();
        prop_assert_eq!(once.len(), read.len());
        prop_assert_eq!(&once, &player.handed);
    }

    /// What a line without a stamp is may depend on who reads it first; in the end all agree.
    #[test]
    fn lines_without_stamps_are_the_same_everywhere(replicas in 2..=3_usize, events in events(6)) {
        let mut player = Player::new(replicas);
        events.iter().for_each(|event| player.play(event));
        player.settle();
    }
}
