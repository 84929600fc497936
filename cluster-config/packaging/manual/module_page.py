"""pbs_module(7): what hooks import. Events are those of docs/hooks_reference.md, which the catalogue of events makes and a test compares;
functions are those of the method tables of hooks-runtime/pbs_module, in their own words."""
import re

import mdoc

# title -> file and table
FUNCTIONS = {
    "Functions": [("module.cpp", "functions"), ("helpers.cpp", "functions"), ("object_methods.cpp", "object_getters")],
    "Of pbs.event()": [("event.cpp", "methods")],
    "Of a job": [("object_methods.cpp", "job_methods")],
    "Of a vnode's class": [("object_methods.cpp", "vnode_methods")],
    "Of a queue": [("object_methods.cpp", "queue_methods")],
    "Of pbs.server()": [("object_methods.cpp", "server_methods")],
}


def methods(source, table):
    rows = mdoc.cut(mdoc.read(f"hooks-runtime/pbs_module/{source}"), rf"PyMethodDef {table}\[\] = \{{(.*?)\n?\}};", f"{table} of {source}")
    return re.findall(r'\{"([a-z]\w*)",.*?METH_[^"]*"([^"]*)"\}', rows)


def functions():
    text = ""
    for title, places in FUNCTIONS.items():
        rows = [row for place in places for row in methods(*place)]
        if not rows:
            raise mdoc.Mismatch(f"no methods found for {title}")
        text += f".Ss {title}\n" + mdoc.tagged((f"Fn {name}", mdoc.text(mdoc.sentence(meaning))) for name, meaning in rows)
    return text


ABOUT = ("Runs", "Where", "Constant", "Sandbox", "Reject", "user", "fail_action")


def event(name, rows):
    """One event's two tables: what it is, and its parameters."""
    about = {mdoc.plain(row[0]): mdoc.plain(row[1]) for row in rows if len(row) == 2 and row[0]}
    mdoc.same(f"rows of {name}", about, ABOUT)
    facts = [f"Runs {about['Runs']}", f"If it rejects: {about['Reject']}", f"At: {about['Where']}; sandbox: {about['Sandbox']}",
             f"Constants: {about['Constant']}", f"User: {about['user']}; fail_action: {about['fail_action']}"]
    body = ".br\n".join(mdoc.text(mdoc.sentence(fact)) for fact in facts)
    parameters = [list(map(mdoc.plain, row)) for row in rows if len(row) == 4][1:]
    return body + mdoc.tagged((f"Va {name} Pq {mdoc.word(kind)}", mdoc.text(f"{what[0].upper()}{what[1:]}. May be set: {may}."))
                              for name, kind, may, what in parameters)


def intro():
    """The paragraphs about all events."""
    head = mdoc.read("docs/hooks_reference.md").split("\n## ", 1)[0]
    paragraphs = [" ".join(p.split("\n")) for p in head.strip().split("\n\n")[2:]]
    kept = [re.sub(r" ?The sandbox is described in [^.]*\.md\)\.", "", p) for p in paragraphs]
    return ".Pp\n".join(mdoc.text(mdoc.plain(p)) for p in kept)


def pages():
    page = mdoc.head("pbs_module", 7, "what hooks import as pbs") + r""".Sh SYNOPSIS
.Bd -literal
import pbs
e = pbs.event()
if e.job.Resource_List["walltime"] is None:
    e.reject("ask for a walltime")
.Ed
.Sh DESCRIPTION
""" + intro()
    page += r""".Pp
An attribute or a resource that is not set is
.Li None .
A script that raises counts as a rejection, and nothing that it changed holds.
.Xr pbs_python 8
runs a script outside a daemon.
"""
    page += ".Sh EVENTS\n" + mdoc.tagged((f"Li {name}", event(name, rows)) for name, rows in mdoc.tables("docs/hooks_reference.md").items())
    page += ".Sh FUNCTIONS AND METHODS\n" + functions()
    page += """.Sh CONFIGURATION
A configuration that is a JSON object may have
.Ql annals_sandbox ,
an object that says what more the script may do than others:
""" + mdoc.tagged([
        ("Li writable_paths", "A list of absolute paths, of files or directories that are there, to which a hook of the server writes "
                              "beside its scratch directory.\n"),
        ("Li network", "true: a hook of the server makes sockets.\n"),
        ("Li processes", "true: a hook of the server starts programs and threads.\n"),
        ("Li process_memory", "true: a hook on a host looks into other processes, its MoM too.\n")])
    page += ".Sh ENVIRONMENT\n" + mdoc.tagged([
        ("Ev PBS_HOOK_CONFIG_FILE", "The file with the hook's configuration, if it has one.\n"),
        ("Ev TMPDIR", "Of hooks of the server: the scratch directory, which is also the working directory at first.\n")])
    return {"pbs_module.7": page + mdoc.see_also(
        ("pbs_hook_attributes", 7), ("pbs_job_attributes", 7), ("pbs_node_attributes", 7), ("qmgr", 8), ("pbs_python", 8))}
