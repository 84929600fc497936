"""Every attribute of every object in every hook event: the recording (hook_fields_recording.txt), and dumps of the same form."""
import os
import re

# "  job.Priority = 0 (pbs_int)", "  job None: a b c", "job: class _job, 115 attributes; ...", "  job.x !! Error: text"
OBJECT = re.compile(r"(\S+): class (\w+), \d+ attributes")
VALUE = re.compile(r"  (\S+?)\.(\w+) = (.*) \((\w+)\)\Z", re.S)
NONE = re.compile(r"  (\S+) None:(.*)\Z")
ERROR = re.compile(r"  (\S+?)\.(\w+) !! (.*)\Z")
OWN = re.compile(r"event\.(\w+) (=|!!) (.*)\Z")
PLAIN = re.compile(r"(\w+): (.*) \((\w+)\)\Z")
# Classes that PBS makes of values and hooks can't: they behave as Python's own.
PYTHONS = {"pbs_str": "str", "pbs_int": "int", "pbs_float": "float", "name": "str", "priority": "int", "job_state": "int", "queue_type": "int",
           "vnode_ntype": "int", "vnode_sharing": "int"}
CUT = 700      # characters of a line of the recording, with what stands before it
# Which block shows which dump: the first of its event, but for these.
BEGINS_WITH = {"E5": "E4", "E6": "E4", "E8": "E7", "E13": "E12", "E14": "E12", "E16": "E15", "E19": "E17", "E20": "E18", "E21": "E17",
               "E22": "E17", "E23": "E17", "E24": "E17", "E25": "E17"}


class Recording:
    """hook: the dumping script. hooks: name -> events. blocks: event, or event and what is said of it -> objects."""

    def __init__(self, text):
        self.hook = "".join(line[3:] + "\n" for line in re.findall(r"(?m)^#\| .*$", text)).replace(f"[:{CUT}]", "")
        server = re.search(r"# hook evs: event=(\S+)", text)[1].rstrip(",")
        self.hooks = {"evs": server}
        self.hooks.update(re.findall(r"set hook (\w+) event=\"([\w,]+)\"", text))
        lines_of, self.blocks = {}, {}
        for name, title, body in re.findall(r"(?ms)^## (E\d+) (\w.*?)$\n(.*?)(?=^## |\Z)", text):
            if name in ("E0", "E0b"):
                continue
            lines = [line[2:] for line in body.split("\n") if line.startswith("  ")]
            lines_of[name] = patched(lines_of[BEGINS_WITH[name]], lines) if name in BEGINS_WITH else lines
            self.blocks[re.sub(r" \(only the lines.*", "", title)] = objects(lines_of[name])


def patched(lines, changes):
    """Lines of another block without those that are gone (-) and with those that are new (+)."""
    gone, new = [c[1:] for c in changes if c.startswith("-")], [c[1:] for c in changes if c.startswith("+")]
    out = list(lines)
    for line in gone:
        if line in out:
            out.remove(line)
    return out + new


def objects(lines):
    """object -> {attribute: (text, class), or None for what is None}; "event" has what the event has of its own."""
    found = {"event": {}}
    for line in lines:
        if m := OBJECT.match(line):
            found.setdefault(m[1], {})["is a"] = ("", m[2])
        elif m := VALUE.match(line):
            found.setdefault(m[1], {})[m[2]] = (m[3], m[4])
        elif m := NONE.match(line):
            names = m[2].split()
            found.setdefault(m[1], {}).update(dict.fromkeys(names[:-1] if len(line) >= CUT - 10 else names))
        elif m := ERROR.match(line):
            found.setdefault(m[1], {})[m[2]] = (m[3].partition(":")[0], "error")
        elif m := OWN.match(line):
            found["event"][m[1]] = (m[3].partition(":")[0] if m[2] == "!!" else m[3], "error" if m[2] == "!!" else "own")
        elif m := re.match(r"event\.(_param keys|attributes): (.*)\Z", line):
            found["event"][m[1].split()[0]] = (m[2], "own")
        elif m := PLAIN.match(line):
            found["event"][m[1]] = (m[2], m[3])
    return found


def dumps_in(directory):
    """event -> its dumps in the order in which they were written, as objects()."""
    found = {}
    for name in sorted(os.listdir(directory), key=lambda n: (n.rpartition(".")[0], int(n.rpartition(".")[2]))):
        with open(os.path.join(directory, name)) as f:
            found.setdefault(name.rpartition(".")[0], []).append(objects(f.read().split("\n")))
    return found


def dump_of(title, ours):
    """The dump that a block's title means."""
    event = title.split()[0].upper()
    dumps = ours.get(event, [])
    if title.startswith("periodic (one reservation)"):
        dumps = [d for d in dumps if any(name.startswith("resv_list[") for name in d)]
    if title.startswith("exechost_periodic"):
        with_job = "(one job)" in title
        dumps = [d for d in dumps if any(name.startswith("job_list[") for name in d) == with_job]
    if title.startswith("management (another)"):
        dumps = dumps[1:]
    return dumps[0] if dumps else None


# These parts of values differ from run to run.
VARYING = ((re.compile(r"\b1[678]\d{8,14}\b"), "TIME"), (re.compile(r"\b\d+kb\b"), "KB"), (re.compile(r"\b\d\d:\d\d:\d\d\b"), "DURATION"),
           (re.compile(r"\b\d+(\[\])?\.vm\b"), "ID"), (re.compile(r"\b[RSM]\d+(\.vm)?\b"), "RESV"), (re.compile(r"\b(ev1|STDIN)\.([eo])\d+"), r"\1.\2N"),
           (re.compile(r"\b[0-9A-F]{32}\b"), "COOKIE"), (re.compile(r"\w{3} \w{3} [ \d]\d at \d\d:\d\d"), "DATE"),
           (re.compile(r"\b23\.06\.06\b"), "VERSION"), (re.compile(r"PBS_O_PATH=[^,]*"), "PBS_O_PATH=P"))
# Values of the machine, of its users and of the moment.
ANY_VALUE = {"session_id", "pcpus", "queue_rank", "resources_used", "cookie", "freq", "Variable_List", "reserve_duration", "env"}


def same_text(attribute, theirs, ours):
    ours = ours.strip("'") if not theirs.startswith("'") else ours      # PBS's classes of text print without quotes
    if attribute in ANY_VALUE:
        return bool(theirs) == bool(ours)
    for pattern, word in VARYING:
        theirs, ours = pattern.sub(word, theirs), pattern.sub(word, ours)
    if "=" in theirs and "," in theirs:        # a list of resources has no order
        return sorted(theirs.split(",")) == sorted(ours.split(","))
    return theirs == ours


def shown(value):
    return "None" if value is None else f"{value[0][:60]} ({value[1]})"


def differences(blocks, ours):
    """("event object.attribute", what differs) for each."""
    for title, recorded in blocks.items():
        event, dump = title.split()[0], dump_of(title, ours)
        if dump is None:
            yield f"{event} *", "the event did not come"
            continue
        theirs_by_kind, ours_by_kind = by_kind(recorded), by_kind(dump)
        for kind, attributes in theirs_by_kind.items():
            if kind not in ours_by_kind:
                yield f"{event} {kind}", "is not there"
                continue
            for name, value in attributes.items():
                if name not in ours_by_kind[kind]:
                    yield f"{event} {kind}.{name}", f"{shown(value)} there, here no such attribute"
                    continue
                here = ours_by_kind[kind][name]
                same = value is None and here is None or value is not None and here is not None and \
                    PYTHONS.get(value[1], value[1]) == here[1] and same_text(name, value[0], here[0])
                if not same:
                    yield f"{event} {kind}.{name}", f"{shown(value)} there, here {shown(here)}"


def by_kind(found):
    """With one name for the objects of a list: job_list['5.vm'] is job_list[]."""
    return {re.sub(r"\['.*'\]", "[]", name): attributes for name, attributes in found.items()}
