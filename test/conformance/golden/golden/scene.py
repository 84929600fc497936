"""Brings a cluster into the state in which a transcript was taken. One scene file per transcript, in scenes/:

    # comment
    include NAME                the lines of scenes/NAME.scene come here
    host vm [p2 ...]            the server's host, which runs jobs too, and further ones
    root: COMMAND               typed by that user; must succeed
    pbsuser: COMMAND -> 4       a submission: the transcript calls the job 4
    clock 2026-11-21 00:42:25   what the transcript's clock shows now: from here on dates in commands (-R, -E) are moved by what has passed since
    ahead 40 R512.q1            the clock of this run is 40 s further from here on; that reservation, which is there, looks at it
    next 32                     submit and delete jobs until the next one is 32
    await root: COMMAND /REGEX/ until what that user's command prints has a line with this regular expression
    asleep                      a job that sleeps (/bin/sleep) ends when a step says so, not when its time is over: so that it is still there,
                                however long the commands in between take
    end 8[1]                    this one does, as soon as it sleeps
    wait 4 /substate = 42/      until `qstat -xf` of job 4 has a line with this regular expression
    before 7 STEP               one of these steps, taken just before block 7 of the transcript
    read 8[].vm as 8.vm         the transcript with another text in place of one; columns are kept
    drop /REGEX/                the transcript without what matches
    without 12 because REASON   block 12 is not run
    cycles                      scheduling is on for the cycles that the transcript shows, and only for them
    accounting                  the accounting records that the transcript shows are compared
    mixed                       standard output and error were recorded together: a block is any mixture of the lines of both
    settles /REGEX/             a block whose command has this regular expression only looks: it has some seconds to be as recorded
    config P217 {...}           before that case sched_config is the shipped one with these parameters (placement)

`read`, `drop` and `settles` may end in " because " and the reason.
"""
import ast
import re
from dataclasses import dataclass, field
from datetime import datetime


@dataclass
class Scene:
    hosts: list = field(default_factory=list)
    steps: list = field(default_factory=list)          # ("run", user, command, number or None), ("wait", job, regex), ("next", n), ("clock", time),
                                                       # ("await", user, command, regex), ("end", job), ("ahead", s, reservation)
    before: dict = field(default_factory=dict)         # block number -> steps
    readings: list = field(default_factory=list)       # (from, to)
    drops: list = field(default_factory=list)          # regular expressions
    without: dict = field(default_factory=dict)        # block number -> reason
    asleep: bool = False
    cycles: bool = False
    accounting: bool = False
    mixed: bool = False
    settles: str = ""
    configs: dict = field(default_factory=dict)        # case of a placement transcript -> parameters of sched_config

    def moves_clock(self):
        return any(step[0] == "ahead" for steps in [self.steps, *self.before.values()] for step in steps)


class Malformed(Exception):
    pass


TYPED = re.compile(r"(\w+): (.*?)(?: -> (\d+))?\Z")
WAIT = re.compile(r"wait (\S+) /(.*)/\Z")
NEXT = re.compile(r"next (\d+)\Z")
AHEAD = re.compile(r"ahead (\d+) (\S+)\Z")
AWAIT = re.compile(r"await (\w+): (.*) /(.*)/\Z")
BEFORE = re.compile(r"before (\d+) (.*)\Z")
READ = re.compile(r"read (.+?) as (.+?)(?: because .*)?\Z")
DROP = re.compile(r"drop /(.+)/(?: because .*)?\Z")
CONFIG = re.compile(r"config (\S+) (\{.*\})\Z")
SETTLES = re.compile(r"settles /(.+)/(?: because .*)?\Z")
WITHOUT = re.compile(r"without (\d+) because (.+)\Z")


def read(text, include=lambda name: ""):
    """include(name): the text of another scene file."""
    scene = Scene()
    fill(scene, text, include)
    if not scene.hosts:
        raise Malformed("no host line")
    return scene


def fill(scene, text, include):
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("include "):
            fill(scene, include(line.split()[1]), include)
        elif line.startswith("host "):
            scene.hosts = line.split()[1:]
        elif found := BEFORE.match(line):
            scene.before.setdefault(int(found[1]), []).append(step(found[2], number))
        elif found := READ.match(line):
            scene.readings.append((found[1], found[2]))
        elif found := DROP.match(line):
            scene.drops.append(found[1])
        elif found := WITHOUT.match(line):
            scene.without[int(found[1])] = found[2]
        elif found := SETTLES.match(line):
            scene.settles = found[1]
        elif line == "asleep":
            scene.asleep = True
        elif line == "cycles":
            scene.cycles = True
        elif line == "accounting":
            scene.accounting = True
        elif line == "mixed":
            scene.mixed = True
        elif found := CONFIG.match(line):
            scene.configs[found[1]] = ast.literal_eval(found[2])
        else:
            scene.steps.append(step(line, number))


def step(line, number):
    if found := NEXT.match(line):
        return ("next", int(found[1]))
    if found := WAIT.match(line):
        return ("wait", found[1], found[2])
    if found := AWAIT.match(line):
        return ("await", found[1], found[2], found[3])
    if found := AHEAD.match(line):
        return ("ahead", int(found[1]), found[2])
    if line.startswith("end "):
        return ("end", line.split()[1])
    if line.startswith("clock "):
        return ("clock", datetime.strptime(line, "clock %Y-%m-%d %H:%M:%S"))
    if found := TYPED.match(line):
        return ("run", found[1], found[2], found[3])
    raise Malformed(f"line {number}: {line}")


def reread(text, scene):
    """The transcript as it would have been in the state that this scene can make."""
    for expression in scene.drops:
        text = re.sub(expression, "", text)
    for before, after in scene.readings:
        def replacement(match):
            blanks = match[1]
            return after.replace("\\n", "\n") + blanks + " " * (len(before) - len(after) if len(blanks) > 1 else 0)
        text = re.sub(re.escape(before) + r"( *)", replacement, text)
    return text
