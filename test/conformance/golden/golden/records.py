"""The accounting records that a transcript shows below a command, looked for by a regular expression (with the transcript's ids):

      --- accounting ~ /;[A-Za-z];605\\.q1;/
      11/21/2026 00:47:18;Q;605.q1;user=pbsuser ...

They are waited for. Dates and what jobs used are not compared, nor is which of two jobs came first.
"""
import glob
import re

from .normal import normal
from .report import differences
from .world import HOME, Trouble

DEADLINE_S = 120   # the last of them may be of the end of a job that has just begun
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f]")


def compare(cluster, ids, shown):
    """The differences of the records here and those shown."""
    found = []
    for expression, lines in shown:

        def here(wanted=re.compile(expression)):
            return [line for line in all_of(ids) if wanted.search(line)]
        try:
            cluster.until(lambda lines=lines: kinds(here()) == kinds(lines), "the records of the transcript", DEADLINE_S)
        except Trouble:
            pass                      # what there is then is shown
        found += differences("accounting", as_text(lines), as_text(here()))
    return found


def kinds(lines):
    """Which records of which jobs: once they are there, they stay as they are."""
    return sorted(line.split(";")[1:3] for line in lines)


def as_text(lines):
    return normal("".join(line + "\n" for line in sorted(lines, key=lambda line: line.split(";")[2])))


def all_of(ids):
    for path in sorted(glob.glob(f"{HOME}/server_priv/accounting/*")):
        with open(path, errors="backslashreplace") as f:
            for line in f.read().split("\n"):
                yield UNPRINTABLE.sub(lambda m: f"\\x{ord(m[0]):02x}", ids.to_transcript(line))   # as the recorder shows them
