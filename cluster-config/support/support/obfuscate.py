"""Looks a whole snapshot through for the names of its site, then writes every file and file name anew without them."""
import grp
import os
import pwd
import re
import socket

from .scrub import LEFT_OUT

# What can't be written without names, is the site's own text, or is a table that cuts names short, of which the long form is there too.
# Also in the snapshots of other hosts within.
DROPPED = re.compile(r"(^|/)(system/(dmesg\.out|etc_hosts|etc_nsswitch_conf|sockets\.out|pbs_environment)|hook/[^/]*\.py|"
                     r"mom_priv/(prologue|epilogue)|job/qstat(_t|_x|_ns)?\.out|reservation/pbs_rstat\.out|server/qstat_[BQ]\.out|"
                     r"node/pbsnodes_av?Sj?\.out)$")
# Texts that people write: their values go. A job's comment stays where it is the scheduler's or the server's.
TEXTS = re.compile(r"^(\s*(?:Mail_Users|mail_from|Submit_arguments|executable|argument_list|Variable_List|mailer|Shell_Path_List)\s*=\s*).+$")
COMMENT = re.compile(r'(\bcomment\s*=\s*+"?+)(?!(?:Job |Not Running|Can Never Run|Reservation |node down|Held |Run ))[^"\n|]*')
DSV_TEXTS = re.compile(r"(?<=\|)((?:Mail_Users|Submit_arguments|executable|argument_list|Variable_List)=)((?:\\.|[^|\\])*)")
SET_TEXTS = re.compile(r"(\bset (?:server|sched|node|queue|hook)\b.*?\b(?:comment|mail_from|mailer) = ).*$")
HOOK_LINE = re.compile(r"^([^;]*;[^;]*;[^;]*;Hook;[^;]*;)(?!attributes set|created|deleted|application/x-).*$")
CONFIGURED = re.compile(r"(^|/)(pbs\.conf|annals\.conf|sched_priv[^/]*/[^/]*|mom_priv/config(\.d/.*)?)$")
OUR_PROCESS = re.compile(r"\bpbs_\w+\s*$|^USER ")
OUR_MOUNT = re.compile(r"/dev/|tmpfs |devtmpfs |overlay |Filesystem |[\w.-]+:/")

NAME = r"[A-Za-z_][\w.-]*"
IS = r"[ \t]*\+?=[ \t]*(?=\S)"      # on one line, and with a value: an empty one has the next line's date behind it
FINDS = [(kind, re.compile(text, re.MULTILINE)) for kind, text in (
    ("user", rf"\b(?:Job_Owner|Reserve_Owner|owner|requestor){IS}({NAME})@"), ("user", rf"\b(?:euser|user){IS}([^\s,|@;]+)"),
    ("user", r"^(\S+) +\d+ +\d+ \S+ +\w{3} \w{3} .*\bpbs_\w+\s*$"), ("user", rf"\b({NAME})@(?=[\w*])"),
    ("group", rf"(?<!:)(?<!place=)(?<!place = )\b(?:egroup|group){IS}([^\s,|;]+)"), ("host", r"(?<![\w.])\*\.([A-Za-z][\w.-]+)"),
    ("host", r"\b(?:server_host|Mom|Submit_Host|sched_host|resources_available\.host|PBS_O_HOST|server|PBS_SERVER\w*|PBS_LEAF_NAME|PBS_PRIMARY|"
             rf"PBS_SECONDARY|PBS_MOM_NODE_NAME|resources_available\.vnode|vnode){IS}([\w.-]+)(?![\w.=-])"),
    ("host", r"@([A-Za-z][\w.-]*)"), ("host", r"[(+]([A-Za-z][\w.-]*)(?:\[\w+\])?:\w+="),
    ("host", r"^(?:create node|set node|Server:|\$clienthost|\$usecp)[ \t]+([A-Za-z][\w.-]*)"),
    ("host", r"\n\n?([A-Za-z][\w.-]*)(?:\[\w+\])?\n     Mom = "),
    ("host", r"\A([A-Za-z][\w.-]*)(?:\[\w+\])?\n     Mom = "), ("host", r";Node;([A-Za-z][\w.-]*);"), ("host", r"(?:^|\|)Name=([A-Za-z][\w.-]*)\|"),
    ("host", r"(?:^|[=\s])([A-Za-z][\w.-]*):/"),
    ("job", rf"\b(?:Job_Name|Reserve_Name){IS}([^|\n]+)"), ("job", rf"\bjob ?name{IS}([^\s,]+)"), ("job", r"\bname=([^\s,|]+) "),
    ("project", rf"\bproject{IS}([^\s,|]+)"), ("account", rf"\bAccount_Name{IS}([^|\n]+)"), ("account", r'\baccount="([^"]*)"'),
    ("queue", r"\bcreate queue (\S+)"), ("queue", rf"\bqueue{IS}([\w.-]+)(?![\w.=-])"),
    ("queue", r"(?:^|\|)Queue[:=] ?([\w.-]+)"), ("queue", r";Que;([\w.-]+);"), ("queue", rf"\bdefault_queue{IS}([\w.-]+)(?![\w.=-])"),
    ("hook", r"\bcreate hook (\S+)"), ("hook", r";Hook;([^;]+);"), ("scheduler", r"^(?:Sched|create sched|set sched) (\S+)"))]
LISTS = [(kind, re.compile(text, re.MULTILINE)) for kind, text in (
    ("user", rf"\b(?:managers|operators|acl_users|acl_roots|User_List|Authorized_Users|acl_resv_users){IS}([^|\n]+)"),
    ("group", rf"\b(?:acl_groups|group_list|Authorized_Groups|acl_resv_groups){IS}([^|\n]+)"),
    ("host", rf"\b(?:acl_hosts|acl_resv_hosts|Authorized_Hosts|acl_host_moms\w*){IS}([^|\n]+)"), ("partition", rf"\bpartition{IS}([^|\n]+)"))]
EXEC_HOSTS = re.compile(rf"\bexec_host2?{IS}([^\s|]+)")
RESOURCES = re.compile(r"\bcreate resource (\S+)|\b(?:Resource_List|resources_\w+|resource_assigned|default_chunk|max_run_res\w*|max_queued_res)"
                       r"\.([A-Za-z]\w*)|(?<=\w)(?<!\[[ugpo]):([A-Za-z]\w*)=(?=[\w\"'])")
LIMITS = re.compile(r"\[([ugp]):([^=\]]+)")      # max_run = [u:ana=3]
HOST = re.compile(r"[\w.-]*")      # what stands behind it is the rest of the line
SHARES = re.compile(r"^([A-Za-z][\w.-]*)\s+\d+\s+\S+\s+\d+", re.MULTILINE)      # resource_group
PATH = re.compile(r"(?<![\w/.*\]<+-])/(?:[\w.@%~#{}^,\\-]+/)*[\w.@%~#{}^,\\-]+")
SPACED_PATHS = re.compile(rf"\b(?:Output_Path|Error_Path|jobdir|PBS_O_WORKDIR|PBS_O_HOME){IS}(?:[\w.-]+:)?(/[^|\n]*)")
ADDRESS = re.compile(r"(?<![\w.])(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)")
HARDWARE = re.compile(r"(?<![\w:])(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}|fe80::[0-9a-f:]+)(?![\w:])", re.IGNORECASE)
SIZE = re.compile(r"[+-]?[\d.:]+(?:[kmgtp]?[bw]?|e[+-]?\d+)$|(?:true|false)$", re.IGNORECASE)
# Files of a snapshot with the site's names in theirs.
SITE_FILES = [(kind, re.compile(text)) for kind, text in (
    ("host", r"^([^/]+)_snapshot/"), ("scheduler", r"(?:^|/)sched_(?:priv|logs)_([^/]+)"), ("path", r"(?:^|/)config\.d/([^/]+)$"))]
# Of a path: the system's and PBS's own directories and files.
KNOWN = set("""
    usr local bin sbin lib lib64 libexec share etc var spool opt tmp run dev null home root proc sys mnt boot srv log mail cache systemd system
    coredump shm zero fd sendmail bash sh csh zsh python3 python pbs env true false sleep pbs.conf annals.conf pbs_environment pbs_version
    server_priv sched_priv mom_priv server_logs sched_logs sched_log mom_logs comm_logs accounting hooks jobs users topology ca undelivered
    checkpoint aux views uploads config config.d sched_config resource_group holidays dedicated_time server.lock sched.lock mom.lock
    comm.lock daemon.pem ca.key ca.pem resourcedef server_out sched_out mom_out log.mark mark log_check commands.sock tm.sock libpbs.so
    pbs_shepherd pbs_hook_worker pbs_terminal pbs_sched_config pbs_holidays pbs_dedicated pbs_resource_group pbs.conf.template pbs.sh
    pbs.csh log_uuid log.create cgroup fs nsswitch.conf os-release etc_hosts""".split())
PBS_FILE = re.compile(r"\d+(?:\.(?:sst|log))?$|core(?:\.\d+)?$|(?:OPTIONS|MANIFEST)-\d+$|(?:CURRENT|IDENTITY|LOCK)$")
PROGRAM = re.compile(r"(?:pbs|q)\w+$|printjob$|tracejob$")
OF_A_JOB = re.compile(r"^\d+(?:\[\d*\])?\.|\.[oe]\d+(?:\.\d+)?$|\.(?:OU|ER|SC|JB|TK)$")


def hide(folder, names):
    for path in all_files(folder):
        if DROPPED.search(os.path.relpath(path, folder)):
            os.unlink(path)
    note(folder)
    files = sorted(all_files(folder))
    for path in files:
        clear(path, os.path.relpath(path, folder))
        for text in blocks(path):
            for name in {name for found in RESOURCES.findall(text) for name in found}:
                if name not in names.ordinary:
                    names.add("resource", name)
    words = set()
    for path in files:
        for text in blocks(path):
            find(text, names)
            if path.endswith("resource_group"):
                for name in SHARES.findall(text):
                    names.add("user", name)
            words.update(re.findall(r"[\w.-]+", text))
        for kind, expression in SITE_FILES:
            for name in expression.findall(os.path.relpath(path, folder)):
                names.add(kind, name)
    accounts(words, names)
    pattern = names.pattern()
    for path in files:
        replace(path, names, pattern)
    rename(folder, names, pattern)


def blocks(path):
    """The file's text, so many whole lines at a time: no name reaches over the end of a line."""
    with open(path, encoding="utf-8", errors="replace") as f:
        while lines := f.readlines(1 << 22):
            yield "".join(lines)


def note(folder):
    """Says in each log what is left out, so that nobody looks for it."""
    with open(os.path.join(folder, "pbs_snapshot.log"), "a", encoding="utf-8") as f:
        f.write("obfuscated: names are replaced; left out are dmesg, hosts, sockets, other processes, scripts of hooks, prologue and epilogue, "
                "tables with cut names, mail addresses, jobs' arguments and variables, comments of people and of "
                "configuration files, and what hooks logged\n")


def all_files(folder):
    return [os.path.join(where, name) for where, _, found in os.walk(folder) for name in found]


def clear(path, name):
    """Takes out what people wrote themselves."""
    configured, processes, mounts = CONFIGURED.search(name), name.endswith("system/process_info"), name.endswith("system/df_h.out")
    with open(path, encoding="utf-8", errors="replace") as f, open(path + ".new", "w", encoding="utf-8") as out:
        for line in f:
            if (configured and line.lstrip().startswith("#")) or (processes and not OUR_PROCESS.search(line)):
                continue
            if mounts and not OUR_MOUNT.match(line):
                line = re.sub(r"^\S+", LEFT_OUT, line)
            if "=" in line:
                for expression in (TEXTS, SET_TEXTS, COMMENT, DSV_TEXTS):
                    line = expression.sub(rf"\g<1>{LEFT_OUT}", line)
            out.write(HOOK_LINE.sub(rf"\g<1>{LEFT_OUT}", line) if ";Hook;" in line else line)
    os.replace(path + ".new", path)


def find(text, names):
    for kind, expression in FINDS:
        for name in set(expression.findall(text)):
            add_host(name, names) if kind == "host" else names.add(kind, name)
    for kind, expression in LISTS:
        for value in set(expression.findall(text)):
            for word in value.split(","):
                word = word.strip().strip('"').lstrip("+-").partition("@")
                add_host(word[0], names) if kind == "host" else names.add(kind, word[0].strip("*"))
                add_host(word[2].strip("*."), names)
    for letter, name in LIMITS.findall(text):
        names.add({"u": "user", "g": "group", "p": "project"}[letter], name.strip('"'))
    for value in set(EXEC_HOSTS.findall(text)):
        for chunk in value.split("+"):
            add_host(chunk.partition("/")[0].partition("[")[0], names)
    values(text, names)
    for path in {*PATH.findall(text), *SPACED_PATHS.findall(text)}:
        find_in_path(path, names)
    for address in {*ADDRESS.findall(text), *HARDWARE.findall(text)}:
        names.add("address", address)


def values(text, names):
    """Of the site's own resources: words, not sizes and numbers."""
    own = [re.escape(name) for name, kind in names.kinds.items() if kind == "resource"]
    if not own:
        return
    for value in re.findall(rf"(?:[.:]|\b)(?:{'|'.join(own)}){IS}(?!\[)([^:+\s|)]+)", text):      # [u:ana=3] is a limit
        for word in value.split(","):
            word = word.strip("\"'")
            if "=" in word:
                break      # the next resource
            if not SIZE.match(word):
                names.add("value", word)


def add_host(name, names):
    """A name with its domain is hidden in two parts, so that both are the same wherever they are alone."""
    name = HOST.match(name.strip()).group().strip(".")
    label, _, domain = name.partition(".")
    if not label or label.isdigit() or name in names.given:
        return
    names.add("host", label)
    if "." in domain:
        names.add("domain", domain)
    elif domain:
        names.add("domain", name)


def find_in_path(path, names):
    for part in path.split("/"):
        part = OF_A_JOB.sub("", part.strip())
        of_pbs = PBS_FILE.match(part) or (PROGRAM.match(part) and part in names.ordinary)
        if part and part not in KNOWN and not of_pbs:
            names.add("path", part)


def accounts(words, names):
    """People and groups of this machine whose names occur somewhere."""
    for entry in pwd.getpwall():
        if entry.pw_uid >= 1000 and entry.pw_name in words:
            names.add("user", entry.pw_name)
    for entry in grp.getgrall():
        if entry.gr_gid >= 1000 and entry.gr_name in words:
            names.add("group", entry.gr_name)
    for name in {os.uname().nodename, socket.getfqdn()}:
        add_host(name, names)


def replace(path, names, pattern):
    with open(path, encoding="utf-8", errors="replace") as f, open(path + ".new", "w", encoding="utf-8") as out:
        for line in f:
            out.write(said(line, names, pattern))
    os.replace(path + ".new", path)


def said(text, names, pattern):
    return pattern.sub(lambda match: names.words[match.group()], text) if pattern else text


def rename(folder, names, pattern):
    """Files and directories of the snapshot that are called by a name of the site."""
    for path in sorted(all_files(folder)):
        old = os.path.relpath(path, folder)
        new = old
        for _, expression in SITE_FILES:
            new = expression.sub(lambda m: m.group().replace(m.group(1), said(m.group(1), names, pattern)), new)
        if new != old:
            os.makedirs(os.path.dirname(os.path.join(folder, new)), exist_ok=True)
            os.rename(path, os.path.join(folder, new))
    for where, folders, found in os.walk(folder, topdown=False):
        if not os.listdir(where) and where != folder:
            os.rmdir(where)
