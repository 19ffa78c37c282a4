//! `session recover`: takes pending messages in.

use super::super::Result;
use crate::error::{CommandError, Exit};
use crate::output::{Answer, Reply};
use crate::page::{CHANGED, Page, count, paint};
use crate::world::World;
use memlore_store::answer::Recovered;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::{Value, json};

pub(super) fn run(world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let recovered = store.recover().map_err(CommandError::from)?;
    warnings.extend(recovered.warnings);
    let damaged = recovered.answer.damaged.len();
    let error = (damaged > 0).then(|| {
        let what = format!("{} cannot be read", count(damaged, "pending line", "pending lines"));
        CommandError::new(Exit::Damaged, "damaged", what)
            .but_stored()
            .hint("each is kept aside and told of once; mend the files by hand and recover again")
    });
    Ok(Reply::new(RecoverAnswer(recovered.answer), warnings).with_error(error))
}

struct RecoverAnswer(Recovered);

impl Serialize for RecoverAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Recovered { files, recovered, duplicates, damaged } = &self.0;
        let damaged: Vec<Value> = damaged
            .iter()
            .map(|damaged| json!({"file": damaged.file, "line": damaged.line, "reason": damaged.reason}))
            .collect();
        let mut fields = to.serialize_struct("Recovered", 4)?;
        fields.serialize_field("files", files)?;
        fields.serialize_field("recovered", recovered)?;
        fields.serialize_field("duplicates", duplicates)?;
        fields.serialize_field("damaged", &damaged)?;
        fields.end()
    }
}

impl Answer for RecoverAnswer {
    fn write(&self, page: &mut Page) {
        let Recovered { files, recovered, duplicates, damaged } = &self.0;
        let files = count(*files, "pending file", "pending files");
        let recovered = count(*recovered, "message", "messages");
        page.line(format_args!("{recovered} from {files}, {duplicates} there already"));
        for line in damaged {
            let (number, file) = (line.line, line.file.display());
            page.line(format_args!(
                "  {} line {number} of {file}: {}",
                paint(CHANGED, "damaged"),
                line.reason
            ));
        }
    }
}
