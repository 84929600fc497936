"""A checkpoint that is damaged, cut, of another program or of another log, or whose rows are: the server starts as without one, serves what
it served, and its log says why it did not use it (docs/design/0068-checkpoints.md).

usage: ANNALS_STAGE=$PWD/build/stage python3 test/durability/checkpoints_test.py
"""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
from checkpointed import CheckpointTest, change_head  # noqa: E402  found by the path above

HEAD_OF_ROWS = 24      # what a file of rows begins with: eight bytes of its kind, sixteen of its own


def cut(path, to):
    os.truncate(path, to(os.path.getsize(path)))


def flip(path, at):
    with open(path, "r+b") as f:
        f.seek(at(os.path.getsize(path)))
        byte = f.read(1)
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 0x10]))


def clear_rows(path):
    size = os.path.getsize(path)
    with open(path, "r+b") as f:
        f.seek(HEAD_OF_ROWS)
        f.write(bytes(size - HEAD_OF_ROWS))


def half(size):
    return size // 2


# What is done to which file, and what the log says then.
OF_THE_STATE = [
    ("a bit in its middle", lambda path: flip(path, half), "its checksum is wrong"),
    ("the last byte", lambda path: flip(path, lambda size: size - 1), "its checksum is wrong"),
    ("the first byte", lambda path: flip(path, lambda size: 0), "it is no checkpoint of this format"),
    ("cut in the middle", lambda path: cut(path, half), "its checksum is wrong"),
    ("cut in its first line", lambda path: cut(path, lambda size: 10), "it is no checkpoint of this format"),
    ("empty", lambda path: cut(path, lambda size: 0), "it is empty"),
    ("of another program", lambda path: change_head(path, lambda head: head.update(program=head["program"] + b"+")),
     "another program made it"),
    ("of another log", lambda path: change_head(path, lambda head: head["hash"].reverse()), "it is of another log"),
    ("of a longer log", lambda path: change_head(path, lambda head: head.update(sequence=head["sequence"] + 1_000_000)),
     "the log ends before it"),
]
OF_ROWS = [
    ("missing", os.remove, "rows of jobs: {path}: No such file or directory"),
    ("cut", lambda path: cut(path, lambda size: size - 1), "rows of jobs: {path}: it is shorter than the checkpoint says"),
    ("empty", lambda path: cut(path, lambda size: 0), "rows of jobs: {path}: it is shorter than the checkpoint says"),
    ("another one", lambda path: flip(path, lambda size: HEAD_OF_ROWS // 2), "rows of jobs: {path}: it is not the file of the checkpoint"),
    ("with damaged rows", clear_rows, "{path} can't be read: the row at byte "),
]


class a_checkpoint_that_is_no_good(CheckpointTest):
    def setUp(self):
        super().setUp()
        finished = [self.finish() for _ in range(3)]
        self.submit("-h", "--", "/bin/true")
        self.made = self.make_checkpoint()
        self.finish()
        self.sure("qdel", "-x", finished[0])      # a start needs its row
        self.let_nothing_happen()
        self.until_books_have_all()
        self.served, self.lines = self.told(), self.accounting_files()
        self.kill_daemon("pbs_server")
        self.whole = os.path.join(self.top, "whole")
        shutil.copytree(self.checkpoint(), self.whole)

    def put_back(self):
        shutil.rmtree(self.checkpoint())
        shutil.copytree(self.whole, self.checkpoint())

    def start_and_look(self):
        """What the log says of it."""
        try:
            said = self.start_server()
            self.assertEqual(self.told(), self.served)
            self.assertEqual(self.accounting_files(), self.lines)
        finally:
            self.kill_daemon("pbs_server")
        return said

    def test_is_not_used_and_the_log_says_why(self):
        self.assertIn(f"the start went on from the checkpoint of record {self.made}\n", self.start_and_look())
        harms = [("state", *harm) for harm in OF_THE_STATE] + [(file, *harm) for file in ("history", "past") for harm in OF_ROWS]
        for file, name, harm, reason in harms:
            with self.subTest(file=file, harm=name):
                self.put_back()
                path = self.checkpoint(file)
                harm(path)
                said = self.start_and_look()
                self.assertIn("the checkpoint is not used: " + reason.format(path=path), said)
                self.assertNotIn("the start went on from the checkpoint", said)
                self.check_next_round(anew=name == "with damaged rows")

    def check_next_round(self, anew):
        """A start takes one away whose rows are damaged: a round can't see that. The next one is good."""
        self.assertEqual(os.path.exists(self.checkpoint("state")), not anew)
        done = self.by_hand()
        self.assertEqual(done.status, 0, done)
        self.assertIn("the start went on from the checkpoint", self.start_and_look())


if __name__ == "__main__":
    unittest.main(verbosity=2)
