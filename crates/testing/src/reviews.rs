//! Bodies that feed the reader of a model's answers, and the search for secrets, with anything.

use memlore_model::review::{Fitness, MOST_CHANGES, Planned, read_answer};
use memlore_model::{find_secret, quoted};

/// Reads the bytes as a model's answer to a list of three entries.
///
/// Whatever can be read is planned change by change: what counts is done, left out or refused, and nothing of a secret
/// is repeated.
pub fn check_review_answer(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if find_secret(&text).is_some() {
        assert_eq!(quoted(&text), "what was given");
    }
    let Ok(answer) = read_answer(&text) else { return };
    // Prose around an answer changes nothing of it.
    assert_eq!(read_answer(&format!("Here it is:\n```json\n{text}\n```")), Ok(answer.clone()));
    let fitness = |text: &str| match find_secret(text) {
        Some(_) => Fitness::Secret,
        None if text.len() > 300 => Fitness::Unfit("too long".to_owned()),
        None => Fitness::Fit(text.to_owned()),
    };
    match answer.plan(3, fitness) {
        Err(problem) => assert!(!problem.to_string().is_empty()),
        Ok(plan) => {
            assert_eq!(plan.0.len(), answer.changes.len());
            for (index, (planned, change)) in plan.0.iter().zip(&answer.changes).enumerate() {
                assert_eq!(*planned == Planned::Beyond, index >= MOST_CHANGES);
                if let Planned::Do { op, .. } = planned {
                    assert_eq!(op.entry(), change.op.entry());
                    assert!(op.entry().is_none_or(|entry| (1..=3).contains(&entry)));
                    assert!(op.text().is_none_or(|text| find_secret(text).is_none()));
                }
            }
        }
    }
}
