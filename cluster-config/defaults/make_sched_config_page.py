#!/usr/bin/env python3
"""Writes docs/man/sched_config.5: what the shipped file says of each parameter, and which names the parser answers otherwise.

With --check it only says whether the page would change.
"""
import os
import re
import sys

import made_page

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
PARSER = os.path.join(ROOT, "actors", "scheduler", "cycle", "policy.cpp")
SETTING = re.compile(r"(#?)(\w+):\s*(.*)$")

HEAD = r""".\" Made by cluster-config/defaults/make_sched_config_page.py; do not edit.
.Dd November 27, 2026
.Dt SCHED_CONFIG 5
.Os Annals
.Sh NAME
.Nm sched_config
.Nd how a scheduler chooses what runs next
.Sh SYNOPSIS
.Pa $PBS_HOME/sched_priv/sched_config
.Sh DESCRIPTION
"""
TAIL = r""".Sh FILES
.Bl -tag -width "$PBS_EXEC/etc/pbs_sched_config" -compact
.It Pa $PBS_HOME/sched_priv/sched_config
of the scheduler
.Li default ;
another one's is in the
.Va sched_priv
of its object
.It Pa $PBS_EXEC/etc/pbs_sched_config
as shipped
.El
.Sh SEE ALSO
.Xr pbs_sched 8 ,
.Xr pbsfs 8 ,
.Xr qmgr 8
"""


def sentences(lines):
    """Lines of the page: each sentence begins one."""
    text = re.sub(r"(?<=[.:]) (?=[A-Z])", "\n", " ".join(lines)).replace("\\", "\\e")
    return "".join(("\\&" if line[:1] in ".'" else "") + line + "\n" for line in text.split("\n") if line)


def paragraphs(text):
    """What stands between empty lines: (lines of comment, settings)."""
    for paragraph in text.split("\n\n"):
        comment, settings = [], []
        for line in paragraph.strip("\n").split("\n"):
            if SETTING.fullmatch(line):
                settings.append(SETTING.fullmatch(line).groups())
            elif line.startswith("#"):
                comment.append(line[1:].strip())
        yield comment, settings


def of_the_file(text):
    sections = re.split(r"(?m)^# ---- (.*?) -+$", text)
    intro = sections[0].replace("# sched_config: how this scheduler chooses what runs next.\n#\n", "")
    for number, part in enumerate(re.split(r"(?m)^#\n", intro.strip("\n") + "\n")):
        lines = [line[1:].strip() for line in part.strip("\n").split("\n")]
        if number:
            yield ".Pp\n"
        if "name: value [" in lines[0]:
            yield "A line is\n.Dl name: value [prime | non_prime | all | none]\n"
            lines = lines[1:]
        yield sentences(lines)
    for title, body in zip(sections[1::2], sections[2::2]):
        yield f".Ss {title[0].upper()}{title[1:]}\n.Bl -tag -width Ds\n"
        for comment, settings in paragraphs(body):
            if not settings:
                continue
            names = list(dict.fromkeys(name for _, name, _ in settings))
            yield f".It Va {' , '.join(names)}\n{sentences(comment)}"
            for off, name, value in settings:
                yield ".Pp\n" if (off, name, value) == settings[0] else ".br\n"
                yield f"{'For example' if off else 'As shipped'}:\n.Ql {name}: {' '.join(value.split())}\n".replace('"', "\\(dq")
        yield ".El\n"


def other_names():
    """Those that the parser knows and the file has not: without effect, or obsolete."""
    with open(PARSER, encoding="utf-8") as f:
        text = f.read()
    yield ".Sh OTHER NAMES\nThe log names each line that has one of these, with its number.\n.Bl -tag -width fairshare_entity -compact\n"
    for name, why in re.findall(r'without_effect\("(\w+)", value, "([^"]*)"\)', text):
        if name != "smp_cluster_dist":
            yield f".It Va {name}\nhas no effect: {why}\n"
    table = re.search(r"obsolete_names\[\] = \{\n(.*?)\n\};", text, re.S).group(1)
    for name, instead in re.findall(r'\{"(\w+)", "([^"]*)"\}', table):
        instead = instead.removeprefix("nothing - ")
        verb = "" if not instead or instead.startswith(("use ", "set ")) else "use "
        yield f".It Va {name}\nis obsolete{': ' if instead else ''}{verb}{instead}\n"
    yield ".El\n"


def page():
    with open(os.path.join(HERE, "pbs_sched_config"), encoding="utf-8") as f:
        shipped = f.read()
    return HEAD + "".join(of_the_file(shipped)) + "".join(other_names()) + TAIL


if __name__ == "__main__":
    sys.exit(made_page.run("docs/man/sched_config.5", page(), "cluster-config/defaults/make_sched_config_page.py"))
