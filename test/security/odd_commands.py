"""Commands that an ordinary user may type, drawn by a random number: every option with values of its kind, odd ones too. `Drawer.command()`
gives one; `Drawer.learn()` takes what a command has printed, whose ids are used by later ones.
"""
import re

NUMBERS = ["0", "1", "-1", "2", "7", "64", "999", "1000000", "2147483647", "2147483648", "-9223372036854775808", "9223372036854775807",
           "18446744073709551615", "99999999999999999999999", "1e9", "0x10", "1.5", "", "NaN", "inf", "one"]
SIZES = ["0", "1", "1b", "1kb", "100mb", "3gw", "1023tb", "16384pb", "-1mb", "99999999999999999999pb", "1.5gb", "b", "1zb", ""]
TIMES = ["00:00:01", "0", "5", "00:10:00", "24:00:00", "99999:00:00", "9223372036854775807", "-5", "1:2:3:4", "::", "00:00:00.5", ""]
DATES = ["2330", "0101", "197001010000", "209912312359.59", "2560", "999999999999999999", "-1", "12", "203801190314.08", ""]
TEXTS = ["x", "", " ", "a b", "a,b", "a=b", "'", '"', "\\", "\n", "\x1b[2J", "\u202e", "é", "日本", "x" * 15, "x" * 300, "x" * 70000,
         "*", "%s%n", "../../etc/passwd", "/dev/null", "/", "~", "$(id)", "`id`", "^array_index^", "@", "@@", "a@b@c", "[", "]", "1[]", ";"]
RULES = ["FREQ=DAILY;COUNT=2", "FREQ=DAILY;COUNT=3999", "FREQ=SECONDLY;COUNT=1;BYMONTH=2;BYMONTHDAY=30",
         "FREQ=YEARLY;COUNT=999;BYMONTH=2;BYMONTHDAY=29", "FREQ=HOURLY;COUNT=100000", "FREQ=MINUTELY;INTERVAL=7;UNTIL=20991231T000000Z",
         "FREQ=DAILY;COUNT=1;BYMONTH=2;BYMONTHDAY=30;BYHOUR=0,1,2,3,4,5,6,7,8;BYMINUTE=0,1,2,3,4,5,6,7,8,9;BYSECOND=0,1,2,3,4,5",
         "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=52", "FREQ=DAILY;INTERVAL=0;COUNT=3", "FREQ=DAILY", "COUNT=3", "FREQ=NEVER;COUNT=1",
         "FREQ=MONTHLY;BYSETPOS=-366;COUNT=9;BYDAY=MO", ""]
ZONES = ["Europe/Berlin", "UTC", "Asia/Kathmandu", "", "No/Where", "../../../etc/passwd", "x" * 5000]
ARRAYS = ["0-1", "1-10", "1-1000", "1-10000", "0-0", "5-1", "1-100:7", "1-10%2", "1-10%0", "1-1000000", "1-99999999999", "-5-5", "1,2", "a-b"]
POINTS = ["o", "e", "oe", "n", "d", "oed", "abe", "abej", "x", "", "nn"]
PLACES = ["pack", "scatter", "free", "vscatter", "excl", "scatter:excl", "pack:exclhost", "group=host", "scatter:group=nosuch", "a:b:c", ""]
SIGNALS = ["suspend", "resume", "SIGKILL", "KILL", "9", "0", "TERM", "STOP", "99", "-1", "SIGNOSUCH", "admin-suspend", ""]


class Drawer:
    def __init__(self, random, hosts):
        self.random, self.hosts = random, hosts
        self.jobs, self.reservations = ["0", "1.nosuch", "9999999999.server"], ["R0", "S1.server"]

    def learn(self, out):
        self.jobs = (self.jobs + re.findall(r"^\d+(?:\[\])?\.\S+", out, re.M))[-200:]
        self.reservations = (self.reservations + re.findall(r"^[RSM]\d+\.\S+", out, re.M))[-50:]

    # ---- values ----------------------------------------------------------------------------------------------------------------------

    def one(self, of):
        return self.random.choice(of)

    def some(self, draw, most=3):
        return [draw() for _ in range(self.random.randint(1, most))]

    def number(self):
        return self.one(NUMBERS)

    def text(self):
        return self.one(TEXTS)

    def job(self):
        id = self.one(self.jobs)
        return id if self.random.random() < 0.9 else id.replace("[]", f"[{self.one(['0', '1', '1-5', '-1', '', 'x'])}]") + self.text()

    def reservation(self):
        return self.one(self.reservations + ["", "R", "S99999999999999999999.server", "x"])

    def chunk(self):
        named = {"ncpus": self.number, "mem": lambda: self.one(SIZES), "host": lambda: self.one(self.hosts + ["nosuch", ""]),
                 "vnode": self.text, "nosuch": self.number, "arch": self.text, "mpiprocs": self.number, "ompthreads": self.number}
        names = self.random.sample(sorted(named), self.random.randint(1, 3))
        return ":".join([self.one(["1", "2", "3", "0", "-1", "100000", "4294967297", ""])] + [f"{n}={named[n]()}" for n in names])

    def select(self):
        if self.random.random() < 0.4:
            return self.one(["1:ncpus=1", "2:ncpus=1", "1:ncpus=1+1:ncpus=2", "ncpus=1", "4:ncpus=1:mem=1mb"])
        return "+".join(self.some(self.chunk, self.one([1, 2, 200])))

    def resources(self):
        return ",".join(self.some(lambda: self.one([
            f"select={self.select()}", f"place={self.one(PLACES)}", f"walltime={self.one(TIMES)}", f"ncpus={self.number()}",
            f"mem={self.one(SIZES)}", f"cput={self.one(TIMES)}", f"nodes={self.number()}:ppn={self.number()}", f"{self.text()}={self.text()}",
            f"min_walltime={self.one(TIMES)}", f"max_walltime={self.one(TIMES)}"])))

    def dependency(self):
        return "depend=" + ",".join(self.some(lambda: self.one(
            ["after", "afterok", "afterany", "afternotok", "before", "beforeany", "on", "runone", "nosuch"]) + ":" +
            ":".join(self.some(lambda: self.one([self.job(), self.number()])))))

    def further(self):
        return self.one([self.dependency(), f"umask={self.number()}", f"run_count={self.number()}", f"group_list={self.text()}",
                         f"stagein={self.text()}", f"stageout=a@b:{self.text()}", f"sandbox={self.text()}", "block=maybe",
                         f"tolerate_node_failures={self.one(['all', 'job_start', 'none', 'x'])}", f"release_nodes_on_stageout={self.text()}",
                         f"max_run_subjobs={self.number()}", f"{self.text()}={self.text()}", f"pwd={self.text()}", "create_resv_from_job=1"])

    # ---- commands --------------------------------------------------------------------------------------------------------------------

    def options(self, known, most=4):
        typed = []
        for letter in self.random.sample(sorted(known), self.random.randint(0, min(most, len(known)))):
            value = known[letter]
            typed += [f"-{letter}"] if value is None else [f"-{letter}", value() if callable(value) else self.one(value)]
        return typed

    def of_job(self):
        return {"a": DATES, "A": TEXTS, "c": ["n", "s", "c=5", "w=-1", "x", ""], "e": TEXTS, "j": POINTS, "k": POINTS, "l": self.resources,
                "m": POINTS, "M": TEXTS, "N": TEXTS, "o": TEXTS, "p": NUMBERS, "P": TEXTS, "R": POINTS, "r": ["y", "n", "x", ""], "S": TEXTS,
                "u": TEXTS, "W": self.further}

    def qsub(self):
        more = {"h": None, "J": ARRAYS, "v": TEXTS, "q": TEXTS, "C": TEXTS, "z": None, "f": None}
        options = self.options({**self.of_job(), **more}, 3) if self.random.random() < 0.6 else self.one([[], ["-J", self.one(ARRAYS)]])
        return ["qsub", *options, "--", self.one(["/bin/true", "/bin/true", "/bin/false", "/nosuch", "/bin/sleep"]), self.one(["1", "0.1", ""])]

    def qalter(self):
        return ["qalter", *self.options({**self.of_job(), "h": ["u", "n", "o", "s", "x", ""]}), *self.some(self.job)]

    def pbs_rsub(self):
        if self.random.random() < 0.5:
            return ["env", "PBS_TZID=Europe/Berlin", "pbs_rsub", "-R", self.one(["0101", "2330", "1200"]), "-D", self.one(["1", "600", "3600"]),
                    "-l", f"select={self.one(['1:ncpus=1', '1:ncpus=64', '1:host=a'])}", *self.options({"r": RULES})]
        return ["env", f"PBS_TZID={self.one(ZONES)}", "pbs_rsub", "-R", self.one(DATES), self.one(["-D", "-E"]), self.one(TIMES + DATES),
                "-l", self.resources(), *self.options({"r": RULES, "I": ["-1", "1"], "N": TEXTS, "U": TEXTS, "G": TEXTS, "H": TEXTS, "u": TEXTS,
                                                      "W": self.further, "m": POINTS, "M": TEXTS})]

    def pbs_ralter(self):
        return ["pbs_ralter", *self.options({"R": DATES, "E": DATES, "D": TIMES, "N": TEXTS, "l": self.resources, "U": TEXTS, "G": TEXTS}),
                self.reservation()]

    def qselect(self):
        return ["qselect", *self.options({"a": TEXTS, "A": TEXTS, "c": TEXTS, "h": POINTS, "H": None, "J": None, "l": self.resources, "N": TEXTS,
                                          "p": TEXTS, "q": TEXTS, "r": ["y", "x"], "s": ["QR", "F", "EHQRTWXSUBM", "9", ""], "T": None,
                                          "t": TEXTS, "u": TEXTS, "x": None})]

    def qstat(self):
        return ["qstat", *self.options({"B": None, "Q": None, "f": None, "x": None, "a": None, "s": None, "t": None, "n": None, "1": None,
                                        "H": None, "p": None, "J": None, "T": None, "u": TEXTS, "F": ["json", "dsv", "xml"], "D": TEXTS}, 5),
                *self.one([[], self.some(self.job), [self.text()]])]

    def command(self):
        ways = [(8, self.qsub), (2, self.qalter), (4, self.pbs_rsub), (1, self.pbs_ralter), (2, self.qselect), (4, self.qstat),
                (1, lambda: ["pbs_rstat", *self.options({"B": None, "F": None, "S": None, "f": None}), *self.one([[], [self.reservation()]])]),
                (1, lambda: ["pbs_rdel", *self.some(self.reservation)]),
                (2, lambda: ["qdel", *self.options({"W": ["force", "suppress_email=-1", "5", "x"], "x": None}), *self.some(self.job)]),
                (1, lambda: [self.one(["qhold", "qrls"]), *self.options({"h": ["u", "o", "s", "n", "x"]}), *self.some(self.job)]),
                (1, lambda: ["qmove", self.text(), self.job()]),
                (1, lambda: ["qorder", self.job(), self.job()]),
                (1, lambda: ["qrerun", *self.options({"W": ["force", "x"]}), *self.some(self.job)]),
                (1, lambda: ["qsig", *self.options({"s": SIGNALS}), *self.some(self.job)]),
                (1, lambda: ["qmsg", *self.options({"O": None, "E": None}), self.text(), *self.some(self.job)]),
                (1, lambda: ["pbs_release_nodes", *self.options({"a": None, "k": [self.select(), "0", "-1"], "j": self.jobs}, 3), self.text()]),
                (1, lambda: ["pbsnodes", *self.options({"a": None, "l": None, "v": TEXTS, "S": None, "j": None, "L": None, "F": ["json", "dsv", "x"],
                                                         "H": TEXTS, "o": self.hosts, "C": TEXTS})]),
                (1, lambda: [self.one(["qrun", "qterm", "qstop", "qdisable", "qstart"]), self.one(self.jobs + TEXTS)]),
                (1, lambda: ["qmgr", "-c", self.one(["print server", "list node @default", f"set server {self.text()} = {self.text()}",
                                                     f"create queue {self.text()}", "list job", "p n @default", self.text()])]),
                (1, lambda: ["pbs_audit", self.one(["why", "job", "verify", "usage", "timeline", self.text()]), self.job()])]
        make = self.random.choices([w for _, w in ways], [often for often, _ in ways])[0]
        return make()


__all__ = ["Drawer"]
