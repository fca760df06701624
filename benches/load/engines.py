"""`make engines`: moves a second with SQLite, with PostgreSQL on this machine, and with PostgreSQL and a synchronous standby.

Needs root, PostgreSQL (Debian: postgresql) and the programs that `make engines` builds. All three are measured in alternation on one
disk. A database of PostgreSQL is filled by `pbmserv store copy`, whose time is printed.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "peers"))

from clusters import Cluster  # noqa: E402
from instances import Pbmserv, Sink  # noqa: E402
from scene import free_ports  # noqa: E402

PLAYERS = 50
CONNECTIONS = (1, 10, 100)


class OnPostgres(Pbmserv):
    """The daemon on a database of PostgreSQL."""

    def __init__(self, folder, port, build, relay, cluster):
        super().__init__(folder, port, build, relay)
        self.cluster = cluster

    def start(self):
        os.environ["PBMSERV_STORE_URL"] = self.cluster.url()
        try:
            super().start()
        finally:
            del os.environ["PBMSERV_STORE_URL"]

    def count(self, query):
        done = subprocess.run(["psql", "-X", "-A", "-t", "-d", self.cluster.url(), "-c", query],
                              check=True, capture_output=True, text=True)
        return int(done.stdout)

    def move_in(self):
        """Copies its filled data folder into the database; returns the seconds."""
        begun = time.monotonic()
        subprocess.run([self.build / "pbmserv", "store", "copy", "--from", self.data, "--to", self.cluster.url()],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**os.environ, "PBMSERV_CONFIG": ""})
        return time.monotonic() - begun


def moves(options, peer, connections, mails):
    """The rate of moves over so many connections, and the median time of one in milliseconds."""
    place = peer.cluster.url() if isinstance(peer, OnPostgres) else peer.data
    before, worked = peer.turns(), peer.worked()
    done = subprocess.run([options.build / "examples/load", "moves", place, f"127.0.0.1:{peer.port}", str(connections), str(mails)],
                          check=True, capture_output=True, text=True)
    if peer.turns() - before != mails:
        raise RuntimeError(f"{mails} moves, but {peer.turns() - before} turns:\n{peer.tail()}")
    found = json.loads(done.stdout)
    return found["mails"] / found["seconds"], found["median_ms"], (peer.worked() - worked) * 1e6 / mails


def print_table(rounds, names):
    def median(name, connections, place):
        return statistics.median(each[name, connections][place] for each in rounds)

    rows = [("moves a second over", *names)]
    for connections in CONNECTIONS:
        rows.append((f"{connections} connections", *(f"{median(name, connections, 0):.0f}" for name in names)))
    for title, place in (("one mail alone, ms", 1), ("us of pbmserv a mail, alone", 2)):
        found = [median(name, 1, place) for name in names]
        rows.append((title, *(f"{each:.2f}" for each in found)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print("to reach with PostgreSQL: 300 moves a second over 10 connections, one mail alone under 10 ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mails", type=int, default=5_000, help="of one run")
    parser.add_argument("--boards", type=int, default=2_000)
    parser.add_argument("--folder", default="/var/tmp", help="on the disk that is to be measured")
    parser.add_argument("--build", type=Path, default=ROOT / "target/release")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-engines-", dir=options.folder))
    folder.chmod(0o755)
    ports = free_ports(7)
    relay = Sink(ports[0])
    local, pair = Cluster(folder / "local", ports[1]), Cluster(folder / "pair", ports[2])
    peers = {
        "SQLite": Pbmserv(folder / "sqlite", ports[4], options.build, relay.port),
        "PostgreSQL": OnPostgres(folder / "one", ports[5], options.build, relay.port, local),
        "with standby": OnPostgres(folder / "two", ports[6], options.build, relay.port, pair),
    }
    started = []
    try:
        for cluster in (local, pair):
            started.append(cluster)
            cluster.start()
        for name, peer in peers.items():
            peer.folder.mkdir(mode=0o755)
            peer.data.mkdir(mode=0o700)
            subprocess.run([options.build / "examples/load", "fill", peer.data, str(PLAYERS), str(options.boards)], check=True)
            if isinstance(peer, OnPostgres):
                print(f"{name}: copied in {peer.move_in():.1f} s", flush=True)
        pair.with_standby(ports[3])
        for peer in peers.values():
            started.append(peer)
            peer.start()
        print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}", flush=True)
        rounds, names = [], list(peers)
        for number in range(options.rounds):
            found, first = {}, number % len(names)
            for name in names[first:] + names[:first]:
                for connections in CONNECTIONS:
                    mails = max(options.mails // 10, 100) if connections == 1 else options.mails
                    found[name, connections] = moves(options, peers[name], connections, mails)
            rounds.append(found)
            print(f"round {number + 1} of {options.rounds}, load average {os.getloadavg()[0]:.1f}", flush=True)
        print()
        print_table(rounds, names)
    finally:
        for each in reversed(started):
            each.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
