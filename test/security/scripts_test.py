"""A job's script is one that its submitter has sent on the same connection; nobody else can read it, or have it run."""
import hashlib
import os
import time
import unittest

from hostile import ROOT, Caller, HostileTest, needs_capnp, needs_two_users

SECRET = b"#!/bin/sh\n# known to its owner alone: 7f3d9c\n"
SYSTEM_ERROR, PROTOCOL = 15010, 15031


def digest(script):
    return hashlib.sha256(script).digest()


class Submitter(Caller):
    def __init__(self, *rest):
        super().__init__(*rest)
        self.number = 0

    def request(self, **what):
        self.number += 1
        return self.ask({"id": self.number, "commandId": os.urandom(16), "sentAtNs": time.time_ns(), **what})

    def put(self, data, of=None, **more):
        """One piece, the whole script unless `more` says otherwise."""
        return self.request(putBlob={"hash": digest(data) if of is None else of, "offset": 0, "data": data, "last": True, **more})

    def submit(self, hash, size):
        held = [{"name": "Hold_Types", "value": "u"}]
        return self.request(queueJob={"attributes": held, "hasScript": True, "scriptRef": {"hash": hash, "size": size}})


@needs_capnp
class whose_script_it_is(HostileTest):
    hosts = ["a"]

    def caller(self):
        caller = Submitter.unix(self.server_socket())
        self.addCleanup(caller.close)
        return caller

    def refused(self, reply, code, text):
        self.assertEqual((reply.get("rejected", {}).get("code"), "done" in reply), (code, False), reply)
        self.assertIn(text, reply["rejected"]["text"])

    def no_job_came(self):
        self.assertEqual(self.sure("qselect"), "")

    def test_one_that_was_not_sent_is_refused(self):
        caller, other = self.caller(), self.caller()
        self.refused(caller.submit(digest(SECRET), len(SECRET)), SYSTEM_ERROR, "upload the script again")
        # Nor is one that somebody else has sent: on another connection, or with a job that is there.
        self.assertIn("done", other.put(SECRET))
        self.refused(caller.submit(digest(SECRET), len(SECRET)), SYSTEM_ERROR, "upload the script again")
        self.assertIn("done", other.submit(digest(SECRET), len(SECRET)))
        self.refused(caller.submit(digest(SECRET), len(SECRET)), SYSTEM_ERROR, "upload the script again")
        self.assertEqual(len(self.sure("qselect").split()), 1)

    def test_a_size_that_is_not_its_own_is_refused(self):
        caller = self.caller()
        self.assertIn("done", caller.put(SECRET))
        for size in (0, 1, len(SECRET) - 1, len(SECRET) + 1, 1 << 40, (1 << 64) - 1):
            with self.subTest(size=size):
                self.refused(caller.submit(digest(SECRET), size), PROTOCOL, f"the job's script has {len(SECRET)} bytes, not {size}")
        self.no_job_came()

    def test_a_hash_that_is_none_is_refused(self):
        caller = self.caller()
        self.assertIn("done", caller.put(SECRET))
        for hash in (b"\x01\x02", b"\0", digest(SECRET)[:31], digest(SECRET) + b"\0", b"x" * 100_000):
            with self.subTest(bytes=len(hash)):
                self.refused(caller.submit(hash, len(SECRET)), SYSTEM_ERROR, "upload the script again")
                self.refused(caller.put(SECRET, of=hash), PROTOCOL, f"the hash of an upload has 32 bytes, not {len(hash)}")
        self.no_job_came()

    def test_pieces_that_do_not_fit_are_refused(self):
        caller = self.caller()
        self.refused(caller.put(SECRET, of=digest(b"other")), SYSTEM_ERROR, "not those its hash was made of")
        self.refused(caller.put(SECRET, offset=5), SYSTEM_ERROR, "the piece before offset 5")
        self.assertIn("done", caller.put(SECRET[:9], of=digest(SECRET), last=False))
        self.refused(caller.submit(digest(SECRET), len(SECRET)), SYSTEM_ERROR, "upload the script again")      # half of it
        for offset in (8, 10, (1 << 64) - 9):
            self.refused(caller.put(SECRET[9:], of=digest(SECRET), offset=offset), SYSTEM_ERROR, f"the piece before offset {offset}")
            self.assertIn("done", caller.put(SECRET[:9], of=digest(SECRET), last=False))
        self.no_job_came()
        self.assertIn("done", caller.put(SECRET[9:], of=digest(SECRET), offset=9))
        self.assertIn("done", caller.submit(digest(SECRET), len(SECRET)))

    def test_uploads_that_never_end_are_limited(self):
        callers = [self.caller() for _ in range(20)]
        said = [c.put(b"x", of=digest(b"%d %d" % (n, m)), last=False) for n, c in enumerate(callers) for m in range(5)]
        texts = {reply["rejected"]["text"] for reply in said if "rejected" in reply}
        self.assertEqual(len([reply for reply in said if "done" in reply]), 64)
        self.assertEqual(texts, {"System error: too many uploads of one client at once (limit 4)",
                                 "System error: too many uploads of one user at once (limit 64)"})
        if ROOT:      # nobody else is kept from it
            self.sure("qsub", "-h", "-S", "/bin/sh", input="# " + "x" * (100 << 10) + "\n", **self.person("nobody"))


class what_others_read(HostileTest):
    hosts = ["a"]

    @needs_two_users
    def test_nobody_else_finds_a_script_below_any_home(self):
        go = os.path.join(self.work, "go")
        text = SECRET.decode() + f"until [ -e {go} ]; do sleep 0.05; done\n"
        held = self.submit("-h", "-S", "/bin/sh", input=text)
        large = self.submit("-S", "/bin/sh", input=text + "# " + "x" * (200 << 10) + "\n")
        small = self.submit("-S", "/bin/sh", input=text)
        for id in (large, small):
            self.until_running(id)
        places = [os.path.join(folder, name) for folder, _, names in os.walk(self.dir) for name in names]
        kept_in = [path for path in places if os.path.isfile(path) and self.has_secret(path)]
        self.assertTrue(kept_in, "the scripts are somewhere")      # or this test looks at the wrong places
        found = self.sure("/usr/bin/python3", "-c", FIND, input="\n".join(places), **self.person("nobody"))
        self.assertEqual(found.split(), [])
        done = self.run_command("qstat", "-f", held, **self.person("nobody"))
        self.assertNotIn("7f3d9c", done.out + done.err)
        open(go, "w").close()
        for id in (large, small):
            self.until_state(id, "F")

    def has_secret(self, path):
        with open(path, "rb") as f:
            return b"7f3d9c" in f.read()


# Which of the files named on stdin this process can read, and which have these words in them.
FIND = """
import sys
for path in sys.stdin.read().split("\\n"):
    try:
        with open(path, "rb") as f:
            if b"7f3d9c" in f.read():
                print(path)
    except OSError:
        pass
"""

if __name__ == "__main__":
    unittest.main(verbosity=2)
