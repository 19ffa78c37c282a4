//! Where things lie in a share. Paths are relative to it, with `/` between their parts on every system.

use memlore_model::{ReplicaId, Stream};

/// The marker's file.
pub const MARKER: &str = "memlore.json";

/// The folder that holds the folders of the replicas.
pub const REPLICAS: &str = "r";

/// The folder of one replica: `r/<replica>`.
pub fn folder_of(replica: ReplicaId) -> String {
    format!("{REPLICAS}/{replica}")
}

/// The file that tells people about a replica: `r/<replica>/about.json`.
pub fn about_path(replica: ReplicaId) -> String {
    format!("{REPLICAS}/{replica}/about.json")
}

/// The folder of a replica that holds the segments of one of its streams: `r/<replica>/m` or `r/<replica>/s`.
pub fn stream_folder(replica: ReplicaId, stream: Stream) -> String {
    let letter = match stream {
        Stream::Memory => 'm',
        Stream::Sessions => 's',
    };
    format!("{REPLICAS}/{replica}/{letter}")
}

/// The folder in which a replica keeps segments of others, and of ids that it no longer uses: `r/<replica>/x`.
pub fn kept_folder(holder: ReplicaId) -> String {
    format!("{REPLICAS}/{holder}/x")
}
