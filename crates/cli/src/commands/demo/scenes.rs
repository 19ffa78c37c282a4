//! What the devices live through.

use super::device::{Device, Process};
use super::{DELIMITER, Story};
use crate::error::CommandError;
use crate::page::count;
use serde_json::json;
use std::time::Instant;

type Result<T = ()> = std::result::Result<T, CommandError>;

const PHONE: &str = "The old phone number is 555-0100";
const DENTIST: &str = "Dentist on Tuesdays";
const PRINTER: &str = "The printer needs the old driver";
const DEBIAN: [&str; 3] = ["Runs Debian 11", "Runs Debian 12", "Runs Debian 11 on the laptop only"];
const STALE: &str = "Noted by an agent that had not looked for a while";
const COPIED: &str = "The bike is blue";
const COFFEE: &str = "Coffee on Sundays";
const PASSWORD: &str = "The root password is marmalade-tulip-99";
const MEANWHILE: &str = "Added while the database was locked";

/// How many entries one transaction takes in while another process wants to write.
const ARCHIVED: usize = 1_000;

/// Plays all scenes, one after another.
pub(super) fn play(laptop: &Device, desktop: &Device, story: &mut Story) -> Result {
    laptop.init()?;
    desktop.init()?;
    for text in ["Tea over coffee", PHONE, DENTIST, PRINTER, DEBIAN[0]] {
        laptop.ask(&["add", text])?;
    }
    story.due.push("Tea over coffee".to_owned());
    exchange(laptop, desktop)?;

    let snapshot = laptop.read_view()?;
    several_processes(laptop, desktop, story)?;
    stale_writer(laptop, &snapshot, story)?;
    concurrent_removal(laptop, desktop, story)?;
    conflict_copy(laptop, &snapshot, story)?;
    locked_database(laptop, story)?;
    concurrent_replace(laptop, desktop, story)?;
    review(laptop, desktop, story)
}

/// Lets both devices sync until each has what the other had.
fn exchange(laptop: &Device, desktop: &Device) -> Result {
    for device in [laptop, desktop, laptop, desktop] {
        device.ask(&["sync"])?;
    }
    Ok(())
}

fn several_processes(laptop: &Device, desktop: &Device, story: &mut Story) -> Result {
    let mut processes = Vec::new();
    for (device, number) in [(laptop, 5), (desktop, 3)] {
        for index in 1..=number {
            let text = format!("From process {index} on the {}", device.name);
            processes.push(device.start(&["add", &text], "")?);
            story.due.push(text);
        }
    }
    let number = processes.len();
    for process in processes {
        process.answer()?;
    }
    story
        .scene(format!("{number} processes added at once."), "Each waited for its turn; all of it is there.");
    Ok(())
}

fn stale_writer(laptop: &Device, snapshot: &str, story: &mut Story) -> Result {
    laptop.ask(&["remove", PHONE])?;
    laptop.write("MEMORY.md", &with_entry(snapshot, STALE))?;
    laptop.ask(&["sync"])?;
    let status = laptop.ask(&["status"])?;
    let held = |kind: &str| {
        let views = status["views"].as_array().into_iter().flatten();
        views.flat_map(|view| view["held"].as_array()).flatten().filter(|held| held["kind"] == kind).count()
    };
    let outcome = format!(
        "Its new line came in. {} that it had never seen stayed, {} that was removed meanwhile stayed out: \
         held, as `memlore status` shows, until somebody confirms.",
        count(held("absent"), "line", "lines"),
        count(held("returning"), "line", "lines"),
    );
    story.scene("An agent saved MEMORY.md whole, from the copy it had read before all that.", outcome);
    story.due.push(STALE.to_owned());
    story.gone.push(PHONE.to_owned());
    Ok(())
}

fn concurrent_removal(laptop: &Device, desktop: &Device, story: &mut Story) -> Result {
    laptop.ask(&["remove", DENTIST])?;
    desktop.ask(&["add", DENTIST])?;
    desktop.ask(&["remove", PRINTER, "--why", "sold it"])?;
    exchange(laptop, desktop)?;
    story.scene(
        "The laptop removed the dentist while the desktop said it again, and the desktop removed the printer.",
        "The dentist stays: nobody can remove what they had not seen. The printer is gone on both.",
    );
    story.due.push(DENTIST.to_owned());
    story.gone.push(PRINTER.to_owned());
    Ok(())
}

fn conflict_copy(laptop: &Device, snapshot: &str, story: &mut Story) -> Result {
    laptop.write("MEMORY-LAPTOP7.md", &with_entry(snapshot, COPIED))?;
    laptop.ask(&["sync"])?;
    story.scene(
        "A sync program left a conflict copy, MEMORY-LAPTOP7.md.",
        "Its new line came in, once; what it lacked or still had changed nothing.",
    );
    story.due.push(COPIED.to_owned());
    Ok(())
}

fn locked_database(laptop: &Device, story: &mut Story) -> Result {
    let texts = (1..=ARCHIVED).map(|number| json!({"op": "add", "text": format!("Old note {number}")}));
    let ops = serde_json::Value::from_iter(texts).to_string();
    let begun = Instant::now();
    let archive = laptop.start(&["batch", "--book", "archive"], &ops)?;
    let meanwhile = laptop.start(&["add", MEANWHILE], "")?;
    let finish = |process: Process| process.answer().map(|_| begun.elapsed().as_millis());
    let (waited, locked) = (finish(meanwhile)?, finish(archive)?);
    story.scene(
        format!(
            "One process locked the database for {ARCHIVED} notes ({locked} ms) while another wanted to add."
        ),
        format!("It had its turn after {waited} ms; neither failed."),
    );
    story.due.push(MEANWHILE.to_owned());
    story.archived = ARCHIVED;
    Ok(())
}

fn concurrent_replace(laptop: &Device, desktop: &Device, story: &mut Story) -> Result {
    exchange(laptop, desktop)?;
    let [old, by_laptop, by_desktop] = DEBIAN;
    laptop.ask(&["replace", old, by_laptop])?;
    desktop.ask(&["replace", old, by_desktop])?;
    exchange(laptop, desktop)?;
    let conflicts = laptop.ask(&["conflicts"])?;
    let number = conflicts["conflicts"].as_array().map_or(0, Vec::len);
    story.scene(
        format!("Both devices replaced “{old}”, each by something else."),
        format!("Both texts live; `memlore conflicts` lists {}.", count(number, "such place", "such places")),
    );
    story.due.extend([by_laptop.to_owned(), by_desktop.to_owned()]);
    Ok(())
}

fn review(laptop: &Device, desktop: &Device, story: &mut Story) -> Result {
    let listed = laptop.ask(&["review", "list", "--book", "memory"])?;
    let entries = listed["entries"].as_array().into_iter().flatten();
    let shown = entries.clone().count();
    let number = entries.clone().find(|entry| entry["text"] == COPIED).map(|entry| &entry["number"]);
    let retold = format!("The model retold {}all of it", "the whole conversation, ".repeat(20));
    let answer = json!({"changes": [
        {"op": "add", "text": COFFEE},
        {"op": "add", "text": retold},
        {"op": "add", "text": PASSWORD},
        {"op": "remove", "entry": number},
    ]});
    let context = listed["context"].as_str().unwrap_or_default();
    let apply = ["review", "apply", "--conversation", "chat:1", "--through", "11", "--context", context];
    let applied = laptop.start(&apply, &answer.to_string())?.answer()?;
    let again = laptop.start(&apply, &answer.to_string())?.answer()?;
    exchange(laptop, desktop)?;
    let done = applied["applied"].as_array().map_or(0, Vec::len);
    let too_long = applied["left_out"].as_array().map_or(0, Vec::len);
    let outcome = format!(
        "{} applied; {} too long for an entry was left out alone, and {} without a word. The next review reads \
         from line {}{}.",
        count(done, "change was", "changes were"),
        count(too_long, "text", "texts"),
        count(applied["secrets"].as_u64().unwrap_or_default() as usize, "secret", "secrets"),
        applied["cursor"].as_u64().unwrap_or_default() + 1,
        if again["already"] == true { "; the same answer again changed nothing" } else { "" },
    );
    story.scene(format!("A model reviewed 11 lines of a conversation and {shown} memories."), outcome);
    story.due.retain(|text| text != COPIED);
    story.due.push(COFFEE.to_owned());
    story.gone.extend([COPIED, PASSWORD, &retold].map(str::to_owned));
    Ok(())
}

/// A file of memories with one more entry at its end.
fn with_entry(file: &str, text: &str) -> String {
    format!("{file}{DELIMITER}{text}")
}
