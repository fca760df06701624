//! The dashboard, as Grafana would use it: its JSON has what an import needs, and a real Prometheus that watches a running
//! server answers each query of each panel.
//!
//! Grafana is not part of Debian, so no test draws the panels (deploy/README.md says what was tried by hand).

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::daemon::http::{closed_port, play, watched};
use crate::daemon::{PATIENCE, until};

const ALERTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/alerts.yml");

/// What has no answer while no delivery fails.
const WITHOUT_DATA: [&str; 1] = ["since a failure"];

fn dashboard() -> Value {
    serde_json::from_str(include_str!("../../deploy/grafana.json")).unwrap()
}

fn panels(dashboard: &Value) -> &[Value] {
    dashboard["panels"].as_array().unwrap()
}

fn word<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("no {name}: {value}"))
}

#[test]
fn grafana_can_import_the_dashboard() {
    let dashboard = dashboard();
    // An id is given by the server that imports it; the uid stays.
    assert!(dashboard["id"].is_null());
    assert!(!word(&dashboard, "uid").is_empty() && !word(&dashboard, "title").is_empty());
    assert!(dashboard["schemaVersion"].as_u64().unwrap() >= 36);
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let names: Vec<_> = variables.iter().map(|variable| word(variable, "name")).collect();
    assert_eq!(names, ["datasource", "instance"]);
    assert_eq!(word(&variables[0], "type"), "datasource");
    assert_eq!(word(&variables[1]["datasource"], "uid"), "${datasource}");

    let (mut ids, mut taken) = (HashSet::new(), HashSet::new());
    for panel in panels(&dashboard) {
        let title = word(panel, "title");
        assert!(
            ids.insert(panel["id"].as_u64().unwrap()),
            "two have the id of {title}"
        );
        let [x, y, w, h] = ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().unwrap());
        assert!(w > 0 && h > 0 && x + w <= 24, "{title}");
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(taken.insert(cell), "{title} lies on another panel at {cell:?}");
        }
        if word(panel, "type") == "row" {
            continue;
        }
        assert!(["stat", "timeseries"].contains(&word(panel, "type")), "{title}");
        assert!(!word(panel, "description").is_empty());
        assert!(panel["fieldConfig"]["defaults"]["unit"].is_string(), "{title}");
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty(), "{title}");
        let mut letters = BTreeSet::new();
        for target in targets.iter().chain([panel]) {
            assert_eq!(word(&target["datasource"], "type"), "prometheus", "{title}");
            assert_eq!(word(&target["datasource"], "uid"), "${datasource}", "{title}");
        }
        for target in targets {
            assert!(letters.insert(word(target, "refId")), "{title}");
            assert!(word(target, "expr").contains("$instance"), "{title}");
            assert!(!word(target, "legendFormat").is_empty(), "{title}");
        }
    }
}

/// A Prometheus that watches one server; killed when dropped.
struct Prometheus {
    child: Child,
    port: u16,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Prometheus {
    fn watch(folder: &Path, server: u16) -> Self {
        let config = folder.join("prometheus.yml");
        let text = format!(
            "global: {{scrape_interval: 200ms, evaluation_interval: 200ms}}\n\
             rule_files: [{ALERTS}]\n\
             scrape_configs:\n  - job_name: pbmserv\n    static_configs: [{{targets: ['127.0.0.1:{server}']}}]\n"
        );
        fs::write(&config, text).unwrap();
        let port = closed_port();
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("series").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--log.level=warn")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let prometheus = Self { child, port };
        until("Prometheus listens", || {
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
        until("it has seen the server", || {
            let up = prometheus.series("query", "up == 1", "")?;
            (!up.is_empty()).then_some(())
        });
        prometheus
    }

    /// A page of its API; `None` while it starts.
    fn ask(&self, path: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // 1.0: the answer comes in one piece.
        write!(stream, "GET /api/v1/{path} HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let answer: Value = serde_json::from_str(body).ok()?;
        assert_eq!(answer["status"], "success", "{path}: {answer}");
        Some(answer["data"].clone())
    }

    /// The series that an expression gives.
    fn series(&self, kind: &str, expression: &str, more: &str) -> Option<Vec<Value>> {
        let expression: String = expression.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let data = self.ask(&format!("{kind}?query={expression}{more}"))?;
        Some(data["result"].as_array().unwrap().clone())
    }

    /// The series of the last seconds, as a panel asks for them; those whose last value is a number.
    fn drawn(&self, expression: &str) -> Vec<Value> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs_f64();
        let range = format!("&start={}&end={now}&step=1", now - 10.0);
        let mut series = self.series("query_range", expression, &range).unwrap_or_default();
        series.retain(|series| {
            let last = series["values"].as_array().unwrap().last().unwrap();
            last[1]
                .as_str()
                .is_some_and(|value| value.parse::<f64>().unwrap().is_finite())
        });
        series
    }
}

#[test]
#[ignore = "needs prometheus (Debian: prometheus)"]
fn prometheus_takes_each_panel_and_has_data_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = watched(folder.path());
    let daemon = setup.serve();
    // It sees the counters before they count, as it would in life.
    let prometheus = Prometheus::watch(folder.path(), daemon.http().unwrap());
    play(&daemon);
    setup.wait_for_delivery();
    setup.done(&["backup", &folder.path().join("backups").to_string_lossy()]);
    let dashboard = dashboard();
    let mut asked = 0;
    for panel in panels(&dashboard) {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let (title, legend) = (word(panel, "title"), word(target, "legendFormat"));
            let expression = word(target, "expr")
                .replace("$__rate_interval", "1m")
                .replace("$instance", ".*");
            asked += 1;
            if WITHOUT_DATA.contains(&legend) {
                assert!(prometheus.drawn(&expression).is_empty(), "{title}: {legend}");
                continue;
            }
            let drawn = until(&format!("{title}: {legend}: {expression}"), || {
                let drawn = prometheus.drawn(&expression);
                std::thread::sleep(std::time::Duration::from_millis(50));
                (!drawn.is_empty()).then_some(drawn)
            });
            for label in legend.split("{{").skip(1) {
                let label = label.split("}}").next().unwrap();
                let has_it = |series: &Value| series["metric"][label].is_string();
                assert!(drawn.iter().all(has_it), "{title}: {legend}: {drawn:?}");
            }
            if !legend.contains("{{") {
                assert_eq!(drawn.len(), 1, "{title}: {legend} stands for several: {drawn:?}");
            }
        }
    }
    assert!(asked > 40, "{asked}");
    // The servers to choose from.
    let servers = prometheus.ask("label/instance/values?match%5B%5D=pbmserv_build_info");
    assert_eq!(servers.unwrap().as_array().unwrap().len(), 1);

    let rules = until("the alerts are judged", || {
        let rules = prometheus.ask("rules")?["groups"][0]["rules"].as_array()?.clone();
        let is_judged = |rule: &Value| rule["health"] != "unknown";
        rules.iter().all(is_judged).then_some(rules)
    });
    assert!(rules.len() > 10, "{rules:?}");
    for rule in rules {
        assert_eq!(rule["health"], "ok", "{rule}");
        // How fast a commit is depends on what else the machine does.
        let is_of_speed = rule["name"] == "PbmservCommitsSlow";
        assert!(is_of_speed || rule["state"] == "inactive", "{rule}");
    }
    drop(prometheus);
    daemon.stop_well();
}
