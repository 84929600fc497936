#!/usr/bin/env python3
"""Writes what the completions of bash and zsh know of each command: its options, the kinds of their values, and qmgr's attributes.

    make_completions.py --stage build/stage [--check]

It asks each command of docs/man for its --help, adds what the page's SYNOPSIS has, takes attributes from docs/attributes.md, and
exchanges the part between the two marks in annals.bash and _annals beside this file. With --check it only says which would change.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
BEGIN, END = "# Made by make_completions.py from here", "# Made by make_completions.py to here"

# What the words of a command are; of those with subcommands, each subcommand's.
WORDS = {
    "qalter": "job", "qhold": "job", "qrls": "job", "qdel": "job", "qmsg": "job", "qorder": "job", "qrerun": "job", "qrun": "job",
    "qsig": "job",
    "qmove": "queue_then_job", "qstat": "stat", "qsub": "script", "qenable": "queue", "qdisable": "queue", "qstart": "queue",
    "qstop": "queue",
    "pbsnodes": "node", "pbs_topologyinfo": "node", "pbs_release_nodes": "node", "pbs_enroll": "node", "pbs_tmrsh": "node_then_command", "pbs_rdel": "reservation",
    "pbs_ralter": "reservation", "pbs_rstat": "reservation", "tracejob": "anyjob", "pbs_output": "anyjob", "pbs_efficiency": "anyjob", "pbs_python": "file", "pbs_export": "file", "pbs_report": "file", "pbs_rcp": "file", "pbs_attach": "command",
    "pbsdsh": "command", "pbs_habitat": "=server,sched,mom", "pbs_audit job": "anyjob", "pbs_audit usage": "anyjob",
    "pbs_audit startup": "anyjob", "pbs_audit hook": "anyjob", "pbs_audit efficiency": "anyjob", "pbs_audit salvage": "directory",
    "pbs_minicluster kill": "=server,sched", "pbs_minicluster start": "=server,sched", "pbs_minicluster pause": "=server,sched",
    "pbs_minicluster exec": "command", "pbs_minicluster resume": "=server,sched", "pbs_minicluster unplug": "=server",
    "pbs_minicluster plug": "=server"}
# The kind of a value, by what --help or the page calls it.
KINDS = {
    "path": "file", "file": "file", "script": "file", "request": "file", "reply": "file", "configuration": "file", "site": "file",
    "home": "directory", "directory": "directory", "D": "directory", "PREFIX": "directory", "log": "directory", "sched_log": "directory",
    "sched_priv": "directory", "users": "user", "user": "user", "user_list": "user", "username": "user", "host": "node", "hostname": "node",
    "hosts": "node", "job": "job", "jobid": "job", "job_identifier": "job", "id": "job", "queue": "queue", "destination": "queue",
    "dest": "queue",
    "format": "=json,dsv", "resources": "resource", "signal": "signal", "scheduler": "scheduler", "entity": "user", "h1": "node",
    "sched_config": "file"}
# Where the name does not tell.
VALUES = {
    "qstat -u": "user", "pbs_efficiency -F": "=json", "qsub -p": "", "qsub -m": "=n,a,b,e,ab,ae,be,abe", "qalter -m": "=n,a,b,e,ab,ae,be,abe",
    "qsub -k": "=n,o,e,oe,od,ed,oed",
    "qalter -k": "=n,o,e,oe,od,ed,oed", "qhold -h": "=u,o,s,n", "qrls -h": "=u,o,s,n", "qalter -h": "=u,o,s,p,n",
    "qselect -h": "=u,o,s,p,n",
    "qsub -W": "=depend\\=,group_list\\=,stagein\\=,stageout\\=,umask\\=,block\\=,sandbox\\=,run_count\\=,tolerate_node_failures\\=,indexed_output\\=",
    "qalter -W": "=depend\\=,group_list\\=,stagein\\=,stageout\\=,umask\\=,sandbox\\=,run_count\\=",
    "qdel -W": "=force,suppress_email\\=", "qrerun -W": "=force", "pbs_ralter -W": "=force", "pbs_rsub -W": "=qmove\\=,delete_idle_time\\=",
    "qselect -s": "=Q,R,H,W,E,T,S,U,B,X,F,M", "qsub -c": "=n,s,c,w", "qalter -c": "=n,s,c,w", "pbs_release_nodes -k": "",
    "pbs_audit log --job": "anyjob",
    "pbs_audit log --user": "user", "pbs_audit efficiency --user": "user", "pbs_audit efficiency --queue": "queue",
    "pbs_audit --log": "directory", "pbs_export --log": "directory", "pbs_export --format": "=csv,jsonl,ur2",
    "pbs_report --rates": "file",
    "pbs_report --by": "=user,group,project,account,queue,reservation,day,month", "pbs_report --format": "=text,csv,json,html",
    "pbs_report --resource": "resource",
    "pbs_audit accounting --rebuild": "directory", "pbs_audit log --kind": "=server,queue,host,job,scheduler,run,part,hook,log",
    "pbs_ralter -l": "", "qrun -H": "node", "pbs_mom -s": "=list,show,insert,replace,remove", "qsub -v": "variable",
    "tracejob -p": "directory",
    "pbs_minicluster up --hosts": "", "pbs_minicluster up --server": "", "pbs_rsub -H": "", "pbs_sched -p": "file", "pbsnodes -s": "",
    "pbs_server -t": "=warm,create", "pbs_mom -n": "", "pbs_rsub -q": "", "pbs_enroll --scheduler": "scheduler",
    "pbs_sched --scheduler": "scheduler", "pbs_sched -I": "scheduler",
    "pbs_audit cycle --scheduler": "scheduler", "pbs_snapshot -l": "=DEBUG2,DEBUG,INFOCLI2,INFOCLI,INFO,WARNING,ERROR,FATAL",
    "pbs_snapshot --additional-hosts": "",
    "tracejob -f": "=error,system,admin,job,job_usage,security,sched,debug,debug2,resv,debug3,debug4"}
OPTION = re.compile(r" +(--?[\w-]+)(?:, ?(--?[\w-]+))?(?: (\S+(?: \.\.\.)?))?(?:\s+(\S.*))?$")


def commands():
    names = {os.path.basename(p).rsplit(".", 1)[0] for p in glob.glob(os.path.join(ROOT, "docs", "man", "*.[18]"))}
    return sorted(names)


class Option:
    def __init__(self, value=None, meaning=""):
        self.value, self.meaning = value, meaning    # value None: takes none

    def kind(self, command, flag):
        """Nothing: the option has no value; "": nobody knows what; "=a,b": one of these words; else a kind."""
        if self.value is None:
            return None
        if f"{command} {flag}" in VALUES:
            return VALUES[f"{command} {flag}"]
        word = re.sub(r"\W.*", "", self.value)
        if re.fullmatch(r"[\w]+(\|[\w]+)+", self.value):
            return "=" + self.value.replace("|", ",")
        braces = re.fullmatch(r"\w+:\{([\w,]+)\}", self.value)
        return "=" + braces.group(1) if braces else KINDS.get(word, "")


def said(stage, *command):
    for folder in ("bin", "sbin", "libexec"):
        program = os.path.join(stage, folder, command[0])
        if os.path.exists(program):
            # A home that can't be: nothing is asked of a server, nothing is made and no daemon starts.
            environment = {"PATH": os.environ["PATH"], "PBS_CONF_FILE": "/dev/null", "PBS_HOME": "/dev/null/none", "COLUMNS": "200"}
            done = subprocess.run([program, *command[1:], "--help"], env=environment, capture_output=True, text=True, timeout=60,
                                  stdin=subprocess.DEVNULL)
            return done.stdout + done.stderr
    sys.exit(f"make_completions: {command[0]} is not in {stage}")


def options_said(text):
    options = {}
    for line in text.split("\n"):
        match = OPTION.match(line)
        if not match or line.startswith(" " * 8) or match.group(2) == "--help" or match.group(3) == "=":
            continue                                 # a usage text goes on, --help itself, "-c copies = ..." of a usage text
        first, second, value, meaning = match.groups()
        for flag in filter(None, (first, second)):
            options[flag] = Option(value, meaning or "")
    return options


def subcommands_said(text):
    listed = re.search(r"(?m)^(?:Subcommands:|  COMMAND)\n((?: +\S.*\n?)+)", text)
    return re.findall(r"(?m)^ {2,4}(\w+) ", listed.group(1)) if listed else []


def options_on_page(command):
    """subcommand or "" -> flag -> Option, of the SYNOPSIS."""
    path = glob.glob(os.path.join(ROOT, "docs", "man", command + ".[18]"))[0]
    with open(path, encoding="utf-8") as f:
        synopsis = f.read().partition(".Sh SYNOPSIS\n")[2].split(".Sh ")[0]     # none on a page that is another's
    options = {}
    for form in synopsis.split(".Nm")[1:]:
        flag = macro = None
        for word in form.replace("\n.", "\n").split():
            if word in ("Fl", "Ar", "Cm", "Op", "Oo", "Oc", "Ns", "No", "Li"):
                macro = word
                flag = None if word in ("Op", "Oo") else flag
            elif word == "|":
                pass                                 # the macro goes on: Fl a | i
            elif macro == "Fl":
                for letter in [word] if word.startswith("-") else word:
                    flag = "-" + letter
                    if flag != "--":
                        options.setdefault(flag, Option())
            elif flag in options and macro == "Cm":             # Fl t Cm warm | create
                known = options[flag].value
                options[flag].value = word if not known else known if word in known.split("|") else f"{known}|{word}"
            elif flag in options and macro == "Ar":
                options[flag].value = options[flag].value or word
                flag = None
    return options


def gather(stage):
    """command, "command subcommand" -> (options, subcommands)."""
    found = {}
    for command in commands():
        text = said(stage, command) if command != "pbs_habitat" else ""      # it has no options
        options = {"--version": Option(None, "print the version")}
        options.update(options_said(text))
        subcommands = subcommands_said(text) if command in ("pbs_audit", "pbs_minicluster") else []
        if not subcommands:
            for flag, option in options_on_page(command).items():
                options.setdefault(flag, option)
        if command in ("pbs_habitat", "pbs_minicluster", "pbs_topologyinfo"):
            del options["--version"]
        found[command] = (options, subcommands)
        for sub in subcommands:
            found[f"{command} {sub}"] = (options_said(said(stage, command, sub)), [])
    return found


def attributes():
    """Of what qmgr sets: object -> names; and the names of builtin resources."""
    with open(os.path.join(ROOT, "docs", "attributes.md"), encoding="utf-8") as f:
        parts = re.split(r"(?m)^## ", f.read())
    tables = {p.split("\n", 1)[0]: re.findall(r"(?m)^\| `(\w+)` \| ([^|]*) \| ([^|]*) \|", p) for p in parts}
    objects = {"server": "Server", "queue": "Queues", "node": "Vnodes", "sched": "Schedulers"}
    named = {o: [n for n, _, by in tables[t] if by.strip() != "nobody"] for o, t in objects.items()}
    named["hook"] = ["event", "enabled", "order", "alarm", "freq", "user", "fail_action", "debug", "type"]
    named["resource"] = ["type", "flag"]
    return named, [name for name, _, _ in tables["Builtin resources"]]


def words_of(key, subcommands):
    return WORDS.get(key, "=" + ",".join(subcommands) if subcommands else "")


def for_bash(found, named, resources):
    yield "__annals_table() {"
    yield "  case $1 in"
    for key, (options, subcommands) in found.items():
        tokens = []
        for flag in sorted(options):
            kind = options[flag].kind(key, flag)
            tokens.append(flag if kind is None else f"{flag}:{kind}")
        yield f"    {key.replace(' ', '/')})"
        yield f"      options='{' '.join(tokens)}'"
        yield f"      words='{words_of(key, subcommands)}' ;;"
    yield "    *) return 1 ;;"
    yield "  esac"
    yield "}"
    yield "__annals_attributes() {"
    yield "  case $1 in"
    for thing, names in named.items():
        yield f"    {thing}) printf '%s\\n' {' '.join(names)} ;;"
    yield "  esac"
    yield "}"
    yield f"__annals_resources='{' '.join(resources)}'"
    yield f"complete -F __annals_complete {' '.join(commands_of(found))}"


def commands_of(found):
    return [key for key in found if " " not in key]


def for_zsh(found, named, resources):
    yield "__annals_specs() {"
    yield "  case $1 in"
    for key, (options, subcommands) in found.items():
        specs = []
        for flag in sorted(options):
            option = options[flag]
            meaning = re.sub(r"([\[\]:\\])", r"\\\1", option.meaning).replace("'", "'\\''")
            kind = option.kind(key, flag)
            # -F+: the value may stand in the same word; --at: only behind it
            glue = "+" if kind is not None and not flag.startswith("--") else ""
            value = "" if kind is None else f":{re.sub('[^a-z_]', ' ', option.value.lower()).strip() or 'value'}:{zsh_action(kind)}"
            specs.append(f"'*{flag}{glue}[{meaning}]{value}'")
        if subcommands:
            specs += [f"'1:subcommand:({' '.join(subcommands)})'", "'*::word:__annals_of_subcommand'"]
        else:
            specs += zsh_words(words_of(key, []))
        yield f"    {key.replace(' ', '/')}) specs=("
        yield from (f"      {spec}" for spec in specs)
        yield "    ) ;;"
    yield "    *) return 1 ;;"
    yield "  esac"
    yield "}"
    yield "__annals_attributes() {"
    yield "  case $1 in"
    for thing, names in named.items():
        yield f"    {thing}) reply=({' '.join(names)}) ;;"
    yield "    *) reply=() ;;"
    yield "  esac"
    yield "}"
    yield f"__annals_resources=({' '.join(resources)})"


def zsh_action(kind):
    fixed = {"file": "_files", "directory": "_files -/", "user": "_users", "command": "_command_names -e", "signal": "_signals", "": " "}
    if kind.startswith("="):
        return f"({' '.join(kind[1:].replace(chr(92), '').split(','))})"
    return fixed.get(kind, f"__annals_ask {kind}")


def zsh_words(kind):
    if kind == "queue_then_job":
        return ["'1:queue:__annals_ask queue'", "'*:job:__annals_ask job'"]
    if kind == "node_then_command":
        return ["'1:host:__annals_ask node'", "'*::command:_normal'"]
    if kind == "command":
        return ["'*::command:_normal'"]
    if kind == "script":
        return ["'1:script:_files'", "'*:argument:_files'"]
    return [f"'*:{kind.strip('=').split(',')[0]}:{zsh_action(kind)}'"] if kind else []


def exchanged(path, lines):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    before, rest = text.split(BEGIN + "\n")
    return text, before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--stage", required=True)
    arguments.add_argument("--check", action="store_true")
    given = arguments.parse_args()
    found = gather(given.stage)
    named, resources = attributes()
    stale = 0
    for name, made in (("annals.bash", for_bash), ("_annals", for_zsh)):
        path = os.path.join(HERE, name)
        was, now = exchanged(path, made(found, named, resources))
        if name == "_annals":
            now = re.sub(r"(?m)^#compdef .*$", "#compdef " + " ".join(commands_of(found)), now, count=1)
        if was != now and given.check:
            stale = 1
            print(f"{os.path.relpath(path, ROOT)} is not up to date: run make_completions.py --stage build/stage")
        elif was != now:
            with open(path, "w", encoding="utf-8") as f:
                f.write(now)
    return stale


if __name__ == "__main__":
    sys.exit(main())
