"""What a snapshot has of this host: commands' output, configuration, logs, accounting and the system, in the directories that PBS's has.

What can't be had is said in the snapshot's own log. Of PBS_HOME only what stands in the tables here is taken, never a whole directory:
keys, certificates, the event log, mail, users' files and spooled output are in none of them.
"""
import contextlib
import datetime
import glob
import os
import stat
import subprocess
import sys
import time

from . import scrub

COMMAND_LIMIT_S = 300
ANSWER_LIMIT_S = 60
VERIFY_MB_MAX = 256           # a second or two of reading; a larger log verifies itself in the background, and its status says so

# (file, command, whether --basic has it) of what only the server knows.
OF_SERVER = (
    ("server/qstat_B.out", "qstat -B", False), ("server/qstat_Bf.out", "qstat -Bf", True), ("server/qmgr_ps.out", "qmgr print server", True),
    ("server/qstat_Q.out", "qstat -Q", False), ("server/qstat_Qf.out", "qstat -Qf", True),
    ("server/qmgr_pr.out", "qmgr print resource", True), ("server/qmgr_pq.out", "qmgr print queue @default", False),
    ("job/qstat.out", "qstat", False), ("job/qstat_f.out", "qstat -f", True), ("job/qstat_t.out", "qstat -t", False),
    ("job/qstat_tf.out", "qstat -tf", False), ("job/qstat_x.out", "qstat -x", False), ("job/qstat_xf.out", "qstat -xf", False),
    ("job/qstat_ns.out", "qstat -ns", False), ("job/qstat_f_F_dsv.out", "qstat -f -F dsv", False),
    ("job/qstat_fx_F_dsv.out", "qstat -fx -F dsv", False),
    ("node/pbsnodes_va.out", "pbsnodes -va", True), ("node/pbsnodes_a.out", "pbsnodes -a", False),
    ("node/pbsnodes_aSj.out", "pbsnodes -aSj", False), ("node/pbsnodes_avSj.out", "pbsnodes -avSj", False),
    ("node/pbsnodes_aS.out", "pbsnodes -aS", False), ("node/pbsnodes_avS.out", "pbsnodes -avS", False),
    ("node/pbsnodes_aFdsv.out", "pbsnodes -aF dsv", False), ("node/pbsnodes_avFdsv.out", "pbsnodes -avF dsv", False),
    ("node/qmgr_pn_default.out", "qmgr print node @default", False),
    ("hook/qmgr_ph_default.out", "qmgr print hook @default", True), ("hook/qmgr_lpbshook.out", "qmgr list pbshook", False),
    ("scheduler/qmgr_lsched.out", "qmgr list sched", True),
    ("reservation/pbs_rstat_f.out", "pbs_rstat -f", True), ("reservation/pbs_rstat.out", "pbs_rstat", False))
# Of the system. A command line can hold anything, so ps prints programs' names only.
OF_SYSTEM = (
    ("system/os_info", "uname -srvm"), ("system/cpu_info", "lscpu"), ("system/memory_info", "free -k"), ("system/df_h.out", "df -h"),
    ("system/process_info", "ps -eo user:32,pid,ppid,stat,lstart,rss,vsz,comm"), ("system/vmstat.out", "vmstat"),
    ("system/dmesg.out", "dmesg"), ("system/sockets.out", "ss -lntx"), ("system/pbs_hostn_v.out", "pbs_hostn -v {host}"),
    ("system/pbs_probe_v.out", "pbs_probe -v"))
SYSTEM_FILES = (("system/etc_hosts", "/etc/hosts"), ("system/etc_nsswitch_conf", "/etc/nsswitch.conf"),
                ("system/os_release", "/etc/os-release"))
SCHEDULER_FILES = ("sched_config", "resource_group", "holidays", "dedicated_time", "sched_out")
MOM_FILES = ("config", "config.d/*", "prologue", "epilogue", "mom_out")
SERVER_FILES = ("server_out", "resourcedef")
PROGRAMS = ("qstat", "qmgr", "pbsnodes", "pbs_rstat", "pbs_hostn", "pbs_probe", "pbs_audit")


class Log:
    """The snapshot's own log: each line is also printed from the level on that -l names."""
    LEVELS = ("DEBUG2", "DEBUG", "INFOCLI2", "INFOCLI", "INFO", "WARNING", "ERROR", "FATAL")

    def __init__(self, level="WARNING"):
        self.shown, self.lines = self.LEVELS.index(level), []

    def say(self, level, text):
        text = text.replace("\n", "; ")
        self.lines.append(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S} {level} {text}")
        if self.LEVELS.index(level) >= self.shown:
            print(f"pbs_snapshot: {text}", file=sys.stderr)

    def took(self, text):
        self.say("INFOCLI2", text)

    def lacks(self, text):
        self.say("WARNING", text)

    def leaves(self, text):
        """Left out on purpose."""
        self.say("INFO", text)


class Collector:
    def __init__(self, here, into, log, days, accounting_days, basic):
        self.here, self.into, self.log = here, into, log
        self.days, self.accounting_days, self.basic = days, accounting_days, basic
        # Commands see what this program sees, and print in one language.
        path = f"{here.exec}/bin:{here.exec}/sbin:{os.environ.get('PATH', '/usr/bin:/bin')}"
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8", "PATH": path}

    def run(self):
        self.write("ctime", f"{int(time.time())}\n")
        self.log.took(f"snapshot of {self.here.host}, pbs_version = {self.here.version()}")
        self.log.took(f"parts here: {', '.join(self.here.parts()) or 'none'}")
        if os.geteuid() != 0:
            self.log.lacks("not run by root: what only root may read is missing")
        self.copy(self.here.conf_file, "pbs.conf")
        self.copy(os.path.join(self.here.home, "annals.conf"), "annals.conf", needed=False)
        self.ask_server()
        self.take_server()
        self.take_schedulers()
        self.take_mom()
        self.core_files()
        if not self.basic:
            self.logs("comm_logs", os.path.join(self.here.home, "comm_logs"), self.days, needed=self.here.starts("COMM"))
            self.system()

    # ---- parts

    def ask_server(self):
        wanted = [(file, command) for file, command, basic in OF_SERVER if basic or not self.basic]
        answers, why = self.answers()
        if not answers:
            self.log.lacks(f"the server does not answer: {why}")
            for file, command in wanted:
                self.log.lacks(f"{file} is missing: {command} needs the server")
            log = os.path.join(self.here.home, "server_priv", "log")
            if 0 < (self.size_mb(log) or 0) <= VERIFY_MB_MAX:
                self.output("annals/audit_replay.out", f"pbs_audit --log {log} replay")     # what the log says that the server has
            return
        for file, command in wanted:
            self.output(file, command)
        for path in scrub.hook_files(os.path.join(self.into, "hook", "qmgr_ph_default.out")):
            self.log.took(f"hook/{os.path.basename(path)}: the hook's script; configurations of hooks are left out")

    def answers(self):
        """(whether the server answers, why not)"""
        if not self.here.program("qstat"):
            return False, f"there is no qstat in {self.here.exec}"
        try:
            done = subprocess.run([self.here.program("qstat"), "-B"], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=ANSWER_LIMIT_S, check=False)
        except subprocess.TimeoutExpired:
            return False, f"no answer in {ANSWER_LIMIT_S} s"
        return done.returncode == 0, done.stderr.decode(errors="replace").strip()

    def take_server(self):
        if not self.here.has_server():
            self.log.leaves("no server on this host: server_priv and server_logs are left out")
            return
        private = os.path.join(self.here.home, "server_priv")
        self.files(private, "server_priv", SERVER_FILES)
        self.listing(private, "server_priv/files.out", depth=2)
        self.audit("audit_status.out", private, "status")
        size = self.size_mb(os.path.join(private, "log"))
        if self.basic or size is None:
            pass
        elif size <= VERIFY_MB_MAX:
            self.audit("audit_verify.out", private, "verify")
        else:
            self.log.leaves(f"annals/audit_verify.out: the event log has {size:.0f} MB; run pbs_audit verify by hand")
        if not self.basic:
            self.logs("server_logs", os.path.join(self.here.home, "server_logs"), self.days)
            self.logs("server_priv/accounting", os.path.join(private, "accounting"), self.accounting_days)

    def take_schedulers(self):
        if not self.here.has("SCHED"):
            self.log.leaves("no scheduler on this host: sched_priv and sched_logs are left out")
            return
        for behind in ["", *(f"_{name}" for name in self.here.schedulers())]:
            self.files(os.path.join(self.here.home, f"sched_priv{behind}"), f"sched_priv{behind}", SCHEDULER_FILES)
            if not self.basic:
                places = [os.path.join(self.here.home, f"{name}{behind}") for name in ("sched_log", "sched_logs")]
                self.logs(f"sched_logs{behind}", next((p for p in places if os.path.isdir(p)), places[0]), self.days)

    def take_mom(self):
        if not self.here.has("MOM"):
            self.log.leaves("no MoM on this host: mom_priv and mom_logs are left out")
            return
        private = os.path.join(self.here.mom_home, "mom_priv")
        self.files(private, "mom_priv", MOM_FILES)
        self.listing(private, "mom_priv/files.out", depth=2)
        self.audit("mom_audit_status.out", private, "status")
        if not self.basic:
            self.listing(os.path.join(self.here.mom_home, "undelivered"), "mom_priv/undelivered.out", depth=1)
            self.logs("mom_logs", os.path.join(self.here.mom_home, "mom_logs"), self.days)

    def system(self):
        for file, command in OF_SYSTEM:
            self.output(file, command.format(host=self.here.host))
        for file, path in SYSTEM_FILES:
            self.copy(path, file)
        self.copy(os.path.join(self.here.home, "pbs_environment"), "system/pbs_environment")

    def core_files(self):
        """Where daemons leave them, and where systemd puts them: a list, since a core has whatever was in memory."""
        found = []
        for home in {self.here.home, self.here.mom_home}:
            found += glob.glob(os.path.join(home, "*_priv*", "core*"))
        found += glob.glob("/var/lib/systemd/coredump/core.pbs_*")
        lines = [self.line_of(path, path) for path in sorted(found) if os.path.isfile(path)]
        self.write("core_file_bt/core_files.out", "".join(lines) or "no core files\n")

    # ---- ways to take something

    def audit(self, file, private, what):
        self.output(f"annals/{file}", f"pbs_audit --log {os.path.join(private, 'log')} {what}", may_fail=what == "verify")

    def output(self, file, command, may_fail=False):
        words = command.split(" ", 1) if command.startswith("qmgr ") else command.split(" ")
        if words[0] == "qmgr":
            words.insert(1, "-c")
        if words[0] in PROGRAMS:
            words[0] = self.here.program(words[0]) or words[0]
        try:
            done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_LIMIT_S,
                                  check=False)
        except subprocess.TimeoutExpired:
            self.log.lacks(f"{file} is missing: {command} had not ended after {COMMAND_LIMIT_S} s")
            return
        except OSError as error:
            self.log.lacks(f"{file} is missing: {command}: {error.strerror}")
            return
        said = done.stderr.decode(errors="replace").strip()
        text = done.stdout.decode(errors="replace")
        if done.returncode != 0 and not may_fail and not text:
            self.log.lacks(f"{file} is missing: {command}: exit status {done.returncode}: {said}")
            return
        lines = (text + (said + "\n" if may_fail and said else "")).splitlines(keepends=True)
        self.write_lines(file, scrub.of_status(lines) if words[0].endswith(("qstat", "pbsnodes", "pbs_rstat", "qmgr")) else lines)
        if done.returncode != 0 or said:
            self.log.lacks(f"{file}: {command}: exit status {done.returncode}: {said}")
        else:
            self.log.took(f"{file}: {command}")

    def files(self, folder, into, patterns):
        if not os.path.isdir(folder):
            self.log.lacks(f"{into} is missing: {folder}: not a directory that can be read")
            return
        for pattern in patterns:
            for path in sorted(glob.glob(os.path.join(folder, pattern))):
                self.copy(path, os.path.join(into, os.path.relpath(path, folder)))

    def copy(self, path, into, needed=True):
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                if not stat.S_ISREG(os.fstat(f.fileno()).st_mode):
                    raise OSError(0, "not a file")
                self.write_lines(into, f)
        except OSError as error:
            if needed or not isinstance(error, FileNotFoundError):
                self.log.lacks(f"{into} is missing: {path}: {error.strerror}")
            return
        self.log.took(f"{into}: {path}")

    def logs(self, into, folder, days, needed=True):
        """The daily files of the last `days` days."""
        if days == 0:
            self.log.leaves(f"{into}: 0 days were asked for")
            return
        first = f"{datetime.date.today() - datetime.timedelta(days=days - 1):%Y%m%d}"
        try:
            names = sorted(name for name in os.listdir(folder) if name[:8].isdigit() and name[:8] >= first)
        except OSError as error:
            if needed:
                self.log.lacks(f"{into} is missing: {folder}: {error.strerror}")
            return
        if not names:
            self.log.lacks(f"{into}: nothing since {first} in {folder}")
        for name in names:
            self.copy(os.path.join(folder, name), os.path.join(into, name))

    def listing(self, folder, into, depth):
        """Names, modes, owners by number, sizes and times: what is there, without what is in it."""
        lines, top = [], folder.rstrip("/")

        def fails(error):
            lines.append(f"{error.filename}: {error.strerror}\n")
            self.log.lacks(f"{into}: {error.filename}: {error.strerror}")
        for where, folders, names in os.walk(top, onerror=fails):
            if where.count("/") - top.count("/") >= depth - 1:
                lines += [self.line_of(os.path.join(where, f), os.path.relpath(os.path.join(where, f), top)) for f in sorted(folders)]
                folders[:] = []
            lines += [self.line_of(os.path.join(where, n), os.path.relpath(os.path.join(where, n), top)) for n in sorted(names)]
        self.write(into, "".join(lines))

    def line_of(self, path, name):
        try:
            at = os.lstat(path)
        except OSError as error:
            return f"{name}: {error.strerror}\n"
        changed = datetime.datetime.fromtimestamp(at.st_mtime)
        return f"{stat.filemode(at.st_mode)} {at.st_uid} {at.st_gid} {at.st_size:>12} {changed:%Y-%m-%d %H:%M:%S} {name}\n"

    def size_mb(self, folder):
        """Of the files in it; one that is removed meanwhile, as the event log's are, counts nothing."""
        size = 0
        try:
            entries = list(os.scandir(folder))
        except OSError:
            return None
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                size += entry.stat().st_size
        return size / (1 << 20)

    def write(self, file, text):
        self.write_lines(file, text.splitlines(keepends=True))

    def write_lines(self, file, lines):
        path = os.path.join(self.into, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(scrub.without_secrets(lines))
