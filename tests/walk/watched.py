"""What systemd shows of the server, and its watchdog."""

from checks import await_true
from running import is_running, is_well

DROP_IN = "/run/systemd/system/pbmserv.service.d/watched.conf"
# A short patience, and the pages for monitoring.
SETTINGS = "[Service]\nWatchdogSec=3s\nEnvironment=PBMSERV_HTTP_LISTEN=127.0.0.1:9225\n"
METRICS = [
    "process_cpu_seconds_total", "process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds",
    "process_max_fds", "process_threads", "process_start_time_seconds",
]


def by_systemd(scene):
    """Its line in `systemctl status`, its metrics in the sandbox, and the end of a server that is stuck."""
    debian, check = scene.debian, scene.checks
    shown = debian.run("systemctl", "status", "--no-pager", "--lines=0", "pbmserv")
    print("".join(f"          | {line}\n" for line in shown.splitlines()), end="", flush=True)
    check.holds("systemctl status says what it does", shown, 'Status: "1 board runs; no mail waits; the last mail came on 20')
    patience = debian.run("systemctl", "show", "--property=WatchdogUSec", "pbmserv").strip()
    check.equal("  and the watchdog is patient", patience, "WatchdogUSec=10min")

    debian.run("mkdir", "-p", DROP_IN.rpartition("/")[0])
    debian.run("tee", DROP_IN, text=SETTINGS)
    restart(scene)
    page = metrics(scene)
    for name in METRICS:
        check.check(f"  the sandbox shows {name}", any(float(line.split()[1]) > 0 for line in page if line.startswith(f"{name} ")))
    number = scene.server.state()["MainPID"]
    # Nothing in it goes on, so nothing feeds the watchdog.
    debian.run("systemctl", "kill", "--kill-whom=main", "--signal=STOP", "pbmserv")
    await_true("the watchdog brings it back", lambda: is_running(scene, restarts="1"))
    check.check("  as another process", scene.server.state()["MainPID"] != number)
    log = debian.run("journalctl", "--no-pager", "--output=cat", "--unit=pbmserv")
    check.holds("  and the log says why", log, "Watchdog timeout (limit 3s)!")
    check.holds("  and that it began again", log.rpartition("Watchdog timeout")[2], "the last stop was not clean", "ready")

    debian.run("rm", DROP_IN)
    restart(scene)
    is_well(scene)
    scene.no_more_mail("  no old mail is sent again")


def restart(scene):
    scene.debian.run("systemctl", "daemon-reload")
    scene.debian.run("systemctl", "restart", "pbmserv")


def metrics(scene):
    """The page, read by a shell: a clean system has no other client."""
    ask = r"exec 3<>/dev/tcp/127.0.0.1/9225; printf 'GET /metrics HTTP/1.1\r\nHost: pbmserv\r\n\r\n' >&3; cat <&3"
    return scene.debian.run("bash", "-c", ask).splitlines()
