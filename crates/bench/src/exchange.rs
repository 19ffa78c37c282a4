//! What an exchange of one new entry reads and writes, as history grows.

use anyhow::{Context as _, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::figure::Figure;
use crate::process::{memlore, run};
use crate::scratch::Scratch;

const SMALL: usize = 1_000;
const LARGE: usize = 100_000;
/// Names and numbers get a digit longer.
const MOST: f64 = 1.1;

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let what = "exchange of one new entry at 100,000, beside 1,000";
    if Command::new("strace").arg("--version").stdout(Stdio::null()).status().is_err() {
        return Ok(vec![Figure::missing(what, "no strace here")]);
    }
    let small = touched(scratch, SMALL)?;
    let large = touched(scratch, LARGE)?;
    let files = (large.files.len() as f64, small.files.len() as f64);
    Ok(vec![
        Figure::ratio(&format!("{what}: files"), files, 1.0, "files"),
        Figure::ratio(&format!("{what}: bytes"), (large.bytes as f64, small.bytes as f64), MOST, "bytes"),
    ])
}

/// What a process opened and moved in the share.
#[derive(Default)]
struct Touched {
    files: BTreeSet<String>,
    bytes: u64,
}

/// One device adds and publishes, another takes in; both are counted, in the share alone.
fn touched(scratch: &Scratch, entries: usize) -> Result<Touched> {
    let share = scratch.path(&format!("exchange-{entries}"));
    let copied = Command::new("cp").arg("-r").arg(scratch.share_of(entries)?).arg(&share).status()?;
    anyhow::ensure!(copied.success(), "the share cannot be copied");
    let devices = ["here", "there"].map(|name| scratch.path(&format!("exchange-{entries}-{name}")));
    for device in devices.iter().chain(&devices) {
        run(memlore(device, &["--json", "sync", "--share", &share.to_string_lossy()])?)?;
    }
    run(memlore(&devices[0], &["--json", "add", "the one new entry"])?)?;
    let mut touched = Touched::default();
    for device in &devices {
        touched.watch(&memlore(device, &["--json", "sync"])?, &share, &scratch.path("strace.txt"))?;
    }
    Ok(touched)
}

impl Touched {
    fn watch(&mut self, command: &Command, share: &Path, log: &Path) -> Result<()> {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-y", "-s", "0", "-e", "trace=openat,read,write,pread64,pwrite64", "-o"]);
        strace.arg(log).arg(command.get_program()).args(command.get_args());
        run(strace)?;
        let share = format!("{}/", share.to_str().context("the share has a name of letters")?);
        for line in std::fs::read_to_string(log)?.lines() {
            // 1234 read(5</share/r/…/m/….seg>, ""..., 4096) = 381
            let Some((call, result)) = line.rsplit_once(" = ") else { continue };
            let Some(moved) = result.split([' ', '<']).next().and_then(|moved| moved.parse::<u64>().ok())
            else {
                continue;
            };
            if call.contains("openat(") {
                let opened = result.split_once('<').map(|(_, path)| path.trim_end_matches('>'));
                let file = opened.filter(|path| path.starts_with(&share) && Path::new(path).is_file());
                self.files.extend(file.map(str::to_owned));
            } else if call.split_once('<').is_some_and(|(_, path)| path.starts_with(&share)) {
                self.bytes += moved;
            }
        }
        Ok(())
    }
}
