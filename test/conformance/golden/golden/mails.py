"""The messages that the mailer of a scene was given, as transcripts show them below the command after which they were there:

      --- message
      argv: [...] uid=0 cwd=...     how the mailer was called
      To: pbsuser@vm                and its input
      --- end of message

Mailers run at the same time, so the order of messages is not compared; that each came once is. What is left over at the end is one too many.
The mailer leaves each message as a file, which is there at once (scenes/mail.scene).
"""
import glob
from collections import Counter

from .normal import normal
from .report import differences
from .world import Trouble

FILES = "/var/spool/mailed/*.mail"
DEADLINE_S = 120   # a message waits for the end of its job, and for the files of it


class Mailbox:
    def __init__(self, cluster, ids):
        self.cluster, self.ids = cluster, ids
        self.taken = Counter()
        self.read = {}      # path -> (how many ids were known, the message)

    def compare(self, messages):
        """Waits for these messages of the transcript; the differences when they don't come."""
        expected, found = Counter(normal(message) for message in messages), []
        try:
            self.cluster.until(lambda: not expected - self.untaken(), "the messages of the transcript", DEADLINE_S)
        except Trouble:
            here = self.untaken()             # what there is of the same jobs is shown
            about = {subject(message) for message in expected}
            found = differences("mail", as_text(expected - here),
                                as_text(Counter({m: n for m, n in (here - expected).items() if subject(m) in about})))
        self.taken += expected & self.untaken()
        return found

    def untaken(self):
        return self.all() - self.taken

    def rest(self):
        return differences("mail", "", as_text(self.untaken()))

    def all(self):
        found = Counter()
        for path in glob.glob(FILES):
            found[self.message(path)] += 1
        return found

    def message(self, path):
        """As the transcript would have it. A message stays as it is, but an id in it may be learnt later."""
        known = len(self.ids.here)
        if self.read.get(path, (None, ""))[0] != known:
            with open(path) as f:
                self.read[path] = known, normal(self.ids.to_transcript(f.read()))
        return self.read[path][1]


def subject(message):
    return next((line for line in message.splitlines() if line.startswith("Subject: ")), "")


def as_text(messages):
    return "\n".join(sorted(messages.elements()))
