"""What a test that failed tells of its cluster: what was seen last, and the newest lines of the daemons' logs."""
import collections
import glob
import os
import sys

LOG_LINES_MAX = 15       # of each file
LOOKS_MAX = 3
LOOK_LINES_MAX = 40
LINE_CHARS_MAX = 600
REMEMBERED = 20          # threads of a test may ask the same again and again


def cut(line):
    return line if len(line) <= LINE_CHARS_MAX else f"{line[:LINE_CHARS_MAX]}... ({len(line)} characters)"


def bounded(text, lines_max=LOOK_LINES_MAX):
    lines = text.rstrip("\n").split("\n")
    left_out = [f"... ({len(lines) - lines_max} more lines)"] if len(lines) > lines_max else []
    return "\n".join([cut(line) for line in lines[:lines_max]] + left_out)


class Looks:
    """What commands said last: who waits for a state looks at it again and again, and the last look says why it did not come."""

    def __init__(self):
        self.remembered = collections.deque(maxlen=REMEMBERED)      # its methods may be called by several threads

    def add(self, command, status, out, err):
        line = " ".join(map(str, command)) if not isinstance(command, str) else command
        self.remembered.append((cut(line.replace("\n", "\\n")), f"exit {status}", bounded(out), bounded(err)))

    def text(self):
        last = {}
        for line, *said in reversed(list(self.remembered)):
            if line not in last and len(last) < LOOKS_MAX:
                last[line] = said
        return "".join(f"---- the last look: {line}\n" + "".join(f"{part}\n" for part in said if part)
                       for line, said in reversed(last.items()))


def newest(folder):
    """The log of the latest day; nothing when there is none."""
    names = [name for name in os.listdir(folder) if name[:1].isdigit()] if os.path.isdir(folder) else []
    return [os.path.join(folder, max(names))] if names else []


def log_files(homes, printed=()):
    """Of these PBS_HOMEs: each daemon's newest log and what it wrote to its standard output; and the files of the patterns `printed`."""
    for home in homes:
        for folder in sorted(glob.glob(os.path.join(glob.escape(home), "*_log*"))):
            if not os.path.islink(folder):      # sched_logs leads to sched_log
                yield from newest(folder)
        yield from sorted(glob.glob(os.path.join(glob.escape(home), "*_priv*", "*_out")))
    for pattern in printed:
        yield from sorted(glob.glob(pattern))


def log_ends(homes, printed=()):
    text = ""
    for path in log_files(homes, printed):
        try:
            with open(path, errors="replace") as f:
                last = collections.deque(f, LOG_LINES_MAX)
        except OSError as error:
            last = [str(error)]
        if last:
            text += f"---- the end of {path}\n" + "".join(cut(line.rstrip("\n")) + "\n" for line in last)
    return text


def has_failed(test):
    """Also in one of its subtests. For cleanups of the test."""
    found = test._outcome.result
    return any(getattr(one, "test_case", one) is test for one, _ in found.failures + found.errors)


def tell_if_failed(test, *tellers):
    """A cleanup of tests that bring up a cluster, before it goes down. tellers: functions whose texts are told."""
    if has_failed(test):
        print(f"---- why {test.id()} may have failed", *(teller() for teller in tellers), sep="\n", file=sys.stderr, flush=True)
