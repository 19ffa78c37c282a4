//! One Syncthing that knows a single other one, on loopback.

use super::{need, until};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const KEY: &str = "memlore-tests";
const FOLDER: &str = "joined";

/// Everything by which a Syncthing would speak to others than its peer, or change itself.
const OPTIONS: [(&str, &str); 14] = [
    ("globalAnnounceEnabled", "false"),
    ("localAnnounceEnabled", "false"),
    ("relaysEnabled", "false"),
    ("natEnabled", "false"),
    ("crashReportingEnabled", "false"),
    ("startBrowser", "false"),
    ("setLowPriority", "false"),
    ("urAccepted", "-1"),
    ("autoUpgradeIntervalH", "0"),
    ("stunKeepaliveStartS", "0"),
    ("stunKeepaliveMinS", "0"),
    ("urURL", ""),
    ("releasesURL", ""),
    ("crashReportingURL", ""),
];

/// A running Syncthing; it ends with this value.
pub(super) struct Node {
    home: TempDir,
    id: String,
    api_port: u16,
    sync_port: u16,
    process: Child,
}

/// Two Syncthings that join two folders.
pub(super) struct Joined {
    nodes: [Node; 2],
    folders: [std::path::PathBuf; 2],
}

impl Joined {
    /// Starts both and waits until they are connected. Of one file they keep so many conflict copies; -1: all.
    pub(super) fn start(folders: [&Path; 2], copies_most: i32) -> Self {
        need("syncthing");
        let nodes = [Node::start(), Node::start()];
        for (at, node) in nodes.iter().enumerate() {
            node.join(&nodes[1 - at], folders[at], copies_most);
        }
        let connected =
            |a: &Node, b: &Node| a.get("/rest/system/connections")["connections"][&b.id]["connected"] == true;
        until("both are connected", || connected(&nodes[0], &nodes[1]) && connected(&nodes[1], &nodes[0]));
        Self { nodes, folders: folders.map(Path::to_owned) }
    }

    /// Cuts the two folders off from each other, or lets them meet again.
    pub(super) fn part(&self, paused: bool) {
        for node in &self.nodes {
            node.call("PATCH", &format!("/rest/config/folders/{FOLDER}"), &json!({ "paused": paused }));
        }
    }

    /// Waits until both folders are the same.
    pub(super) fn settle(&self) {
        until("both folders are the same", || {
            self.nodes.iter().for_each(|node| {
                node.call("POST", &format!("/rest/db/scan?folder={FOLDER}"), &Value::Null);
            });
            self.nodes.iter().all(Node::is_idle)
                && super::tree(&self.folders[0]) == super::tree(&self.folders[1])
        });
    }
}

impl Node {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let [api_port, sync_port] = free_ports();
        let generate = ["generate", "--no-default-folder", "--skip-port-probing"];
        let generated =
            Self::command("syncthing", home.path()).args(generate).arg(at(home.path())).output().unwrap();
        assert!(generated.status.success(), "{}", String::from_utf8_lossy(&generated.stderr));
        let path = home.path().join("config.xml");
        let mut config = fs::read_to_string(&path).unwrap();
        let id = config.split("<device id=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        for (option, value) in OPTIONS {
            set(&mut config, option, value);
        }
        set(&mut config, "listenAddress", &format!("tcp://127.0.0.1:{sync_port}"));
        fs::write(&path, config).unwrap();

        let mut command = Self::command("setpriv", home.path());
        command.args([
            "--pdeathsig",
            "TERM",
            "syncthing",
            "serve",
            "--no-browser",
            "--no-restart",
            "--no-upgrade",
        ]);
        command.arg(at(home.path())).arg(format!("--gui-apikey={KEY}"));
        command.arg(format!("--gui-address=127.0.0.1:{api_port}"));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().unwrap();
        let node = Self { home, id, api_port, sync_port, process };
        until("Syncthing answers", || node.try_call("GET", "/rest/system/ping", &Value::Null).is_some());
        node
    }

    /// The program with nothing of the outer environment but where programs lie.
    fn command(program: &str, home: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", home);
        command.env("STNOUPGRADE", "1").env("STHASHING", "standard").stdin(Stdio::null());
        command
    }

    /// Makes the other node known, and a folder that both have.
    fn join(&self, other: &Self, folder: &Path, copies_most: i32) {
        let mut device = self.get("/rest/config/defaults/device");
        device["deviceID"] = json!(other.id);
        device["addresses"] = json!([format!("tcp://127.0.0.1:{}", other.sync_port)]);
        device["allowedNetworks"] = json!(["127.0.0.0/8"]);
        self.call("POST", "/rest/config/devices", &device);
        let mut joined = self.get("/rest/config/defaults/folder");
        joined["id"] = json!(FOLDER);
        joined["path"] = json!(folder);
        joined["devices"] = json!([{ "deviceID": self.id }, { "deviceID": other.id }]);
        joined["rescanIntervalS"] = json!(10);
        joined["fsWatcherDelayS"] = json!(1);
        joined["maxConflicts"] = json!(copies_most);
        self.call("POST", "/rest/config/folders", &joined);
    }

    fn is_idle(&self) -> bool {
        let status = self.get(&format!("/rest/db/status?folder={FOLDER}"));
        let completion = self.get(&format!("/rest/db/completion?folder={FOLDER}"));
        status["state"] == "idle"
            && [&status["needTotalItems"], &status["pullErrors"]].iter().all(|count| **count == 0)
            && [&completion["needItems"], &completion["needDeletes"]].iter().all(|count| **count == 0)
    }

    fn get(&self, path: &str) -> Value {
        self.call("GET", path, &Value::Null)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_call(method, path, body)
            .unwrap_or_else(|| panic!("Syncthing refuses {method} {path}: {body}"))
    }

    /// One request to the programming interface; `None` when it is not answered with success.
    fn try_call(&self, method: &str, path: &str, body: &Value) -> Option<Value> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.api_port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
        // The older version of HTTP has no chunks, and closes at the end of the answer.
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nX-API-Key: {KEY}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        head.split(' ').nth(1)?.starts_with('2').then(|| serde_json::from_str(body).unwrap_or_default())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.process);
        // What ended by itself cannot be ended.
        rustix::process::kill_process_group(group, rustix::process::Signal::TERM).ok();
        until("Syncthing ends", || self.process.try_wait().is_ok_and(|ended| ended.is_some()));
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
        drop(fs::remove_dir_all(self.home.path()));
    }
}

fn at(home: &Path) -> String {
    format!("--home={}", home.display())
}

/// Two ports that nobody listens on; both are held until both are known.
fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

/// Sets an option in the configuration, where it is written out once.
fn set(config: &mut String, option: &str, value: &str) {
    let (begin, end) = (format!("<{option}>"), format!("</{option}>"));
    let start = config.find(&begin).unwrap_or_else(|| panic!("no {option}")) + begin.len();
    let length = config[start..].find(&end).unwrap();
    config.replace_range(start..start + length, value);
}
