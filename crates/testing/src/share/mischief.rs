//! What can go wrong with a share, one kind at a time.

use super::cloud::{Ailment, Cloud, Moment, torn};
use super::files::Bytes;
use super::names::copies_of;
use memlore_exchange::MARKER;

/// A kind of mischief. Each can be left out, so that it can be told which one something breaks by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mischief {
    /// Files and deletions arrive late, and in any order.
    Slow,
    /// Files arrive in parts: cut off, empty, padded with zeros.
    Partial,
    /// Old files come again, deleted ones too.
    Return,
    /// Conflict copies appear, with equal, other or no sensible content.
    Copies,
    /// Files lose their names.
    Renames,
    /// Files are deleted, everywhere.
    Lost,
    /// A folder's listing is an old one.
    Stale,
    /// Files are held, denied, the disk is full or read-only, the share is not mounted.
    Refused,
    /// The process dies before, within or after a write.
    Crash,
    /// The content of a file is only in the cloud.
    Remote,
    /// A file is damaged, everywhere.
    Rot,
    /// Clocks jump.
    Clocks,
    /// Other programs leave their things.
    Junk,
    /// The marker is deleted, or gets conflict copies.
    Marker,
    /// A device is put back to what it was before.
    Restores,
    /// A device is copied, and both go on.
    Clones,
    /// The folder of a replica, or everything, is deleted.
    Folders,
    /// Devices make the share at once, each its own marker.
    Twins,
}

impl Mischief {
    /// Every kind.
    pub const ALL: [Self; 18] = [
        Self::Slow,
        Self::Partial,
        Self::Return,
        Self::Copies,
        Self::Renames,
        Self::Lost,
        Self::Stale,
        Self::Refused,
        Self::Crash,
        Self::Remote,
        Self::Rot,
        Self::Clocks,
        Self::Junk,
        Self::Marker,
        Self::Restores,
        Self::Clones,
        Self::Folders,
        Self::Twins,
    ];

    /// The kind with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| format!("{kind:?}").eq_ignore_ascii_case(name))
    }
}

/// Does something of a kind to one copy; returns what, in a few words.
///
/// What is done to devices, and what lasts for a whole scene, is not done here.
pub(super) fn act(kind: Mischief, cloud: &mut Cloud, at: usize) -> Option<String> {
    let now = cloud.now;
    let until = now + cloud.random.between(1, 6);
    match kind {
        Mischief::Return => {
            let (path, bytes) = cloud.past.get(cloud.random.index(cloud.past.len().max(1)))?.clone();
            if path == MARKER {
                return None;
            }
            cloud.change(at, &path, Some(bytes));
            Some(format!("{path} comes again"))
        }
        Mischief::Copies => copy(cloud, at),
        Mischief::Renames => {
            let (path, bytes) = segment(cloud, at)?;
            let name = pick(cloud, copies_of(&path));
            cloud.change(at, &name, Some(bytes));
            cloud.change(at, &path, None);
            Some(format!("{path} is renamed {name}"))
        }
        Mischief::Lost => {
            let (path, _) = segment(cloud, at)?;
            cloud.change(at, &path, None);
            Some(format!("{path} is deleted"))
        }
        Mischief::Stale => {
            let files = cloud.places[at].files.clone();
            cloud.places[at].stale = Some((until, files));
            Some(format!("the listing stands still until {until}"))
        }
        Mischief::Refused => {
            let all = [Ailment::Held, Ailment::Denied, Ailment::Full, Ailment::ReadOnly, Ailment::Unmounted];
            let ailment = all[cloud.random.index(all.len())];
            cloud.places[at].ailment = Some((until, ailment));
            Some(format!("{ailment:?} until {until}"))
        }
        Mischief::Crash => {
            let moment = [Moment::Before, Moment::Within, Moment::After][cloud.random.index(3)];
            let writes = u32::try_from(cloud.random.below(3)).unwrap_or_default();
            cloud.places[at].dies = Some((writes, moment));
            Some(format!("dies {moment:?} write {writes} from now"))
        }
        Mischief::Remote => {
            let (path, _) = segment(cloud, at)?;
            cloud.places[at].files.get_mut(&path)?.remote_until = until;
            Some(format!("{path} is only in the cloud until {until}"))
        }
        Mischief::Rot => {
            let (path, bytes) = segment(cloud, at)?;
            let rotten = torn(&bytes, &mut cloud.random);
            if rotten == bytes {
                return None;
            }
            cloud.change(at, &path, Some(rotten));
            Some(format!("{path} is damaged"))
        }
        Mischief::Junk => {
            let junk = ["desktop.ini", "r/.DS_Store", "r/notes.txt", "r/~$x.seg", "r/x.partial", "r/Icon\r"];
            let path = junk[cloud.random.index(junk.len())];
            cloud.change(at, path, Some(Bytes::from(*b"not ours")));
            Some(format!("{path:?} appears"))
        }
        Mischief::Marker => marker(cloud, at),
        Mischief::Folders => folder(cloud, at),
        Mischief::Slow
        | Mischief::Partial
        | Mischief::Clocks
        | Mischief::Restores
        | Mischief::Clones
        | Mischief::Twins => None,
    }
}

fn copy(cloud: &mut Cloud, at: usize) -> Option<String> {
    let (path, bytes) = segment(cloud, at)?;
    let (_, other) = segment(cloud, at)?;
    let name = pick(cloud, copies_of(&path));
    let (what, content) = match cloud.random.below(4) {
        0 => ("of the same", bytes),
        1 => ("of another file", other),
        2 => ("cut off", torn(&bytes, &mut cloud.random)),
        _ => ("of something else", Bytes::from(*b"MLOREnonsense")),
    };
    cloud.change(at, &name, Some(content));
    Some(format!("{name}, a copy {what}, appears"))
}

fn marker(cloud: &mut Cloud, at: usize) -> Option<String> {
    let bytes = cloud.places[at].files.get(MARKER).map(|(_, bytes)| Bytes::clone(bytes))?;
    if cloud.random.percent(40) {
        cloud.change(at, MARKER, None);
        return Some("the marker is deleted".to_owned());
    }
    let name = pick(cloud, copies_of(MARKER));
    let content = if cloud.random.percent(50) { bytes } else { torn(&bytes, &mut cloud.random) };
    cloud.change(at, &name, Some(content));
    Some(format!("{name} appears"))
}

fn folder(cloud: &mut Cloud, at: usize) -> Option<String> {
    let (path, _) = segment(cloud, at)?;
    let everything = cloud.random.percent(25);
    let folder: String = path.split('/').take(2).collect::<Vec<_>>().join("/");
    let below = |path: &str| everything || path.starts_with(&folder);
    let paths: Vec<String> = cloud.places[at]
        .files
        .present()
        .map(|(path, ..)| path.to_owned())
        .filter(|path| below(path))
        .collect();
    paths.iter().for_each(|path| cloud.change(at, path, None));
    Some(format!("{} is deleted", if everything { "everything" } else { &folder }))
}

/// Some file that has, or had, the place of a segment.
fn segment(cloud: &mut Cloud, at: usize) -> Option<(String, Bytes)> {
    let files = cloud.places[at].files.present();
    let all: Vec<(String, Bytes)> = files
        .filter(|(path, ..)| path.starts_with("r/") && path.contains(".seg"))
        .map(|(path, _, bytes)| (path.to_owned(), Bytes::clone(bytes)))
        .collect();
    let index = cloud.random.index(all.len().max(1));
    all.into_iter().nth(index)
}

fn pick(cloud: &mut Cloud, mut names: Vec<String>) -> String {
    names.swap_remove(cloud.random.index(names.len()))
}
