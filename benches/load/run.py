"""`make load`: how many mails a second pbmserv accepts over SMTP, compared with Postfix and a sink that does nothing.

Needs root, Postfix with smtp-source and smtp-sink, and the programs that `make load` builds. All runs are on one machine,
in alternation, and compared by their ratios. `--before` adds an older build to the alternation, with a data folder of its own
that its own client fills.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "peers"))

from checks import await_true  # noqa: E402
from instances import Discarding, Pbmserv, Sink  # noqa: E402
from scene import free_ports  # noqa: E402

SERVER = "pbmserv@games.example"
PLAYERS = 50
SHOW = "Pow2 show 101"


class Bench:
    """What is built, and where it runs."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.build = options.build

    def client(self, build=None):
        return (build or self.build) / "examples/load"

    def fill(self, pbmserv, boards):
        pbmserv.data.mkdir(mode=0o700)
        subprocess.run([self.client(pbmserv.build), "fill", pbmserv.data, str(PLAYERS), str(boards)], check=True)

    def figures(self, *arguments, build=None):
        done = subprocess.run([self.client(build), *map(str, arguments)], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def shows(self, port, mails):
        """The rate of smtp-source with questions for one board over ten connections."""
        begun = time.monotonic()
        subprocess.run(
            ["smtp-source", "-d", "-s", "10", "-m", str(mails), "-f", "player1@players.example", "-t", SERVER,
             "-S", SHOW, f"127.0.0.1:{port}"],
            check=True,
        )
        return mails / (time.monotonic() - begun)

    def moves(self, pbmserv, port, connections, mails):
        """The rate of moves on this server's boards, sent to a port, and the median time of one."""
        server = f"127.0.0.1:{port}"
        measured = self.figures("moves", pbmserv.data, server, connections, mails, build=pbmserv.build)
        return measured["mails"] / measured["seconds"], measured["median_ms"]


def medians(rounds):
    """The median of each column of some rounds."""
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def one_round(bench, peers, number):
    """One measurement of each kind, one after another; the order changes from round to round."""
    found = {}
    mails = bench.options.mails
    names = list(peers)
    # Postfix works on after its last 250: the same program is not always the one that comes after it.
    random.Random(number).shuffle(names)
    for name in names:
        peer = peers[name]
        # Postfix is some ten times as slow as the others; the rate is all that counts.
        is_slow = name == "Postfix"
        share = mails if not is_slow else max(mails // 5, 500)
        is_ours = isinstance(peer, Pbmserv)
        before = peer.answers() if is_ours else 0
        worked = peer.worked()
        found["show", name] = bench.shows(peer.port, share)
        found["us of show", name] = (peer.worked() - worked) * 1e6 / share
        if is_ours and peer.answers() - before != share:
            raise RuntimeError(f"{share} questions, but {peer.answers() - before} answers:\n{peer.tail()}")
        peer.rest()
        if name == "sink":
            continue
        of_boards = peer if is_ours else peers["pbmserv"]
        for connections in (1, 10, 100):
            share = mails // 10 if connections == 1 or is_slow else mails // 2
            before = peer.turns() if is_ours else 0
            worked = peer.worked()
            rate, median = bench.moves(of_boards, peer.port, connections, share)
            found[f"move over {connections}", name] = rate
            found[f"us of move over {connections}", name] = (peer.worked() - worked) * 1e6 / share
            found[f"median of move over {connections}", name] = median
            if is_ours and peer.turns() - before != share:
                raise RuntimeError(f"{share} moves, but {peer.turns() - before} turns:\n{peer.tail()}")
            peer.rest()
    disk = bench.figures("commit", bench.folder)
    found["commit", "ms"] = disk["commit_ms"]
    found["sync", "ms"] = disk["sync_ms"]
    return found


def print_table(found):
    has_before = ("show", "before") in found
    rows = [("mails a second", "sink", "Postfix", "pbmserv", "times Postfix", "of the sink", "to reach", "us each")]
    if has_before:
        rows[0] += ("before", "times before", "us each", "of before")
    for connections in ("show", 1, 10, 100):
        kind = connections if connections == "show" else f"move over {connections}"
        postfix, ours = (found[kind, name] for name in ("Postfix", "pbmserv"))
        sink = found.get((kind, "sink"))
        goal = {"show": "3 times, near 0.5", 10: "3 times"}.get(connections, "")
        row = (
            "show, smtp-source -s 10" if kind == "show" else kind, f"{sink:.0f}" if sink else "", f"{postfix:.0f}",
            f"{ours:.0f}", f"{ours / postfix:.2f}", f"{ours / sink:.2f}" if sink else "", goal,
            f"{found[f'us of {kind}', 'pbmserv']:.0f}",
        )
        if has_before:
            before, worked = found[kind, "before"], found[f"us of {kind}", "before"]
            share = found[f"us of {kind}", "pbmserv"] / worked
            row += (f"{before:.0f}", f"{ours / before:.2f}", f"{worked:.0f}", f"{share:.2f}")
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    one, commit = found["median of move over 1", "pbmserv"], found["commit", "ms"]
    print(f"\na move over one connection: {one:.2f} ms; a durable commit: {commit:.2f} ms (sync of 4 KiB "
          f"{found['sync', 'ms']:.2f} ms); to reach: {commit + 1:.2f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mails", type=int, default=10_000, help="of one run")
    parser.add_argument("--boards", type=int, default=2_000)
    parser.add_argument("--folder", default="/var/tmp", help="on the disk that is to be measured")
    parser.add_argument("--build", type=Path, default=ROOT / "target/release", help="the folder of another build")
    parser.add_argument("--before", type=Path, help="the folder of an older build, which is measured too")
    parser.add_argument("--deliver", action="store_true", help="the answers go out to a sink meanwhile")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-load-", dir=options.folder))
    folder.chmod(0o755)
    bench = Bench(options, folder)
    ports = free_ports(5)
    relay = Sink(ports[3])
    pbmserv = Pbmserv(folder / "pbmserv", ports[2], options.build, relay.port)
    peers = {"sink": Sink(ports[0]), "Postfix": Discarding(folder / "postfix", ports[1]), "pbmserv": pbmserv}
    if options.before:
        peers["before"] = Pbmserv(folder / "before", ports[4], options.before, relay.port)
    running = [*peers.values(), *([relay] if options.deliver else [])]
    try:
        for peer in peers.values():
            if not isinstance(peer, Sink):
                peer.folder.mkdir(mode=0o755)
            if isinstance(peer, Pbmserv):
                bench.fill(peer, options.boards)
        for peer in running:
            peer.start()
        print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}, answers "
              f"{'delivered to a sink meanwhile' if options.deliver else 'left in the outbox'}", flush=True)
        rounds = []
        for number in range(options.rounds):
            rounds.append(one_round(bench, peers, number))
            print(f"round {number + 1} of {options.rounds}, load average {os.getloadavg()[0]:.1f}", flush=True)
        print()
        print_table(medians(rounds))
    finally:
        for peer in running:
            peer.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
