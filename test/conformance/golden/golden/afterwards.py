"""What a transcript says below an `unset`: the attribute's lines in what `list` and `print` of qmgr show of the object then."""
import re

UNSET = re.compile(r"qmgr -c 'unset (server|sched default) (\S+)'\Z")
NOTHING = "(absent in list and print)"


def seen(cluster, command):
    object, attribute = UNSET.match(command).groups()
    name = re.escape(attribute) + r"(?:\.\w+)? = "
    lines = []
    for verb, form in ("list", rf"    {name}"), ("print", rf"set (?:server|sched) {name}"):
        lines += [line for line in cluster.type("root", f"qmgr -c '{verb} {object}'").stdout.split("\n") if re.match(form, line)]
    return " || ".join(lines) or NOTHING
