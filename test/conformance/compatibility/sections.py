"""What PBS has, by name, and what becomes of it here: the files of names/, which the pages are made of and the test tries.

A file begins with `key: value` lines, to an empty line:
    title, about     of the page
    kind             how rows are tried: a class of tries.py
    set, show, ...   command lines for that kind; {name}, {value} and {said} (the first word of what `set` printed) are put in
Then a row on each line, `name | verdict | try | says | note`, and what is missing at the end is empty.
effects.lst says which test shows what follows from a name, and shown_by.lst, of the rest, which other test uses it most.
`== text` begins a part with a heading.
"""
import os
import re

import effects

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
NAMES = os.path.join(HERE, "names")
# In the order of the index.
FILES = ("server", "queue", "route_queue", "scheduler", "vnode", "job", "reservation", "hook", "hook_events", "resource", "builtin_resources",
         "commands", "job_options", "other_options", "daemon_options", "mom_config", "sched_config", "log_lines", "c_api", "drmaa", "hook_module")
VERDICTS = {
    "works": "it is taken, and shown or there, as in PBS; the row itself tries no more than that, and the test that it names under "
             "*effect shown by* tries what follows from it",
    "differs": "it is there, and the note says what is otherwise",
    "no effect": "accepted, and kept and shown as in PBS; nothing follows from it, and the log of the server or the daemon, or the command itself, says so by name",
    "refused": "a command or daemon that meets it, or the call, says the text that stands in the row",
    "absent": "it is not there",
}
SEPARATOR = re.compile(r" \|(?= |$)")
NEEDS_A_NOTE = ("differs", "no effect", "refused", "absent")


class Row:
    def __init__(self, fields, where):
        self.name, self.verdict, self.tried, self.says, self.note = (f.strip() for f in [*fields, "", "", "", "", ""][:5])
        self.where = where
        self.also = ""          # a test that uses it too
        self.effect = None      # path and case of the test that shows what follows from it


class Section:
    """One file of names."""

    def __init__(self, file):
        self.file, self.keys, self.parts, self.wrong = file, {}, [("", [])], []
        with open(os.path.join(NAMES, file + ".txt"), encoding="utf-8") as f:
            head, _, body = f.read().partition("\n\n")
        for line in head.split("\n"):
            key, _, value = line.partition(": ")
            self.keys[key] = value
        first = head.count("\n") + 3
        for number, line in enumerate(body.split("\n"), first):
            if line.startswith("== "):
                self.parts.append((line[3:], []))
            elif line and not line.startswith("#"):
                self.add(Row(SEPARATOR.split(line), f"names/{file}.txt:{number}"), line)

    def add(self, row, line):
        if len(SEPARATOR.split(line)) > 5 or row.verdict not in VERDICTS:
            self.wrong.append(f"{row.where}: {row.name}: no row, or {row.verdict} is not one of {', '.join(VERDICTS)}")
        if row.verdict in NEEDS_A_NOTE and not (row.note or row.says):
            self.wrong.append(f"{row.where}: {row.name}: {row.verdict}, and it is not said how")
        if any(row.name == other.name and row.tried == other.tried for other in self.parts[-1][1]):
            self.wrong.append(f"{row.where}: {row.name} is there twice")
        self.parts[-1][1].append(row)

    @property
    def rows(self):
        return [row for _, rows in self.parts for row in rows]


def read():
    sections = {file: Section(file) for file in FILES}
    with open(os.path.join(NAMES, "shown_by.lst"), encoding="utf-8") as f:
        entries = [line.split() for line in f if line.strip() and not line.startswith("#")]
    for file, name, path in entries:
        show(sections[file], name, path)
    effects.read(ROOT, os.path.join(NAMES, "effects.lst"), sections)
    return list(sections.values())


def show(section, name, path):
    """That the test at `path` uses `name` too, which it must."""
    rows = [row for row in section.rows if row.name.split()[0].rstrip(",") == name]
    there = os.path.join(ROOT, path)
    if not rows or not os.path.exists(there):
        return section.wrong.append(f"names/shown_by.lst: {name} {path}: there is no such row, or no such test")
    with open(there, encoding="utf-8") as f:
        if name.lstrip("$") not in f.read():
            section.wrong.append(f"names/shown_by.lst: {path} does not use {name}")
    for row in rows:
        row.also = path
