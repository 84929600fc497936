"""Reads transcripts. A block is one command: who typed it, what it printed and its exit status.

Two forms, told apart by their lines; in the first `--- stdout` and `--- stderr` may be left out where there is nothing, and a command may
stand without `user=` and without an end: only what it printed on stdout was recorded.

    ### user=pbsuser  cmd: qstat -f 1.vm          pbsuser@p1$ qstat -f 1
    --- stdout                                    Job Id: 1.p1
    Job Id: 1.vm                                  stderr: what went to stderr
    --- stderr                                    [exit 0]
    --- exit=0

The second form also has commands that have a terminal; what others type meanwhile comes before what the terminal shows (sitting.py):

    pbsuser@vm$ qsub -I     (in a pty)
    pbsuser@vm$ qstat
    [exit 0]
    --- screen
    qsub: waiting for job 0.vm to start
    --- end of screen
    [exit 1]

What a command of the second form was given to read stands behind it, and what it led to below its end (afterwards.py):

    root@vm$ qmgr -e   # stdin: 'list server mail_from\\n'
    root@vm$ qmgr -c 'unset server mail_from'
    [exit 0]
      after:     mail_from = adm || set server mail_from = adm
"""
import re
from dataclasses import dataclass, field

HEADED = re.compile(r"### user=(\S+)\s+cmd: (.*)\Z")
TYPED = re.compile(r"(\w+)@(\w+)\$ (.*)\Z")
GIVEN = re.compile(r"(.*\S) +# stdin: '(.*)'\Z")
AFTER = "  after: "
SHORT = re.compile(r"### (\w+): (.*)\Z")
MARK = re.compile(r"###? |# |--- ")
EXIT_LINE = re.compile(r"--- exit=(-?\d+)\Z")
EXIT_BRACKET = re.compile(r"\[exit (?:(\d+)|TIMEOUT after \d+s)\]\Z")
BEGIN_OF_SCREEN, END_OF_SCREEN = "--- screen", "--- end of screen"
SITTING = re.compile(r"\w+@\w+\$ (.*\S) +\(in a pty\)\Z")
SCREEN_EXIT = re.compile(r"\[exit (signal )?(\d+)\]\Z")
NO_END = -1   # the status of a command that was still there when the recorder stopped waiting for it
CYCLE = re.compile(r"  (sched: |order:|\d+(?:\[\d*\])?\.\w+: state=)")
RECORDS = re.compile(r"--- accounting ~ /(.*)/\Z")
RECORD = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d(;\w;[^;]+;)")
MESSAGE, MESSAGE_END = "--- message", "--- end of message"
AGAIN = re.compile(r"\.\.\. \(the same message again, (\d+) times in all\)\Z")


@dataclass
class Block:
    name: str         # number in the file and command: "12 qstat -f 1.vm"
    user: str
    command: str
    stdout: str
    stderr: str
    status: int | None   # None: not recorded, nor stderr
    line: int         # where it begins in the file, from 1
    whole: bool = True   # false: blank lines at the end of its texts were not recorded
    cycle: list = field(default_factory=list)   # what stands below it about a scheduling cycle (cycles.py)
    screen: list | None = None                  # the lines that its terminal shows, and marks of what is done there (sitting.py)
    last: int = 0                               # the number of the last block that is typed while it has its terminal
    records: list = field(default_factory=list)   # what stands below it about accounting: (regular expression, lines) (records.py)
    mails: list = field(default_factory=list)   # the messages that stand below it (mails.py)
    stdin: str = ""                             # what it is given to read
    after: str | None = None                    # what stands below it about the object that it changed (afterwards.py)


class Malformed(Exception):
    pass


def read(text):
    """All blocks of a transcript, in order."""
    return read_headed(text) if any(HEADED.match(line) for line in text.split("\n")) else read_typed(text)


def read_headed(text):
    blocks, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        begin, short, records = HEADED.match(lines[i]), SHORT.match(lines[i]), RECORDS.match(lines[i])
        start = i
        i += 1
        if records and blocks:
            while i < len(lines) and RECORD.match(lines[i]):
                i += 1
            blocks[-1].records.append((records[1], lines[start + 1:i]))
        if short:
            while i < len(lines) and not MARK.match(lines[i]):
                i += 1
            out = "".join(line + "\n" for line in lines[start + 1:i])
            blocks.append(Block(f"{len(blocks) + 1} {short[2]}", short[1], short[2], out, "", None, start + 1, whole=False))
        if not begin:
            continue
        parts, into = {"stdout": [], "stderr": []}, None
        while i < len(lines) and not EXIT_LINE.match(lines[i]):
            if lines[i] in ("--- stdout", "--- stderr") and into != "stderr":
                into = lines[i][4:]
            elif into is None:
                raise Malformed(f"line {i + 1}: expected --- stdout")
            else:
                parts[into].append(lines[i] + "\n")
            i += 1
        if i == len(lines):
            raise Malformed(f"line {start + 1}: the block has no end")
        blocks.append(Block(f"{len(blocks) + 1} {begin[2]}", begin[1], begin[2], "".join(parts["stdout"]),
                            "".join(parts["stderr"]), int(EXIT_LINE.match(lines[i])[1]), start + 1))
    return blocks


def read_typed(text):
    blocks, current, out, err, message = [], None, [], [], None
    at_terminal, screen = None, None
    for number, line in enumerate(text.split("\n"), 1):
        begin, end, sits, again = TYPED.match(line), EXIT_BRACKET.match(line), SITTING.match(line), AGAIN.match(line)
        if screen is not None and line != END_OF_SCREEN:
            screen.append(line)
        elif line == BEGIN_OF_SCREEN and at_terminal:
            screen = at_terminal.screen
        elif line == END_OF_SCREEN:
            screen = None
        elif sits and not current and not at_terminal:
            at_terminal = Block(f"{len(blocks) + 1} {sits[1]}", begin[1], sits[1], "", "", None, number, screen=[])
            blocks.append(at_terminal)
        elif line == MESSAGE:
            message = []
        elif line == MESSAGE_END:
            blocks[-1].mails.append("".join(message))
            message = None
        elif message is not None:
            message.append(line + "\n")
        elif again:
            blocks[-1].mails += [blocks[-1].mails[-1]] * (int(again[1]) - 1)
        elif begin:
            if current:
                raise Malformed(f"line {current[0]}: the block has no end")
            current, out, err = (number, begin[1], begin[3]), [], []
        elif end and current:
            command, stdin = what_is_given(current[2])
            blocks.append(Block(f"{len(blocks) + 1} {command}", current[1], command, "".join(out), "".join(err),
                                int(end[1] or NO_END), current[0], whole=False, stdin=stdin))
            current = None
        elif at_terminal and SCREEN_EXIT.match(line):
            at_terminal.status, at_terminal.last, at_terminal = status_of(line), len(blocks), None
        elif blocks and not current and line.startswith(AFTER):
            blocks[-1].after = line[len(AFTER):]
        elif blocks and not current and CYCLE.match(line):
            blocks[-1].cycle.append(line)
        elif blocks and not current and line.startswith("  acct: ") and (record := RECORD.match(line[8:])):
            blocks[-1].records.append((re.escape(record[1]), [line[8:]]))
        elif current and line.startswith("stderr: "):
            err.append(line[len("stderr: "):] + "\n")
        elif current:
            out.append(line + "\n")
    if current or at_terminal:
        raise Malformed(f"line {current[0] if current else at_terminal.line}: the block has no end")
    return blocks


def what_is_given(typed):
    """(command, what it reads)."""
    given = GIVEN.match(typed)
    return (given[1], given[2].replace("\\n", "\n")) if given else (typed, "")


def status_of(line):
    signal, number = SCREEN_EXIT.match(line).groups()
    return -int(number) if signal else int(number)
