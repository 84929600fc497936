#!/usr/bin/env python3
"""Writes docs/man/mom_config.5: the settings of mom_priv/config, their defaults and what has no effect, as the MoM's parser has them.

The parser knows names and defaults; what each is for stands in TEXTS here. A setting of the parser without a text, or a text without
a setting, is an error. With --check it only says whether the page would change.
"""
import os
import re
import sys

import made_page

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
PARSER = os.path.join(ROOT, "actors", "mom", "host", "mom_config")
RESTRICTION = os.path.join(ROOT, "actors", "mom", "host", "user_restriction.hpp")

# = setting (member with its default): its value, and below what it does
SETTING = r"= (\w+)(?: \((\w+)\))?: (.*)\n((?:[^=].*\n)+)"
TEXTS = {name: (value, member, meaning) for name, member, value, meaning in re.findall(SETTING, r"""
= usecp: Ar host Ns : Ns Ar path Ar here
What
.Ar host
has below
.Ar path
is found on this host below
.Ar here :
files of jobs are copied there and not sent.
The first such line that fits counts;
.Ar host
may begin with
.Ql * .
See
.Xr pbs_mom 8 .
= tmpdir (tmpdir): Ar directory
Where the directory TMPDIR of each job is made.
= jobdir_root: Ar directory
Where the directories of jobs with
.Li sandbox=PRIVATE
are made; else in the user's home.
= enforce: Oo Li ! Oc Ns Cm mem
A job that uses more memory than it asked for ends; with
.Li !
it does not, which is the default.
Other limits that PBS knows here are not watched.
= use_cgroups: Cm auto | off
Whether the kernel keeps jobs in what they were given:
.Cm auto ,
the default, does where the machine has cgroups and the MoM is root.
= cgroup_cpu_quota (cgroup_cpu_quota): Cm true | false
A job never gets more than its
.Li ncpus ,
also when others are idle.
= prologalarm (prologue_alarm_s): Ar seconds
How long a prologue or epilogue script may take.
= sister_join_job_alarm: Ar seconds
How long a further host of a job may take to join it, silent or not, if the job tolerates failures.
For other jobs one that can't be reached has ten seconds, and the same time as this at most.
If it is not set, what the hooks of execjob_begin may take, or 30.
= job_launch_delay: Ar seconds
How long the first host of a job that tolerates failures waits for the others to be ready.
If it is not set, what the hooks of execjob_prologue may take, or 30.
= max_check_poll (max_check_poll_s): Ar seconds
How long the first host of a running job may be without the MoM of another one before it ends the job.
= logevent (logevent): Ar mask
Which events go to the log, as the sum of their bits.
= resources_used_strings (used_strings): Cm by_node | merge
How words that hooks set in
.Va resources_used
on several hosts are shown: see
.Xr pbs_mom 8 .
= reject_root_scripts (reject_root_scripts): Cm true | false
No program of a job is started as root, and no script or configuration of a hook is taken from the server.
A job of root goes back to its queue; hooks that are here already go on as they are.
= cputmult: Ar factor
What a second of cpu time of this host counts as, in
.Va resources_used.cput
and for the limits
.Li cput
and
.Li pcput :
1 if it is not set.
= wallmult: Ar factor
The same of wall time, in
.Va resources_used.walltime
and for the limit
.Li walltime .
= action: Cm checkpoint_abort | restart Ar seconds Li ! Ns Ar script Op Ar word ...
The script that checkpoints a job, and the one that is started when it runs again: see
.Xr pbs_mom 8 .
= checkpoint_path: Ar directory
Where checkpoints lie, a relative one below
.Pa mom_priv ;
else in
.Pa $PBS_HOME/checkpoint .
= restart_transmogrify: Cm true
Accepted: the restart script always becomes the job's program.
.Cm false
has no effect.
= ideal_load: Ar load
Below this load a busy host is no longer busy; if it is not set, at
.Li $max_load .
Alone it has no effect.
= max_load: Ar load Op Cm suspend
Above this load of the last minute, as
.Xr uptime 1
shows it, the vnodes of this host are in state
.Li busy :
no scheduler places jobs there, and those that run go on.
If it is not set, the load is not watched.
With
.Cm suspend
the jobs that have something on this host are stopped too, all of each on every host, and shown in state U, until none of their hosts has too
high a load.
They keep their vnodes, and the time in which they are stopped is no walltime of theirs.
Without
.Li $ideal_load
a host goes on as soon as the load is not above this one, which stopping its jobs brings about.
= restrict_user: Cm true | false
Whether users who have no job on this host are kept off it: every ten seconds the MoM kills their processes, and the log names each.
Root may be there, and who is named below, and a number without an account is no user;
what a MoM or a job has started is left alone.
The MoM must be root.
Beside a wrong line of the two below it has no effect.
= restrict_user_maxsysid (system_uid_max): Ar number
User numbers up to this one are the system's, and not restricted.
= restrict_user_exceptions: Ar user , Ns ...
Users who are not restricted, ten at most.
""")}

HEAD = r""".\" Made by cluster-config/defaults/make_mom_config_page.py; do not edit.
.Dd November 27, 2026
.Dt MOM_CONFIG 5
.Os Annals
.Sh NAME
.Nm config
.Nd what one host's MoM is told
.Sh SYNOPSIS
.Pa $PBS_HOME/mom_priv/config
.Sh DESCRIPTION
A line is
.Li $ Ns Ar name value ... ;
.Ql #
begins a comment line.
The file is read when the MoM starts and at HUP.
A line that is wrong or has no effect is named in the log with its number, and the others count.
A line without
.Li $
is none: resources of a host are set with
.Xr qmgr 8 ,
or in a vnode definition file.
.Bl -tag -width Ds
"""
TAIL = r""".Sh SEE ALSO
.Xr pbs_mom 8 ,
.Xr qmgr 8
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def names_of(table, text):
    return re.findall(r'"(\w+)"', re.search(rf"\b{table}\[\] = \{{(.*?)\}};", text, re.S).group(1))


def default_of(member, text):
    value = re.search(rf"\b{member} = ([^;]+);", text).group(1)
    return value.strip('"').rsplit("::", 1)[-1]


def page():
    parser, header = read(PARSER + ".cpp"), read(PARSER + ".hpp") + read(RESTRICTION)
    settings = re.search(r"\ntaken take_setting\(.*?\n\}\n", parser, re.S).group(0)
    known = set(re.findall(r'name == "(\w+)"', settings))
    if known != set(TEXTS):
        sys.exit(f"make_mom_config_page: the parser and TEXTS differ: {', '.join(sorted(known ^ set(TEXTS)))}")
    text = HEAD
    for name, (value, member, meaning) in TEXTS.items():
        text += f".It Li ${name} {value}\n{meaning}"
        if member:
            text += f"Default:\n.Li {default_of(member, header)} .\n"
    without = [f"${name}" for name in names_of("without_effect", parser) if name not in TEXTS]
    without += [f"$action {name}" for name in names_of("actions_without_effect", parser)]
    text += ".El\n.Pp\nWithout effect, and named in the log:\n.Li " + " , ".join(without) + " .\n"
    return text + TAIL


if __name__ == "__main__":
    sys.exit(made_page.run("docs/man/mom_config.5", page(), "cluster-config/defaults/make_mom_config_page.py"))
