//! An S3 server on loopback, and a network in front of it that loses answers and lists late.

use super::until;
use crate::peer::environment;
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// moto plays S3 for tests; one request at a time, so that creating an object is as atomic as in S3 itself.
const SERVE: &str = "
import sys
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
run_simple('127.0.0.1', int(sys.argv[1]), DomainDispatcherApplication(create_backend_app), threaded=False)
";

/// A running server; it ends with this value.
pub(super) struct Server {
    port: u16,
    process: Child,
}

impl Server {
    /// Starts a server with one bucket, `attic`.
    pub(super) fn start() -> Self {
        let python = environment::python_with("MEMLORE_MOTO_PYTHON", "moto-env", &["moto[s3,server]==5.2.5"]);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]).arg(python).args(["-c", SERVE, &port.to_string()]);
        let process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self { port, process };
        until("the S3 server makes a bucket", || {
            server.ask("PUT", "/attic").is_ok_and(|told| told.contains(" 200 "))
        });
        server
    }

    /// The names in the bucket, below a prefix.
    pub(super) fn names(&self, prefix: &str) -> Vec<String> {
        let told = self.ask("GET", &format!("/attic?list-type=2&prefix={prefix}/")).unwrap();
        let keys = told.split("<Key>").skip(1).map(|rest| rest.split("</Key>").next().unwrap().to_owned());
        keys.collect()
    }

    fn ask(&self, method: &str, path: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        write!(stream, "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")?;
        let mut told = String::new();
        stream.read_to_string(&mut told)?;
        Ok(told)
    }

    /// What a device has to know to reach the bucket, directly or through a network.
    pub(super) fn variables(port: u16) -> [(&'static str, String); 5] {
        [
            ("AWS_ENDPOINT", format!("http://127.0.0.1:{port}")),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_ACCESS_KEY_ID", "tests".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "tests".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What ended by itself cannot be ended.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// What a network does to requests on their way.
#[derive(Default)]
pub(super) struct Weather {
    /// So many answers to writes of segments are lost, after the server has done what was asked.
    pub(super) answers_lost: usize,
    /// Whether each listing shows what the one before it should have shown.
    pub(super) lists_late: bool,
    listed: BTreeMap<String, Vec<u8>>,
}

/// A network in front of a server. Its thread ends with the test's process.
pub(super) struct Network {
    pub(super) port: u16,
    pub(super) weather: Arc<Mutex<Weather>>,
}

impl Network {
    pub(super) fn before(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, target) = (listener.local_addr().unwrap().port(), server.port);
        let weather = Arc::new(Mutex::new(Weather::default()));
        let inside = weather.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let weather = inside.clone();
                // A connection that breaks is what the other side must bear.
                thread::spawn(move || pass(stream, target, &weather).ok());
            }
        });
        Self { port, weather }
    }
}

/// Carries one request and its answer.
fn pass(client: TcpStream, target: u16, weather: &Mutex<Weather>) -> io::Result<()> {
    client.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut reader = BufReader::new(client.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let start = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
        let line = head[start..].to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut server = TcpStream::connect(("127.0.0.1", target))?;
    server.write_all(head.as_bytes())?;
    server.write_all(&body)?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;

    let request = head.lines().next().unwrap_or_default().to_owned();
    let mut weather = weather.lock().unwrap();
    if request.starts_with("PUT ") && request.contains(".seg") && weather.answers_lost > 0 {
        weather.answers_lost -= 1;
        return client.shutdown(Shutdown::Both);
    }
    if request.starts_with("GET ") && request.contains("list-type=2") {
        let before = weather.listed.insert(request, answer.clone());
        if let (true, Some(before)) = (weather.lists_late, before) {
            answer = before;
        }
    }
    drop(weather);
    (&client).write_all(&answer)?;
    client.shutdown(Shutdown::Both)
}
