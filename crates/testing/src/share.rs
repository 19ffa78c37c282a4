//! A share held in memory, and everything that sync programs, disks and people do to one.
//!
//! A [`Cloud`] keeps a copy of the share for each device and carries what changes in one to the others; each device
//! works on its own through a [`SharedCopy`]. [`Mischief`] names what can go wrong, and a [`Scene`] plays it against real
//! stores: random work, random mischief, then everything heals and all replicas have to agree. The [`Truth`] says
//! what must have survived. One seed decides all of it. For a single story, [`watched()`] is a real folder whose calls somebody
//! sees and may refuse.
//!
//! Not here: edits of the view's file ([`crate::writers`] plays these), and time that passes in a blocked call.

mod cloud;
mod copy;
mod device;
mod disk;
mod files;
mod mischief;
mod names;
mod scene;
mod truth;
mod watched;

pub use cloud::Cloud;
pub use copy::SharedCopy;
pub use device::Medium;
pub use mischief::Mischief;
pub use scene::Scene;
pub use truth::Truth;
pub use watched::{Touch, Watcher, watched};
