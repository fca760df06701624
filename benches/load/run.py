"""`make load`: how many mails a second pbmserv accepts over SMTP, compared with Postfix and a sink that does nothing.

Needs root, Postfix with smtp-source and smtp-sink, and the programs that `make load` builds. All runs are on one machine,
in alternation, and compared by their ratios.
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
        self.client = ROOT / "target/release/examples/load"
        self.program = options.program

    def fill(self, data, boards):
        data.mkdir(mode=0o700)
        subprocess.run([self.client, "fill", data, str(PLAYERS), str(boards)], check=True)

    def figures(self, *arguments):
        done = subprocess.run([self.client, *map(str, arguments)], check=True, capture_output=True, text=True)
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

    def moves(self, data, port, connections, mails):
        measured = self.figures("moves", data, f"127.0.0.1:{port}", connections, mails)
        return measured["mails"] / measured["seconds"], measured["median_ms"]


def medians(rounds):
    """The median of each column of some rounds."""
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def one_round(bench, sink, postfix, pbmserv, number):
    """One measurement of each kind, one after another; the order changes from round to round."""
    found = {}
    data, mails = pbmserv.data, bench.options.mails
    peers = [("sink", sink), ("Postfix", postfix), ("pbmserv", pbmserv)]
    for name, peer in peers[number % 3:] + peers[:number % 3]:
        # Postfix is some ten times as slow as the others; the rate is all that counts.
        share = mails if peer is not postfix else max(mails // 5, 500)
        before = pbmserv.answers()
        found["show", name] = bench.shows(peer.port, share)
        if peer is pbmserv and pbmserv.answers() - before != share:
            raise RuntimeError(f"{share} questions, but {pbmserv.answers() - before} answers:\n{pbmserv.tail()}")
        peer.rest()
        if peer is sink:
            continue
        for connections in (1, 10, 100):
            share = mails // 10 if connections == 1 or peer is postfix else mails // 2
            before = pbmserv.turns()
            rate, median = bench.moves(data, peer.port, connections, share)
            found[f"move over {connections}", name] = rate
            found[f"median of move over {connections}", name] = median
            if peer is pbmserv and pbmserv.turns() - before != share:
                raise RuntimeError(f"{share} moves, but {pbmserv.turns() - before} turns:\n{pbmserv.tail()}")
            peer.rest()
    disk = bench.figures("commit", bench.folder)
    found["commit", "ms"] = disk["commit_ms"]
    found["sync", "ms"] = disk["sync_ms"]
    return found


def print_table(found):
    rows = [("mails a second", "sink", "Postfix", "pbmserv", "times Postfix", "of the sink", "to reach")]
    show = {name: found["show", name] for name in ("sink", "Postfix", "pbmserv")}
    rows.append((
        "show, smtp-source -s 10", f"{show['sink']:.0f}", f"{show['Postfix']:.0f}", f"{show['pbmserv']:.0f}",
        f"{show['pbmserv'] / show['Postfix']:.2f}", f"{show['pbmserv'] / show['sink']:.2f}", "3 times, near 0.5",
    ))
    for connections in (1, 10, 100):
        postfix, ours = (found[f"move over {connections}", name] for name in ("Postfix", "pbmserv"))
        goal = "3 times" if connections == 10 else ""
        rows.append((f"move over {connections}", "", f"{postfix:.0f}", f"{ours:.0f}", f"{ours / postfix:.2f}", "", goal))
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
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/pbmserv", help="another build of it")
    parser.add_argument("--deliver", action="store_true", help="the answers go out to a sink meanwhile")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-load-", dir=options.folder))
    folder.chmod(0o755)
    bench = Bench(options, folder)
    ports = free_ports(4)
    relay = Sink(ports[3])
    sink, postfix = Sink(ports[0]), Discarding(folder / "postfix", ports[1])
    pbmserv = Pbmserv(folder / "pbmserv", ports[2], bench.program, relay.port)
    peers = [sink, postfix, pbmserv, *([relay] if options.deliver else [])]
    try:
        for place in (postfix.folder, pbmserv.folder):
            place.mkdir(mode=0o755)
        bench.fill(pbmserv.data, options.boards)
        for peer in peers:
            peer.start()
        print(f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}, answers "
              f"{'delivered to a sink meanwhile' if options.deliver else 'left in the outbox'}", flush=True)
        rounds = []
        for number in range(options.rounds):
            rounds.append(one_round(bench, sink, postfix, pbmserv, number))
            print(f"round {number + 1} of {options.rounds}, load average {os.getloadavg()[0]:.1f}", flush=True)
        print()
        print_table(medians(rounds))
    finally:
        for peer in peers:
            peer.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
