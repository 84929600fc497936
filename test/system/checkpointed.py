"""A private cluster whose test says when checkpoints are made, by hand or in annals.conf: what the last one is, what a start says of it, and
what anybody is told (docs/design/0068-checkpoints.md)."""
import glob
import json
import os
import re
import sys

from private_cluster import ClusterTest

MAGIC = b"annals checkpoint 1\n"
FILES = ["history", "lock", "past", "state"]


class CheckpointTest(ClusterTest):
    settings = "checkpoint_interval = 0\n"       # of the server's annals.conf
    maxDiff = 4000

    def before_start(self):
        os.makedirs(self.home(), exist_ok=True)
        with open(os.path.join(self.home(), "annals.conf"), "w") as f:
            f.write(self.cluster.annals_conf("server") + self.settings)

    def priv(self, *names):
        return os.path.join(self.home(), "server_priv", *names)

    def checkpoint(self, *names):
        return self.priv("checkpoint", *names)

    # ---- how far what is ------------------------------------------------------------------------------------------

    def status(self):
        return json.loads(self.audit("status", "--json"))

    def last_record(self):
        return self.status()["lastSequence"]

    def last_checkpoint(self):
        """The record that it is of; 0: there is none."""
        return self.status().get("checkpoint", {"sequence": 0})["sequence"]

    def books_are_at(self):
        """So far accounting and mail are written down. A checkpoint goes no further."""
        def newest(path, mark):
            try:
                with open(path) as f:
                    return max(map(int, re.findall(mark, f.read())), default=0)
            except FileNotFoundError:
                return 0
        return min(newest(self.priv("views", "accounting"), r"annals-accounting 1 \d+ \S+ (\d+) "),
                   newest(self.priv("mail", "mark"), r"annals-mail 1 \d+ \S+ \S+ (\d+) ") - 1)

    def until_books_have_all(self):
        """Accounting moves on with its lines: one comes last."""
        last = self.last_record()
        self.submit("-h", "--", "/bin/true")
        self.until(lambda: self.books_are_at() > last, lambda: f"the books are beyond {last}, they are at {self.books_are_at()}")
        return last

    # ---- checkpoints ----------------------------------------------------------------------------------------------

    def by_hand(self):
        return self.run_command("pbs_server", "-d", self.home(), "--checkpoint")

    def make_checkpoint(self):
        """Of all that has happened; the record that it is of."""
        last = self.until_books_have_all()
        done = self.by_hand()
        made = re.fullmatch(r"checkpoint of record (\d+)\n", done.out)
        self.assertTrue(done.status == 0 and made, done)
        self.assertGreater(int(made.group(1)), last)
        return int(made.group(1))

    def start_server(self):
        """What its log says from then on."""
        before = len(self.server_log())
        self.start_daemon("pbs_server")
        self.until_answers()
        return self.server_log()[before:]

    def restart(self):
        self.kill_daemon("pbs_server")
        return self.start_server()

    # ---- what there is --------------------------------------------------------------------------------------------

    def finish(self):
        id = self.submit("--", "/bin/true")
        self.until_state(id, "F")
        self.until_recorded(id, "QSE")
        return id

    def let_nothing_happen(self):
        """Of itself, from now on: no scheduler says anything, and no host."""
        self.manage("set server scheduling = False")
        for host in self.hosts:
            self.kill_daemon("pbs_mom", host)
            self.until(lambda: "down" in re.search(r"state = (.*)", self.sure("pbsnodes", host)).group(1), f"{host} is down")

    def told(self, *moments):
        """What commands print, also of these records."""
        commands = [("qstat", "-xtf"), ("qselect", "-x"), ("qstat", "-Qf"), ("pbsnodes", "-av"), ("qmgr", "-c", "print server")]
        commands += [("qstat", "--at", f"#{moment}", "-x", "-f") for moment in moments]
        return {" ".join(command): self.sure(*command) for command in commands}

    def accounting_files(self):
        found = {}
        for path in sorted(glob.glob(self.priv("accounting", "*"))):
            with open(path) as f:
                found[os.path.basename(path)] = f.read()
        return found


# ---- a checkpoint's bytes: MAGIC, the program, the record's number and hash, the rest, CRC32C of it all --------------

def crc32c(data):
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return (crc ^ 0xFFFFFFFF).to_bytes(4, sys.byteorder)


def take_number(data, at):
    """(number, where the next one is)."""
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return number, at


def number_bytes(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def with_head(data, change):
    """The same states under another head: change(head), a dict of `program`, `sequence` and `hash`, a list of 32."""
    assert data.startswith(MAGIC) and data[-4:] == crc32c(data[:-4])
    length, at = take_number(data, len(MAGIC))
    head = {"program": data[at:at + length], "hash": []}
    head["sequence"], at = take_number(data, at + length)
    for _ in range(32):
        byte, at = take_number(data, at)
        head["hash"].append(byte)
    change(head)
    changed = MAGIC + number_bytes(len(head["program"])) + head["program"] + number_bytes(head["sequence"])
    changed += b"".join(map(number_bytes, head["hash"])) + data[at:-4]
    return changed + crc32c(changed)


def change_head(path, change):
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(with_head(data, change))


__all__ = ["FILES", "CheckpointTest", "change_head"]
