//! What of an answer is to be done, in the order of the checks.

use super::{Answer, AnswerProblem, MOST_CHANGES, Op};
use crate::{BookName, topic_name};

/// Whether memory can keep a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// It can, cleaned so.
    Fit(String),
    /// It is or holds a secret. Whatever else is wrong with it is not looked at.
    Secret,
    /// It cannot, for this reason; the reason does not repeat the text.
    Unfit(String),
}

/// What is to become of one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Planned {
    /// It is to be done; its text is cleaned.
    Do {
        /// What.
        op: Op,
        /// The book of its topic, when it names one.
        topic: Option<BookName>,
        /// Whether it is meant for the team's memory.
        team: bool,
    },
    /// It is left out without a word.
    Secret,
    /// It is left out with this warning.
    Unfit(String),
    /// It is beyond those that count.
    Beyond,
}

/// What is to become of each change of an answer, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan(pub Vec<Planned>);

impl Answer {
    /// Checks the answer against the list that was shown, and each text by `fitness`.
    ///
    /// In this order: an unlisted entry among all changes, a bad topic among those that count, then each change.
    ///
    /// # Errors
    /// Returns why the whole answer fails.
    pub fn plan(&self, listed: usize, fitness: impl Fn(&str) -> Fitness) -> Result<Plan, AnswerProblem> {
        for (index, change) in self.changes.iter().enumerate() {
            if let Some(entry) = change.op.entry().filter(|entry| *entry > listed as u64) {
                return Err(AnswerProblem::Unlisted { index, entry, listed });
            }
        }
        let mut topics = Vec::with_capacity(MOST_CHANGES);
        for (index, change) in self.changes.iter().take(MOST_CHANGES).enumerate() {
            let topic = change
                .topic
                .as_deref()
                .map(|topic| topic_name(topic).map_err(|_| AnswerProblem::Topic { index }));
            topics.push(topic.transpose()?);
        }
        let mut topics = topics.into_iter();
        let planned = self.changes.iter().map(|change| {
            let Some(topic) = topics.next() else { return Planned::Beyond };
            let fit = |text: &str, op: &dyn Fn(String) -> Op| match fitness(text) {
                Fitness::Fit(text) => Planned::Do { op: op(text), topic: topic.clone(), team: change.team },
                Fitness::Secret => Planned::Secret,
                Fitness::Unfit(reason) => Planned::Unfit(reason),
            };
            match &change.op {
                Op::Add { text } => fit(text, &|text| Op::Add { text }),
                Op::Edit { entry, text } => fit(text, &|text| Op::Edit { entry: *entry, text }),
                remove @ Op::Remove { .. } => {
                    Planned::Do { op: remove.clone(), topic: topic.clone(), team: change.team }
                }
            }
        });
        Ok(Plan(planned.collect()))
    }
}
