//! A headless Chromium, driven through its debugging pipe: no port, no driver program, and nothing of the person's own
//! profile.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take for anything. The limit is generous: it only ends tests that would hang.
const PATIENCE: Duration = Duration::from_mins(1);

const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--remote-debugging-pipe",
    "about:blank",
];

/// What the page is shown on, and to whom.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Width and height in points.
    pub size: (u32, u32),
    /// Dots for a point.
    pub dots: f64,
    /// Whether it is a phone, with fingers.
    pub is_phone: bool,
    /// Whether dark pages are preferred.
    pub is_dark: bool,
    /// The language of the person.
    pub language: &'static str,
}

impl Screen {
    /// A light page in English on a desk.
    pub const DESK: Self = Self { size: (1280, 800), dots: 1.0, is_phone: false, is_dark: false, language: "en-US" };
    /// A phone in Japanese.
    pub const PHONE: Self = Self { size: (390, 844), dots: 3.0, is_phone: true, is_dark: false, language: "ja-JP" };
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    pipe: Option<ChildStdin>,
    inbox: Receiver<Value>,
    session: String,
    count: u64,
    replies: HashMap<u64, Value>,
    events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser.
    ///
    /// # Panics
    /// When there is no Chromium.
    #[must_use]
    pub fn open(screen: &Screen) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let program = std::env::var("KAISATSU_TEST_BROWSER").unwrap_or_else(|_| "chromium".to_owned());
        let data = format!("--user-data-dir={}", profile.path().display());
        // The browser reads from 3 and writes to 4; the shell puts our pipes there.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh", &program, &data])
            .args(FLAGS)
            .env("HOME", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let pipe = child.stdin.take();
        let output = child.stdout.take().expect("a pipe");
        let (sender, inbox) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let Ok(message) = message else { return };
                if serde_json::from_slice(&message).is_ok_and(|message: Value| sender.send(message).is_err()) {
                    return;
                }
            }
        });
        let mut browser = Self {
            child,
            pipe,
            inbox,
            session: String::new(),
            count: 0,
            replies: HashMap::new(),
            events: Vec::new(),
            _profile: profile,
        };
        browser.settle(screen);
        browser
    }

    fn settle(&mut self, screen: &Screen) {
        let agent = self.call("Browser.getVersion", json!({}))["userAgent"].clone();
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = self.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        attached["sessionId"].as_str().expect("a session").clone_into(&mut self.session);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        self.call("Emulation.setUserAgentOverride", json!({"userAgent": agent, "acceptLanguage": screen.language}));
        let (width, height) = screen.size;
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": screen.dots, "mobile": screen.is_phone}),
        );
        self.call("Emulation.setTouchEmulationEnabled", json!({"enabled": screen.is_phone}));
        self.prefer(screen.is_dark);
    }

    /// Says whether the person prefers dark pages.
    pub fn prefer(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": value}]}),
        );
    }

    /// Calls a method of the debugging protocol.
    #[expect(clippy::needless_pass_by_value, reason = "what is passed is written at the call")]
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        let id = self.count;
        let mut message = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        let pipe = self.pipe.as_mut().expect("a pipe");
        let sent = pipe.write_all(format!("{message}\0").as_bytes()).and_then(|()| pipe.flush());
        assert!(sent.is_ok(), "chromium cannot be started; `tools/setup test` installs it");
        let began = Instant::now();
        loop {
            if let Some(reply) = self.replies.remove(&id) {
                assert!(reply.get("error").is_none(), "{method}: {reply}");
                return reply["result"].clone();
            }
            self.hear(PATIENCE);
            assert!(began.elapsed() < PATIENCE, "{method} was not answered");
        }
    }

    /// Takes in what the browser says.
    fn hear(&mut self, patience: Duration) {
        match self.inbox.recv_timeout(patience) {
            Ok(message) => match message["id"].as_u64() {
                Some(id) => drop(self.replies.insert(id, message)),
                None => self.events.push(message),
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                panic!("chromium ended, or could not be started; `tools/setup test` installs it")
            }
        }
    }

    /// Opens an address.
    pub fn go(&mut self, address: &str) {
        let gone = self.call("Page.navigate", json!({"url": address}));
        assert!(gone.get("errorText").is_none(), "{address}: {gone}");
        self.wait("document.readyState === 'complete'");
    }

    /// The value of an expression on the page; promises are waited for.
    pub fn look(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let found = self.call("Runtime.evaluate", params);
        assert!(found.get("exceptionDetails").is_none(), "{expression}: {found}");
        found["result"]["value"].clone()
    }

    /// Waits until an expression is true, and says what it is.
    pub fn wait(&mut self, expression: &str) -> Value {
        let began = Instant::now();
        loop {
            let seen = self.look(expression);
            if !matches!(seen, Value::Null | Value::Bool(false)) && seen != "" {
                return seen;
            }
            assert!(began.elapsed() < PATIENCE, "waited in vain: {expression}\n{:?}", self.troubles(""));
            self.hear(Duration::from_millis(50));
        }
    }

    /// Types a text into what has the focus.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Presses a key of that name, with the character it gives, if it gives one.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in [if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "keyUp"] {
            let text = if kind == "keyUp" { "" } else { text };
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code}),
            );
        }
    }

    /// Clicks at a point.
    pub fn click(&mut self, (x, y): (f64, f64)) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            self.call(
                "Input.dispatchMouseEvent",
                json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}),
            );
        }
    }

    /// Drags from one point to another.
    pub fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
        let steps = [
            ("mouseMoved", from),
            ("mousePressed", from),
            ("mouseMoved", middle),
            ("mouseMoved", to),
            ("mouseReleased", to),
        ];
        for (kind, (x, y)) in steps {
            let held = u8::from(kind != "mouseReleased");
            self.call(
                "Input.dispatchMouseEvent",
                json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": held, "clickCount": 1}),
            );
        }
    }

    /// Touches the screen with fingers: where they are, step by step; at the end they are lifted.
    pub fn touch(&mut self, steps: &[Vec<(f64, f64)>]) {
        let points = |fingers: &[(f64, f64)]| -> Vec<Value> {
            fingers.iter().enumerate().map(|(id, (x, y))| json!({"x": x, "y": y, "id": id})).collect()
        };
        for (at, fingers) in steps.iter().enumerate() {
            let kind = if at == 0 { "touchStart" } else { "touchMove" };
            self.call("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points(fingers)}));
        }
        self.call("Input.dispatchTouchEvent", json!({"type": "touchEnd", "touchPoints": []}));
    }

    /// Turns the wheel at a point.
    pub fn wheel(&mut self, (x, y): (f64, f64), turn: f64) {
        self.call(
            "Input.dispatchMouseEvent",
            json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": turn}),
        );
    }

    /// Keeps what is seen as a file, in the folder that `KAISATSU_TEST_SCREENSHOTS` names; without it, nothing.
    pub fn keep(&mut self, name: &str) {
        let Ok(folder) = std::env::var("KAISATSU_TEST_SCREENSHOTS") else { return };
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = decode(shot["data"].as_str().expect("a picture"));
        std::fs::write(Path::new(&folder).join(name), bytes).expect("a file");
    }

    /// Everything that should not have happened: errors on the console, refusals by the content security policy,
    /// requests that failed, and requests to anywhere but the server.
    pub fn troubles(&mut self, server: &str) -> Vec<String> {
        self.look("1");
        let own = |url: &str| url.starts_with(server) || url.starts_with("about:") || url.starts_with("blob:");
        let trouble = |event: &Value| {
            let params = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
                "Log.entryAdded" if params["entry"]["level"] != "verbose" => Some(params["entry"].to_string()),
                "Runtime.consoleAPICalled" => Some(params["args"].to_string()),
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str()?;
                    (!own(url)).then(|| format!("a request to {url}"))
                }
                // A tile that went out of sight is no longer wanted.
                "Network.loadingFailed" if params["canceled"] != true => Some(params.to_string()),
                "Network.responseReceived" if params["response"]["status"].as_u64()? >= 400 => {
                    Some(format!("{} {}", params["response"]["status"], params["response"]["url"]))
                }
                _ => None,
            }
        };
        self.events.iter().filter_map(trouble).collect()
    }

    /// The addresses that were asked for.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.filter_map(|event| event["params"]["request"]["url"].as_str().map(str::to_owned)).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A closed pipe ends it together with its helpers; what does not end by itself is ended.
        drop(self.pipe.take());
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Undoes base64.
fn decode(text: &str) -> Vec<u8> {
    let value = |b: u8| match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let letters: Vec<u8> = text.bytes().filter(|b| *b != b'=').map(value).collect();
    for four in letters.chunks(4) {
        let bits = four.iter().fold(0_u32, |bits, letter| bits << 6 | u32::from(*letter)) << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}
