//! `review apply`: a model's answer, applied as one.

use crate::answer::Shown;
use crate::commands::{Result, stdin};
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{ADDED, CHANGED, Page, QUIET, REMOVED, count, glimpse, paint};
use crate::world::World;
use memlore_model::BookName;
use memlore_model::review::{AnswerProblem, Malformation};
use memlore_store::answer::Reviewed;
use memlore_store::ask::Review;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::{Value, json};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The conversation's key, such as `chat:<session>`
    #[arg(long, value_name = "KEY")]
    conversation: String,
    /// The number of the last line that the model was shown
    #[arg(long, value_name = "N")]
    through: u64,
    /// The books that were reviewed; what is added goes to `memory` when it is one of them, else to the first
    #[arg(long = "book", value_name = "BOOK")]
    books: Vec<BookName>,
    /// What was shown, as `review list` tells it; needed when the answer edits or removes
    #[arg(long, value_name = "TOKEN")]
    context: Option<String>,
}

pub(super) fn run(args: Args, world: &World) -> Result<impl Answer + use<>> {
    let Ok(answer) = String::from_utf8(stdin::read()?) else {
        let problem = AnswerProblem::from(Malformation::NoObject);
        return Err(memlore_store::Error::from(problem).into());
    };
    let Args { conversation, through, books, context } = args;
    let (mut store, mut warnings) = world.open_or_create()?;
    let review = Review { conversation, through, books, context, answer };
    let reviewed = store.review_apply(&review).map_err(CommandError::from)?;
    warnings.extend(reviewed.warnings);
    Ok(Reply::new(ApplyAnswer(reviewed.answer), warnings))
}

struct ApplyAnswer(Reviewed);

impl Serialize for ApplyAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Reviewed { applied, left_out, secrets, cursor, again, already } = &self.0;
        let applied: Vec<Value> = applied
            .iter()
            .map(|change| json!({"index": change.index, "op": change.op, "id": Shown(change.id), "text": change.text}))
            .collect();
        let left_out: Vec<Value> =
            left_out.iter().map(|change| json!({"index": change.index, "reason": change.reason})).collect();
        let mut fields = to.serialize_struct("Reviewed", 6)?;
        fields.serialize_field("applied", &applied)?;
        fields.serialize_field("left_out", &left_out)?;
        fields.serialize_field("secrets", secrets)?;
        fields.serialize_field("cursor", cursor)?;
        fields.serialize_field("again", again)?;
        fields.serialize_field("already", already)?;
        fields.end()
    }
}

impl Answer for ApplyAnswer {
    fn write(&self, page: &mut Page) {
        let Reviewed { applied, left_out, secrets, cursor, again, already } = &self.0;
        if *already {
            page.line(paint(QUIET, "this answer was applied already"));
        }
        for change in applied {
            let sign = match change.op {
                "add" => paint(ADDED, "+").to_string(),
                "edit" => paint(CHANGED, "~").to_string(),
                _ => paint(REMOVED, "-").to_string(),
            };
            page.line(format_args!("{sign} {}", glimpse(&change.text)));
        }
        for change in left_out {
            page.line(paint(QUIET, format_args!("change {} is left out: {}", change.index, change.reason)));
        }
        if *secrets > 0 {
            let what = count(*secrets, "change holds a secret", "changes hold secrets");
            page.line(paint(QUIET, format_args!("{what}, and nothing of them is kept")));
        }
        let read = cursor.map_or_else(|| "nothing".to_owned(), |line| format!("line {line}"));
        let next = if *again { "; read the same lines again" } else { "" };
        page.line(paint(QUIET, format_args!("read through {read}{next}")));
    }
}
