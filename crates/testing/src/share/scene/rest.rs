//! How a scene ends: everything heals, people do what they are told, and everybody has to know everything.

use super::Scene;
use crate::share::cloud::Cloud;
use crate::share::device::{ADDRESS, Held};
use crate::share::files::Bytes;
use crate::share::names::copies_of;
use crate::share::truth::Truth;
use memlore_exchange::{MARKER, Segment, decode};
use memlore_model::EntryId;
use std::collections::BTreeSet;

/// So many rounds of exchanges, eight days apart, are enough for everybody to know everything.
const ROUNDS: usize = 6;
const EIGHT_DAYS_S: u64 = 8 * 24 * 60 * 60;

impl Scene {
    /// All mischief ends; everybody gets to know everything, and agrees.
    pub(super) fn rest(&mut self) -> Result<(), String> {
        self.story.push("all heals".to_owned());
        self.cloud().heal();
        let mut truth = Truth::default();
        for who in 0..self.devices.len() {
            self.devices[who].set_clock_off(0);
            self.devices[who].stop();
            let held = self.devices[who].held();
            self.holds_what_it_answered_for(who, &held)?;
            truth.of_store(&held);
        }
        truth.of_segments(&self.segments());
        for _ in 0..ROUNDS {
            self.world.wait(EIGHT_DAYS_S);
            let mut refused = Vec::new();
            for who in 0..self.devices.len() {
                if self.exchange(who, None)?.share_problem.is_some()
                    && self.exchange(who, Some(ADDRESS))?.share_problem.is_some()
                {
                    refused.push(who);
                }
                self.cloud().heal();
            }
            if refused.len() == self.devices.len() {
                self.somebody_looks_after_the_share();
            } else if let Some(who) = refused.first() {
                self.somebody_joins_the_stores(*who)?;
            }
        }
        let first = self.devices[0].held();
        for who in 0..self.devices.len() {
            let held = self.devices[who].held();
            let name = self.devices[who].name.clone();
            if let Some(wrong) = truth.missed_by(&held) {
                return Err(format!("{name}: {wrong}"));
            }
            if !held.live.keys().all(|id| self.ever.added.contains(id)) {
                return Err(format!("{name} shows what nobody added: {:?}", held.live));
            }
            if let Some(id) = held.removed.difference(&self.ever.removed).next() {
                return Err(format!("{name}: {id} was removed, and nobody did"));
            }
            if held != first {
                return Err(format!("{name} and d0 differ:\n{held:?}\n{first:?}"));
            }
        }
        for who in 0..self.devices.len() {
            let synced = self.exchange(who, None)?;
            if (synced.records, synced.published_records) != (0, 0) || synced.share_problem.is_some() {
                return Err("another exchange moves something".to_owned());
            }
        }
        Ok(())
    }

    /// Where nobody may write, a person does what they are told: a damaged marker goes, and so does what is in the way of
    /// a new share that holds no segment.
    fn somebody_looks_after_the_share(&mut self) {
        let in_the_way: Vec<String> = {
            let cloud = self.cloud();
            let files: Vec<&str> = cloud.places[0].files.present().map(|(path, ..)| path).collect();
            let any_segment = !Self::segments_in(&cloud).is_empty();
            let goes = |path: &&&str| if any_segment { **path == MARKER } else { true };
            files.iter().filter(goes).map(|path| (*path).to_owned()).collect()
        };
        self.story.push(format!("somebody deletes {}", in_the_way.join(", ")));
        let mut cloud = self.cloud();
        in_the_way.iter().for_each(|path| cloud.change(0, path, None));
        cloud.heal();
    }

    /// Where a device belongs to another store, a person names an empty folder to it, and puts what lies in the share and
    /// what the device published there into one, with both markers.
    fn somebody_joins_the_stores(&mut self, who: usize) -> Result<(), String> {
        self.story
            .push(format!("somebody joins the store of {} with that of the share", self.devices[who].name));
        let at = self.devices[who].at;
        let files: Vec<(String, Bytes)> = {
            let mut cloud = self.cloud();
            let present = cloud.places[at].files.present();
            let files: Vec<_> =
                present.map(|(path, _, bytes)| (path.to_owned(), Bytes::clone(bytes))).collect();
            files.iter().for_each(|(path, _)| cloud.change(at, path, None));
            files
        };
        self.exchange(who, Some(ADDRESS))?;
        let mut cloud = self.cloud();
        let there: BTreeSet<String> =
            cloud.places[at].files.present().map(|(path, ..)| path.to_owned()).collect();
        for (path, bytes) in files {
            let beside = if path == MARKER { copies_of(MARKER)[0].clone() } else { path };
            if !there.contains(&beside) {
                cloud.change(at, &beside, Some(bytes));
            }
        }
        cloud.heal();
        Ok(())
    }

    fn holds_what_it_answered_for(&self, who: usize, held: &Held) -> Result<(), String> {
        let answered = &self.answered[who];
        let shown: BTreeSet<&EntryId> = held.live.keys().chain(&held.removed).collect();
        let talk: BTreeSet<(i64, String)> = held.talk.iter().cloned().collect();
        let name = &self.devices[who].name;
        // Of several entries of one text one is shown.
        let hidden = |id: &&EntryId| !shown.contains(id);
        match answered.added.iter().filter(hidden).count() {
            0 => {}
            hidden if hidden <= self.texts.len() - self.different_texts() => {}
            _ => return Err(format!("{name} lost what it answered for, before anything healed")),
        }
        if !answered.removed.is_subset(&held.removed) {
            return Err(format!("{name} lost a removal that it answered for, before anything healed"));
        }
        if !answered.said.is_subset(&talk) {
            return Err(format!("{name} lost a message that it answered for, before anything healed"));
        }
        Ok(())
    }

    fn different_texts(&self) -> usize {
        self.texts.iter().collect::<BTreeSet<_>>().len()
    }

    /// The segments that lie anywhere in the share.
    fn segments(&self) -> Vec<Segment> {
        Self::segments_in(&self.cloud())
    }

    fn segments_in(cloud: &Cloud) -> Vec<Segment> {
        let files = cloud.places.first().map(|place| &place.files);
        let present = files.into_iter().flat_map(|files| files.present());
        present
            .filter(|(path, ..)| path.starts_with("r/"))
            .filter_map(|(_, _, bytes)| decode(bytes).ok())
            .collect()
    }
}
