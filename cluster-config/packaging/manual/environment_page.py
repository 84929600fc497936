"""pbs_environment(7): what a job finds in its environment. Names come from the sources that set or read them; what each is stands here."""
import re

import mdoc

AT_SUBMISSION = {
    "PBS_O_HOME": "HOME of whoever submitted the job, if set there; so are the next ones",
    "PBS_O_LANG": "LANG there", "PBS_O_LOGNAME": "LOGNAME there", "PBS_O_PATH": "PATH there", "PBS_O_MAIL": "MAIL there",
    "PBS_O_SHELL": "SHELL there", "PBS_O_TZ": "TZ there",
    "PBS_O_INTERACTIVE_AUTH_METHOD": "PBS_INTERACTIVE_AUTH_METHOD there, else resvport. It has no effect",
    "PBS_O_INTERACTIVE_ENCRYPT_METHOD": "always empty",
    "PBS_O_WORKDIR": "the directory of submission",
    "PBS_O_SYSTEM": "the system of the submission's host",
    "PBS_O_QUEUE": "the queue to which the job was submitted",
    "PBS_O_HOST": "the host of submission",
}
OF_THE_RUN = {
    "PBS_JOBID": "the job's id", "PBS_JOBNAME": "its name", "PBS_QUEUE": "the queue it is in",
    "PBS_ACCOUNT": "its Account_Name, if it has one",
    "PBS_ARRAY_ID": "of a subjob: the id of its array", "PBS_ARRAY_INDEX": "of a subjob: its index",
    "PBS_EXEC": "where PBS is installed on the host. Its programs are in PATH, behind all others",
    "PBS_ENVIRONMENT": "PBS_BATCH, or PBS_INTERACTIVE of a job of qsub -I", "ENVIRONMENT": "BATCH or INTERACTIVE, likewise",
    "PBS_NODEFILE": "a file with a line for each MPI process that was asked for: the host on which it belongs. It is on each host of the"
                    " job",
    "PBS_NODENUM": "which of the job's hosts this is, from 0",
    "PBS_TASKNUM": "1; of a task its number in the job",
    "PBS_MOMPORT": "PBS_MANAGER_SERVICE_PORT of pbs.conf. Nothing listens there",
    "PBS_JOBCOOKIE": "by which the MoM knows that a process belongs to the job; another one in each run",
    "PBS_JOBDIR": "the directory in which the job begins: the user's home, or its own with sandbox=PRIVATE",
    "NCPUS": "ompthreads of the first chunk, else its ncpus, else 1", "OMP_NUM_THREADS": "the same",
    "TMPDIR": "a directory of the job's own on each host, which goes with it",
    "HOME": "the user's home directory", "USER": "the user", "LOGNAME": "the user",
    "SHELL": "the user's login shell, or that of qsub -S",
}
OF_TERMINALS = {
    "TERM": "as the user's terminal has it",
    "DISPLAY": "with qsub -X: where the job's windows go",
}
OF_SCRIPTS = {
    "PBS_GLOBID": "always the word none", "PBS_SID": "the session of the job's program",
    "UID": "the number of the job's user", "GID": "that of its group",
}
OF_COMMANDS = {
    "PBS_CONF_FILE": "the file to read instead of /etc/pbs.conf. Every key of it may be in the environment too, which wins: see pbs.conf(5)",
    "PBS_DEFAULT": "the server to ask; it wins over PBS_SERVER",
    "PBS_DPREFIX": "of qsub: what begins a directive in a script, instead of #PBS",
    "PBS_TZID": "of pbs_rsub: the time zone of a recurrence rule",
    "PBS_INTERACTIVE_AUTH_METHOD": "of qsub: kept in PBS_O_INTERACTIVE_AUTH_METHOD",
    "PBS_JOBID": "in a job: which one it is. Where no server is, requests go through the host's MoM to the job's server; it is also the job of"
                 " pbs_release_nodes and pbs_attach where none is named",
    "PBS_JOBCOOKIE": "in a job: proves that the request comes from it",
    "PBS_NODEFILE": "in a job: where the home of its MoM is found",
    "PBS_TASKNUM": "in a task: its number, for programs of the task manager",
    "PBS_NODENUM": "in a task: its host, for programs of the task manager",
    "PBS_O_LOGNAME": "of pbs_tmrsh: -l may name this user",
}
PUT = r'put(?:_variable)?\((?:\w+(?:\.\w+)?), (?:in\.\w+ \? )?"(\w+)='


def function(source, name):
    return mdoc.cut(mdoc.read(source), rf"\n[^\n]*\b{name}\([^;]*?\{{\n(.*?)\n\}}\n", f"{name} of {source}")


def put_by(source, *names):
    return {found for name in names for found in re.findall(PUT, function(source, name))}


def set_at_submission():
    body = function("tools/client/job_environment.cpp", "origin")
    kept = re.findall(r'"(\w+)"', mdoc.cut(body, r"for \(const char\* name : \{(.*?)\}\)", "the variables that qsub keeps"))
    by_server = re.findall(r"(PBS_O_\w+)=", function("events/model/job/submit.cpp", "complete_variables"))
    return {f"PBS_O_{name}" for name in kept} | set(re.findall(r'\{"(PBS_O_\w+)"', body)) | set(by_server)


def read_by_commands():
    found = set()
    for _, source in mdoc.sources("tools/client/*.cpp", "tools/commands/*.cpp", "tools/libpbs/*.cpp"):
        found.update(re.findall(r'(?:getenv|variable|environment_value|value|find)\((?:who\.environment, )?"(PBS_\w*[A-Z])"', source))
    return found


def check():
    mdoc.same("variables of a submission", set_at_submission(), AT_SUBMISSION)
    mdoc.same("variables of a run", put_by("actors/mom/host/environment.cpp", "build_environment", "add_account")
              | put_by("actors/mom/host/start_order.cpp", "task_order_for"), OF_THE_RUN)
    mdoc.same("variables of an interactive job", re.findall(r'\bsetenv\("(\w+)"', mdoc.read("tools/terminal/job_program.cpp")), OF_TERMINALS)
    scripts = put_by("actors/mom/host/checkpoint_order.cpp", "put_script")
    scripts.update(re.findall(PUT, mdoc.read("actors/mom/host/machine_order.cpp")))
    mdoc.same("variables of scripts that checkpoint", scripts, OF_SCRIPTS)
    mdoc.same("variables that commands read", read_by_commands(), OF_COMMANDS)


def variables(texts):
    return mdoc.tagged((f"Ev {name}", mdoc.text(mdoc.sentence(meaning))) for name, meaning in texts.items())


def pages():
    check()
    page = mdoc.head("pbs_environment", 7, "the environment of jobs, and of commands") + r""".Sh DESCRIPTION
A job's program, and each of its tasks, finds three groups of variables; of two of the same name the later group's counts.
.Bl -enum
.It
Those of
.Pa $PBS_HOME/pbs_environment
on the host: lines
.Ar NAME Ns = Ns Ar value .
.It
Those of the job's
.Va Variable_List :
what
.Ql qsub -v
and
.Ql qsub -V
took along, and what is said of the submission below.
.It
Those that the MoM sets for the run.
.El
.Pp
A script is run by a login shell, whose profile may change them.
.Ss Of the submission
"""
    page += variables(AT_SUBMISSION)
    page += r""".Pp
.Ql qsub -V
takes no
.Li PBS_O_
variables along: those of a job in which it is run are not the new job's.
.Ss Of the run
"""
    page += variables(OF_THE_RUN) + ".Ss Of an interactive job, besides\n" + variables(OF_TERMINALS)
    page += (".Ss Of the scripts that checkpoint and restart a job, besides\nSee\n.Li $action\nin\n.Xr mom_config 5 .\n" + variables(OF_SCRIPTS)
             + ".Ss What commands read\n" + variables(OF_COMMANDS))
    return {"pbs_environment.7": page + mdoc.see_also(("qsub", 1), ("pbs.conf", 5), ("pbs_resources", 7), ("pbs_mom", 8))}
