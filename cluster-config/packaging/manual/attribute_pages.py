"""The pages of attributes and resources, from docs/attributes.md, which the tables in events/attributes make and a test compares."""
import re

import mdoc

SET = {"owner": "set by the owner, operators and managers", "operator": "set by operators and managers", "manager": "set by managers",
       "root": "set by root of the server's host",
       "nobody": "read-only", "internal": "of PBS itself"}
FORMATS = {
    "boolean": "\nTrue or False; also t, yes, y, 1 and f, no, n, 0, in any case.\n",
    "integer": "\nA whole number, with a sign or without; 0x begins a hexadecimal one; leading zeros say nothing.\n",
    "long": "\nA whole number, with a sign or without; 0x begins a hexadecimal one; leading zeros say nothing.\n",
    "float": "\nA decimal number; four decimals are kept.\n",
    "size": "\nA whole number and a unit: b or w (words of 8 bytes), with k, m, g, t or p before it or alone, in any case; bytes if there is"
            " none.\n",
    "duration": "\n.Li [[hours:]minutes:]seconds[.milliseconds] ;\na fraction of a second counts as one.\n",
    "date": "\nA moment; seconds since 1970 in requests, and a date when commands show it.\n",
    "string": "\nText.\n",
    "character": "\nOne letter.\n",
    "string list": "\nTexts with commas between them; a comma in one of them is\n.Li \\e, .\n",
    "string_array": "\nTexts with commas between them.\n",
    "resource list": "\nValues of resources, named one by one:\n.Ar attribute Ns Li \\&. Ns Ar resource ;\nsee\n.Xr pbs_resources 7 .\n",
    "limits": "\nEntries such as\n.Li [u:alice=2] , [g:PBS_GENERIC=5] , [o:PBS_ALL=10]\nwith commas between them: u for a user, g for a group, p for"
              " a project, o for all\ntogether.\nPBS_GENERIC is everybody who has no entry.\n",
    "access list": "\nEntries with commas between them, kept sorted;\n.Li -\nbefore one shuts it out.\n",
    "hold types": "\nLetters u, o, s and p: holds of the user, an operator, the system, and for a bad password; n for none.\n",
    "node state": "\nNames of states with commas between them.\nOnly\n.Li offline , down\nand\n.Li free\nmay be set.\n",
}
# page -> title of the table, what the page is about, how its values are seen and set, pages to see
PAGES = {
    "pbs_job_attributes": ("Jobs", "attributes of jobs", [
        ".Ql qstat -f", "shows them,", ".Xr qsub 1", "and", ".Xr qalter 1", "set them."],
        [("qalter", 1), ("qstat", 1), ("qsub", 1), ("pbs_resources", 7)]),
    "pbs_server_attributes": ("Server", "attributes of the server", [
        ".Ql qstat -Bf", "and", ".Ql qmgr -c 'list server'", "show them,", ".Ql qmgr -c 'set server ...'", "sets them."],
        [("qstat", 1), ("qmgr", 8), ("pbs_server", 8)]),
    "pbs_queue_attributes": ("Queues", "attributes of queues", [
        ".Ql qstat -Qf", "and", ".Ql qmgr -c 'list queue NAME'", "show them,", ".Ql qmgr -c 'set queue NAME ...'", "sets them."],
        [("qstat", 1), ("qmgr", 8)]),
    "pbs_node_attributes": ("Vnodes", "attributes of vnodes", [
        ".Xr pbsnodes 8", "and", ".Ql qmgr -c 'list node NAME'", "show them,", ".Ql qmgr -c 'set node NAME ...'", "sets them."],
        [("qmgr", 8), ("pbsnodes", 8), ("pbs_mom", 8)]),
    "pbs_sched_attributes": ("Schedulers", "attributes of schedulers", [
        ".Ql qmgr -c 'list sched NAME'", "shows them,", ".Ql qmgr -c 'set sched NAME ...'", "sets them.",
        "What a scheduler reads of its own file is in", ".Xr sched_config 5 ."],
        [("sched_config", 5), ("pbs_sched", 8), ("qmgr", 8)]),
    "pbs_resv_attributes": ("Reservations", "attributes of reservations", [
        ".Ql pbs_rstat -f", "shows them,", ".Xr pbs_rsub 1", "and", ".Xr pbs_ralter 1", "set them."],
        [("pbs_ralter", 1), ("pbs_rstat", 1), ("pbs_rsub", 1)]),
    "pbs_hook_attributes": ("Hooks", "attributes of hooks", [
        ".Ql qmgr -c 'list hook NAME'", "shows them,", ".Ql qmgr -c 'set hook NAME ...'", "sets them."],
        [("pbs_module", 7), ("qmgr", 8), ("pbs_python", 8)]),
}


def without_effect():
    """(kind of object, attribute) -> what there is not, in the words of the server's log."""
    source = mdoc.read("events/attributes/without_effect.cpp")
    named = dict(re.findall(r'(\w+) = "([^"]*)"', mdoc.cut(source, r"constexpr std::string_view (.*?);", "without_effect's words")))
    found = {}
    for kind, attribute, words in re.findall(r'\{(\w+)::(\w+), ("[^"]*"|\w+)\}', source):
        found[kind, attribute] = words.strip('"') if words.startswith('"') else named[words]
    return found


KIND = {"Jobs": "job", "Reservations": "reservation", "Server": "server", "Queues": "queue", "Schedulers": "scheduler", "Vnodes": "node"}


def default(value):
    return f"Default:\n.Ql {mdoc.word(value.strip(' `'))} .\n" if value else ""


def item(title, missing, row):
    name, form, by, notes, value, meaning = row
    name = name.strip("`")
    who = "; ".join([form, SET[by]] + ([notes] if notes else []))
    part = missing.pop((KIND.get(title), name), None)
    kept = f"It is kept and has no effect; missing: {part}.\n" if part else ""
    return f"Va {name}", mdoc.text(mdoc.sentence(meaning)) + ".br\n" + mdoc.text(mdoc.sentence(who[0].upper() + who[1:])) + default(value) + kept


def formats(types):
    unknown = set(types) - set(FORMATS)
    if unknown:
        raise mdoc.Mismatch(f"no text for the format {', '.join(sorted(unknown))}")
    used = [name for name in FORMATS if name in types]
    return ".Sh FORMATS\n" + mdoc.tagged((f"Em {name}", FORMATS[name][1:]) for name in used)


def attribute_page(name, table, missing):
    title, what, seen, others = PAGES[name]
    rows = table[title][1:]
    page = mdoc.head(name, 7, what) + ".Sh DESCRIPTION\n" + "\n".join(seen) + "\n"
    page += "The order is that in which they are shown.\n"
    page += mdoc.tagged(item(title, missing, row) for row in rows)
    return page + formats({row[1] for row in rows}) + mdoc.see_also(*others)


FLAGS = {"h": "may stand in a chunk, and belongs to a host", "q": "counted at the queue and the server",
         "n": "used up on each vnode", "f": "used up on the job's first host only", "i": "users neither see it nor ask for it",
         "r": "users see it, and do not ask for it", "m": "told to the MoM"}


def resource_item(row):
    name, form, flags, asked, by, notes, meaning = row
    known = {"in a chunk": "asked for in a chunk", "of the job": "asked for of the whole job", "": "not asked for"}
    parts = [form, known[asked], SET[by]] + ([notes] if notes else []) + ([f"flags {flags}"] if flags else [])
    line = mdoc.sentence("; ".join(parts))
    return f"Va {name.strip('`')}", mdoc.text(mdoc.sentence(meaning)) + ".br\n" + mdoc.text(line[0].upper() + line[1:])


def resource_page(table):
    rows = table["Builtin resources"][1:]
    source = mdoc.read("events/attributes/resources.cpp")
    letters = re.findall(r"\{'(\w)', \w+\}", mdoc.cut(source, r"letters\[\] = \{(.*?)\n\};", "the table of flags"))
    types = re.findall(r'\{"(\w+)", value_type', mdoc.cut(source, r"types\[\] = \{(.*?)\n\};", "the table of types"))
    mdoc.same("flags of resources", letters, FLAGS)
    page = mdoc.head("pbs_resources", 7, "what jobs ask for and vnodes have") + r""".Sh DESCRIPTION
In a chunk a resource is asked for with
.Ql qsub -l select=2:ncpus=4:mem=1gb ,
of the whole job with
.Ql qsub -l walltime=1:00:00 .
What a vnode, a queue or the server has is set with
.Ql qmgr -c 'set node n1 resources_available.mem = 64gb' .
.Ss Builtin resources
"""
    page += mdoc.tagged(resource_item(row) for row in rows)
    page += ".Ss Resources of the site\nA manager makes more with\n.Ql qmgr -c 'create resource licenses type=long, flag=hn' .\nTypes are\n"
    page += "".join(f".Li {name}{' ,' if name != types[-1] else ' .'}\n" for name in types) + "Flags are\n"
    page += mdoc.tagged((f"Li {letter}", f"{FLAGS[letter]}\n") for letter in letters)
    page += (".Pp\nSchedulers look at all of them.\nWhich of the builtin ones a scheduler looks at says\n.Va resources\nof its\n"
             ".Pa sched_config ;\nsee\n.Xr sched_config 5 .\n")
    return page + formats(set(types)) + mdoc.see_also(
        ("qsub", 1), ("sched_config", 5), ("pbs_job_attributes", 7), ("pbs_node_attributes", 7), ("qmgr", 8))


def pages():
    table, missing = mdoc.tables("docs/attributes.md"), without_effect()
    mdoc.same("tables of docs/attributes.md", table, {row[0] for row in PAGES.values()} | {"Builtin resources"})
    made = {f"{name}.7": attribute_page(name, table, missing) for name in PAGES}
    if missing:
        raise mdoc.Mismatch(f"without effect, and not in docs/attributes.md: {missing}")
    return made | {"pbs_resources.7": resource_page(table)}
