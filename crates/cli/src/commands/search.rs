//! `search`: finds entries and messages by their words.

use super::Result;
use crate::error::{CommandError, Exit};
use crate::output::{Answer, Reply};
use crate::page::{Page, QUIET, paint, safe};
use crate::world::World;
use memlore_store::answer::{Found, Hit};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Words; "words in quotes" stand together, and a star ends the beginning of a word
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// Search the conversations too
    #[arg(long)]
    sessions: bool,
    /// At most N hits
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let store = world.open()?;
    let hits = store.search(&args.query, args.sessions, args.limit).map_err(CommandError::from)?;
    let error = hits.is_empty().then(|| {
        let hint = if args.sessions {
            "fewer words find more, and so does the beginning of a word with a star"
        } else {
            "--sessions searches the conversations too; a star ends the beginning of a word"
        };
        CommandError::new(Exit::Nothing, "not_found", "nothing was found").hint(hint)
    });
    Ok(Reply::new(SearchAnswer { hits: hits.into_iter().map(HitJson::from).collect() }, Vec::new())
        .with_error(error))
}

#[derive(Serialize)]
struct SearchAnswer {
    hits: Vec<HitJson>,
}

#[derive(Serialize)]
#[serde(transparent)]
struct HitJson(Value);

impl From<Hit> for HitJson {
    fn from(Hit { found, text, snippet, score }: Hit) -> Self {
        Self(match found {
            Found::Entry { id, book, device } => json!({
                "kind": "entry", "id": id.to_string(), "book": book.as_str(), "device": device, "text": text,
                "snippet": snippet, "score": score,
            }),
            Found::Message(message) => {
                let role = message.fields.iter().rev().find(|(name, _)| name == "role");
                let role: Value =
                    role.and_then(|(_, role)| serde_json::from_str(role).ok()).unwrap_or_default();
                json!({
                    "kind": "message", "session": message.session, "role": role,
                    "flush_timestamp": message.flush_us, "device": message.device, "text": text,
                    "snippet": snippet, "score": score,
                })
            }
        })
    }
}

impl Answer for SearchAnswer {
    fn write(&self, page: &mut Page) {
        for HitJson(hit) in &self.hits {
            let text = |name: &str| hit[name].as_str().unwrap_or_default();
            let place = if text("kind") == "entry" { text("book") } else { text("session") };
            page.line(format_args!("{}  {}", paint(QUIET, safe(place)), safe(text("snippet"))));
        }
    }
}
