"""pbs.conf(5): every key that the reader of pbs.conf and the scripts beside this folder know, with its default.

Keys and defaults are those of tools/client/pbs_conf.cpp and pbs_conf.hpp; what each does stands here. A key has an effect when its field is
read somewhere, or a script asks for it: TEXTS must have those. Why the others have none says the reader.
"""
import re

import mdoc

SCRIPTS = ("cluster-config/packaging/pbs_init.d", "cluster-config/packaging/pbs_habitat")
READER = "tools/client/pbs_conf"
# key -> (argument, what it does)
TEXTS = {
    "PBS_SERVER": ("host", "The server's host, the same everywhere. On the server's host it is also the name of the server and the end of"
                   " job ids, up to the first dot. Without it commands and the server take the name of their own host, and a MoM localhost."),
    "PBS_SERVER_HOST_NAME": ("host", "Where MoMs and schedulers reach the server, if not by PBS_SERVER. server_address of annals.conf wins"
                             " over it for a MoM."),
    "PBS_PRIMARY": ("host", "The same, after PBS_SERVER_HOST_NAME and before PBS_SERVER. There is no second server that would take over."),
    "PBS_READ_FROM": ("server | follower", "Whom commands ask that only read: qstat, pbsnodes, qselect, pbs_rstat, pbs_efficiency, pbs_output,"
                      " printjob, and qmgr -c with list or print. With follower it is the pbs_follow of this host; without it, and always for what"
                      " changes something, the server."),
    "PBS_EXEC": ("directory", "Where the programs are."),
    "PBS_HOME": ("directory", "Where the daemons keep what they know; each host has its own."),
    "PBS_MOM_HOME": ("directory", "PBS_HOME for the MoM, if it is another one."),
    "PBS_START_SERVER": ("0 | 1", "Whether the init script starts the server on this host."),
    "PBS_START_MOM": ("0 | 1", "Whether it starts the MoM."),
    "PBS_START_COMM": ("0 | 1", "Whether it starts pbs_comm, which a login host needs."),
    "PBS_START_FOLLOW": ("0 | 1", "Whether it starts pbs_follow, which keeps a copy of the server's log and answers questions from it."),
    "PBS_START_SCHED": ("0 | 1", "Deprecated, and without effect in the file: the server starts its schedulers, and the init script says so. In"
                        " its environment, 1 means the default scheduler."),
    "PBS_BATCH_SERVICE_PORT": ("port", "Where the server listens for MoMs and schedulers, and where these go; listen_port of annals.conf wins"
                               " over it on the server's host."),
    "PBS_MOM_SERVICE_PORT": ("port", "Where the MoM listens for the MoMs of other hosts."),
    "PBS_MANAGER_SERVICE_PORT": ("port", "PBS_MOMPORT of jobs. Nothing listens there."),
    "PBS_MOM_NODE_NAME": ("name", "The name of this host's natural vnode, and the one for which its certificate is made; else the host's name."),
    "PBS_LEAF_NAME": ("name", "Another name of this host: output for it is not sent elsewhere, qsub puts it into output paths if"
                      " PBS_OUTPUT_HOST_NAME is not set, and schedulers here tell the server this name as their host's."),
    "PBS_OUTPUT_HOST_NAME": ("host", "The host that qsub puts into the paths of output that name none; else PBS_LEAF_NAME, else this host."),
    "PBS_SCP": ("program", "What copies files of jobs to other hosts; else the scp that stands first in the MoM's PATH."),
    "PBS_SCP_ARGS": ("word ...", "Words that it is given besides -Brvp."),
    "PBS_CP": ("program", "What copies files of jobs on this host."),
    "PBS_LOG_HIGHRES_TIMESTAMP": ("0 | 1", "Whether times in daemons' logs have microseconds."),
}
def keys_of_reader(source):
    """key -> field."""
    return {key: field for table in ("text_keys", "flag_keys", "port_keys")
            for key, field in re.findall(r'\{"(\w+)", &pbs_conf::(\w+)\}', mdoc.cut(source, rf"{table}\[\] = \{{(.*?)\n\}};", table))}


def without_effect(source):
    """key -> (the value that is harmless, or "", why)."""
    rows = mdoc.cut(source, r"keys_without_effect\[\] = \{(.*?)\n\};", "keys_without_effect")
    return {key: (harmless or "", why) for key, harmless, why in re.findall(r'\{"(\w+)", (?:nullptr|"(\w+)"), "([^"]+)"\}', rows)}


def keys_of_scripts():
    return {key for script in SCRIPTS for key in re.findall(r"\bconf (PBS_\w+)", mdoc.read(script))}


def fields_with_effect(reader, header):
    """Fields that anything reads: another source, or a function of pbs_conf itself."""
    found = set(re.findall(r"\w+", mdoc.cut(reader, r"pbs_conf::server_host\(\) const \{(.*?)\n\}", "server_host of the reader")))
    found.update(re.findall(r"\w+", mdoc.cut(header, r"mom_home\(\) const \{(.*?)\}", "mom_home of the reader")))
    for path, source in mdoc.sources("tools/**/*.[ch]pp", "actors/**/*.[ch]pp", "hooks-runtime/**/*.[ch]pp"):
        if not path.startswith(READER):
            found.update(re.findall(r"(?:\.|->)(\w+)\b(?!\()", source))
    return found


def default_of(field, header):
    found = re.search(rf"std::\w+ {field} = ([^;]+);|\bstd::string {field} = \"([^\"]+)\";", header)
    return found and (found.group(1) or found.group(2)).strip('"')


def checked():
    """key -> its default, if it has one; after comparing this file with the code."""
    reader, header = mdoc.read(READER + ".cpp"), mdoc.read(READER + ".hpp")
    keys, used, scripts = keys_of_reader(reader), fields_with_effect(reader, header), keys_of_scripts()
    mdoc.same("keys of pbs.conf", set(keys) | scripts, set(TEXTS))
    mdoc.same("keys of pbs.conf that nothing reads", {k for k in keys if keys[k] not in used and k not in scripts}, ())
    return {key: default_of(field, header) for key, field in keys.items()}


def item(key, argument, meaning, default):
    shown = f"Default:\n.Ql {mdoc.word(default)} .\n" if default else ""
    return f"Ev {key} Ns = Ns Ar {argument}", mdoc.text(meaning) + shown


def pages():
    defaults = checked()
    page = mdoc.head("pbs.conf", 5, "where this host's PBS is, and what runs on it") + r""".Sh SYNOPSIS
.Pa /etc/pbs.conf
.Sh DESCRIPTION
Lines
.Ar NAME Ns = Ns Ar value ;
.Ql #
begins a comment line.
A value may stand in quotes.
Of a key that is there twice, the last line counts.
An environment variable of the same name wins over the file, and
.Ev PBS_CONF_FILE
names another file.
The file may be missing, and so may every key.
Daemons, commands and the init script read it when they start, and at no other time.
.Pp
The daemons' logs name, with its number, a line that is none, a flag that is not 0 or 1, a port that is none, and a key without effect; the
default counts then.
Nothing else is refused: a key that is not named here is read over, since PBS has keys for parts that are not here.
Settings that PBS has no key for are in
.Xr annals.conf 5 ,
but for
.Ev PBS_START_FOLLOW
and
.Ev PBS_READ_FROM ,
which a tool that writes pbs.conf anew from PBS's own keys takes away.
"""
    page += mdoc.tagged(item(key, argument, meaning, defaults.get(key)) for key, (argument, meaning) in TEXTS.items())
    page += ".Ss Known, and without effect\n" + mdoc.tagged(
        (f"Ev {key}", mdoc.text(why[0].upper() + why[1:] + "." + (f" {harmless} is not spoken of." if harmless else "")))
        for key, (harmless, why) in without_effect(mdoc.read(READER + ".cpp")).items())
    page += r""".Sh FILES
.Bl -tag -width Ds
.It Pa $PBS_EXEC/etc/pbs.conf.template
A file to begin with.
.It Pa /etc/pbs.conf.homes
Which homes this host had: see
.Xr pbs_habitat 8 .
.El
.Sh EXAMPLES
A host that runs jobs:
.Bd -literal -offset indent
PBS_SERVER=borg
PBS_EXEC=/opt/pbs
PBS_HOME=/var/spool/pbs
PBS_START_SERVER=0
PBS_START_MOM=1
.Ed
"""
    return {"pbs.conf.5": page + mdoc.see_also(("annals.conf", 5), ("mom_config", 5), ("pbs_environment", 7), ("pbs_follow", 8), ("pbs_habitat", 8),
                                               ("pbs_init.d", 8), ("pbs_mom", 8), ("pbs_server", 8))}
