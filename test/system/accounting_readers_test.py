"""What others read of our accounting (docs/howto/accounting_formats.md): APEL and Open XDMoD the daily files, grids Usage Record 2.0.

Each reader is here as its list of what it takes from a line and how; the code of neither is. Sources: the parser for PBS of apel/apel; the shredder
for PBS of ubccr/xdmod; OGF GFD.204, and the schema of its namespace.
"""
import datetime
import glob
import os
import random
import re
import subprocess
import unittest
import xml.etree.ElementTree as xml

from export_test import ask, seconds
from private_cluster import STAGE, ClusterTest

UR = "{http://schema.ogf.org/urf/2013/04/urf}"


# ---- the daily files

def apel_reads(line):
    """What APEL takes of a line; None where it passes one over. It raises where APEL counts the line as failed."""
    _, letter, job, message = line.split(";")
    if letter != "E":
        return None
    said = {}
    for word in message.split():
        key, said[key] = word.split("=", 1)[0], word.split("=", 1)[1]
    duration = lambda key: sum(int(part) * 60 ** n for n, part in enumerate(reversed(said[key].split(":"))))
    kilobytes = lambda key: int(said[key][:-2])
    return {"job": job, "user": said["user"], "group": said["group"], "start": int(said["start"]), "end": int(said["end"]),
            "wall_s": duration("resources_used.walltime"), "cpu_s": duration("resources_used.cput"),
            "mem_kb": kilobytes("resources_used.mem"), "vmem_kb": kilobytes("resources_used.vmem")}


XDMOD_LINE = re.compile(r"\d\d/\d\d/\d{4}\s\d\d:\d\d:\d\d;(\w);([^;]+);(.*)")
XDMOD_JOB = re.compile(r"(\d+)(?:\[(\d*)\])?\.(.+)")
XDMOD_TEXTS = ("queue", "user", "ctime", "qtime", "start", "end", "etime", "exit_status", "session", "jobname", "account")
XDMOD_TIMES = ("resources_used_walltime", "resources_used_cput", "resource_list_walltime")
XDMOD_SIZES = ("resources_used_mem", "resources_used_vmem", "resource_list_mem")
XDMOD_UNITS = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}


def xdmod_reads(line):
    """What Open XDMoD's shredder for PBS takes of a line; None where it passes one over."""
    letter, job, message = XDMOD_LINE.match(line).groups()
    if letter != "E":
        return None
    number, index, host = XDMOD_JOB.fullmatch(job).groups()
    row = {"job_id": int(number), "job_array_index": int(index) if index else None, "host": host}
    for word in message.split():
        if "=" not in word:
            continue
        key, value = word.split("=", 1)
        key = key.lower().replace(".", "_")
        if key == "exec_host":
            chunks = [chunk.split("/") for chunk in value.split("+")]
            row["node_list"] = list(dict.fromkeys(name for name, _ in chunks))
            row["cpus"] = sum(int(slots.split("*")[1]) if "*" in slots else 1 for _, slots in chunks)
        elif key == "group":
            row["groupname"] = value
        elif key in XDMOD_TIMES:
            row[key] = sum(int(part) * 60 ** n for n, part in enumerate(reversed(value.split(":"))))
        elif key in XDMOD_SIZES:
            amount, unit = re.fullmatch(r"(\d*\.?\d+)(\D+)?", value).groups()
            row[key] = int(float(amount) * XDMOD_UNITS[unit or "kb"])
        elif key in XDMOD_TEXTS or key == "resource_list_ncpus" or key == "resource_list_nodect":
            row[key] = value
    return row


# ---- Usage Record 2.0: an element is (its name, how often at least, at most, what is in it). None: any number of times.

def duration(text):
    return re.fullmatch(r"PT\d+S", text)


def date_time(text):
    return re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) and seconds(text)


def string(text):
    return text


def positive(text):
    return re.fullmatch(r"[1-9]\d*", text)


def not_negative(text):
    return re.fullmatch(r"\d+", text)


def whole(text):
    return re.fullmatch(r"-?\d+", text)


HOST = (("Hostname", 1, 1, string), ("ProcessId", 0, None, positive), ("Benchmark", 0, None, string))
PERIOD = (("StartTime", 1, 1, date_time), ("EndTime", 1, 1, date_time))
RECORD = (
    ("RecordIdentityBlock", 1, 1, (
        ("RecordId", 1, 1, string), ("CreateTime", 1, 1, date_time), ("Site", 0, 1, string), ("Infrastructure", 0, 1, string))),
    ("SubjectIdentityBlock", 0, 1, (
        ("LocalUserId", 0, 1, string), ("LocalGroupId", 0, 1, string), ("GlobalUserId", 0, 1, string), ("GlobalGroupId", 0, 1, string),
        ("GlobalGroupAttribute", 0, None, string))),
    ("ComputeUsageBlock", 0, None, (
        ("CpuDuration", 1, 1, duration), ("WallDuration", 1, 1, duration), *PERIOD, ("ExecutionHost", 0, None, HOST),
        ("HostType", 0, 1, string), ("Processors", 0, 1, positive), ("NodeCount", 0, 1, positive), ("ExitStatus", 0, 1, whole),
        ("Charge", 0, 1, string))),
    ("JobUsageBlock", 0, 1, (
        ("GlobalJobId", 0, 1, string), ("LocalJobId", 0, 1, string), ("JobName", 0, 1, string), ("MachineName", 0, 1, string),
        ("SubmitHost", 0, 1, string), ("SubmitType", 0, 1, string), ("Queue", 0, 1, string), ("TimeInstant", 0, None, date_time),
        ("ServiceLevel", 0, 1, string), ("Status", 1, 1, re.compile("aborted|completed|failed|held|queued|started|suspended").fullmatch))),
    ("MemoryUsageBlock", 0, None, (
        ("MemoryClass", 1, 1, string), ("MemoryResourceCapacityUsed", 1, 1, not_negative),
        ("MemoryResourceCapacityAllocated", 0, 1, not_negative), ("MemoryResourceCapacityRequested", 0, 1, not_negative), *PERIOD,
        ("ExecutionHost", 0, 1, HOST), ("HostType", 0, 1, string), ("Charge", 0, 1, string))),
    ("StorageUsageBlock", 0, None, ()), ("CloudUsageBlock", 0, 1, ()), ("NetworkUsageBlock", 0, None, ()))
ATTRIBUTES = {"Hostname": {"primary"}, "Queue": {"description"}, "TimeInstant": {"type"}, "GlobalGroupAttribute": {"type"}}


def faults(element, contents):
    """What of an element is not as the schema says: its children, their order and number, their texts, its attributes."""
    allowed = {UR + name for name in ATTRIBUTES.get(element.tag[len(UR):], ())}
    found = [f"{element.tag}: attribute {name}" for name in element.attrib if name not in allowed]
    if callable(contents):
        return found + ([] if len(element) == 0 and contents(element.text or "") else [f"{element.tag}: {element.text!r}"])
    left = list(element)
    for name, least, most, inside in contents:
        there = 0
        while left and left[0].tag == UR + name and (most is None or there < most):
            found += faults(left.pop(0), inside)
            there += 1
        if there < least:
            found.append(f"{element.tag} lacks {name}")
    return found + [f"{element.tag}: {child.tag} is out of place" for child in left]


class readers(ClusterTest):
    hosts = ["a", "b"]

    def setUp(self):
        super().setUp()
        self.log_directory = os.path.join(self.home(), "server_priv", "log")
        self.directory = os.path.join(self.top, "records")

    def run_jobs(self):
        """On two hosts with several cpus; ended badly; of an array; rerun and deleted while it ran."""
        wide = self.submit("-N", "wide", "-A", "physics", "-l", "select=2:ncpus=2:mem=10mb", "-l", "place=scatter", "-l", "walltime=01:00:00",
                           "--", "/bin/true")
        bad, array = self.submit("--", "/bin/false"), self.submit("-J", "1-2", "--", "/bin/true")
        rerun = self.submit("--", "/bin/sleep", "1000")
        self.until_running(rerun)
        self.sure("qrerun", rerun)
        self.until_running(rerun)
        self.sure("qdel", rerun)
        for id in (wide, bad, array, rerun):
            self.until_state(id, "F")
        self.until(lambda: {id for letter, id, _ in self.accounting() if letter == "E"} >= {wide, bad, array, rerun}, "accounting has the ends")
        return wide, bad, array, rerun

    def lines(self):
        for path in sorted(glob.glob(os.path.join(self.home(), "server_priv", "accounting", "*"))):
            self.assertRegex(os.path.basename(path), r"\A\d{8}\Z")     # what XDMoD takes for a day
            with open(path, encoding="utf-8") as f:
                yield from f.read().splitlines()

    def runs(self):
        """job id -> its run that ended, by the tables."""
        self.sure("pbs_export", "--log", self.log_directory, os.path.join(self.top, "jobs.db"))
        names = ("job_id", "user_name", "group_name", "started_at", "ended_at", "used_walltime_s", "used_cput_s", "used_mem_bytes",
                 "used_vmem_bytes", "used_ncpus", "exit_status", "queue", "account", "asked_walltime_s", "asked_mem_bytes")
        found = ask(os.path.join(self.top, "jobs.db"), f"select {', '.join(names)} from runs where outcome = 'ended'")
        return {row[0]: dict(zip(names, row)) for row in found}

    def test_apel_and_xdmod_find_what_they_look_for_in_the_daily_files(self):
        wide, _, array, rerun = self.run_jobs()
        runs, ended = self.runs(), [line for line in self.lines() if line.split(";")[1] == "E"]
        self.assertEqual(len(ended), 6)
        for line in ended:
            id = line.split(";")[2]
            as_xdmod = xdmod_reads(line)
            if id == array:       # of the array itself: no usage and no hosts
                self.assertRaises(KeyError, apel_reads, line)
                self.assertNotIn("node_list", as_xdmod)
                continue
            run = runs.pop(id)
            self.assertEqual(apel_reads(line), {
                "job": id, "user": run["user_name"], "group": run["group_name"], "start": seconds(run["started_at"]),
                "end": seconds(run["ended_at"]), "wall_s": run["used_walltime_s"], "cpu_s": run["used_cput_s"],
                "mem_kb": run["used_mem_bytes"] // 1024, "vmem_kb": run["used_vmem_bytes"] // 1024})
            self.assertEqual((as_xdmod["user"], as_xdmod["groupname"], as_xdmod["queue"], as_xdmod["cpus"], int(as_xdmod["exit_status"])),
                             (run["user_name"], run["group_name"], run["queue"], run["used_ncpus"], run["exit_status"]))
            self.assertEqual((int(as_xdmod["start"]), int(as_xdmod["end"]), as_xdmod["resources_used_mem"], as_xdmod["resources_used_cput"]),
                             (seconds(run["started_at"]), seconds(run["ended_at"]), run["used_mem_bytes"], run["used_cput_s"]))
            self.assertLessEqual({"job_id", "job_array_index", "host", "ctime", "qtime", "etime", "session", "jobname", "node_list"}, set(as_xdmod))
        self.assertEqual(runs, {})
        # PBS writes an account in quotes, and XDMoD keeps them.
        of_wide = next(xdmod_reads(line) for line in ended if line.split(";")[2] == wide)
        self.assertEqual((sorted(of_wide["node_list"]), of_wide["cpus"], of_wide["account"], of_wide["resource_list_walltime"],
                          of_wide["resource_list_mem"]), (["a", "b"], 4, '"physics"', 3600, 20 << 20))
        self.assertEqual(sorted(xdmod_reads(line)["job_array_index"] or 0 for line in ended), [0, 0, 0, 0, 1, 2])
        self.assertEqual([line.split(";")[1] for line in self.lines() if line.split(";")[2] == rerun and "end=" in line], ["R", "E"])

    def test_a_text_with_a_blank_is_too_much_for_apel(self):
        id = self.submit("-A", "two words", "--", "/bin/true")
        self.until_recorded(id, "QSE")
        line = next(line for line in self.lines() if line.split(";")[1:3] == ["E", id])
        self.assertRaises(IndexError, apel_reads, line)
        self.assertEqual(xdmod_reads(line)["account"], '"two')

    def test_usage_records_are_as_the_schema_says_and_tell_of_each_run(self):
        self.run_jobs()
        records = self.records("--format", "ur2")
        runs = self.runs()
        by_id = {}
        for record in records:
            self.assertEqual(faults(record, RECORD), [])
            by_id.setdefault(self.of(record, "LocalJobId"), []).append(record)
        self.assertEqual(sorted(map(len, by_id.values())), [1, 1, 1, 1, 2])      # one was rerun
        self.assertEqual(len({self.of(record, "RecordId") for record in records}), 6)
        for id, of_job in by_id.items():
            record, run = of_job[-1], runs.pop(id)
            block = record.find(UR + "ComputeUsageBlock")
            told = [self.of(block, name) for name in ("CpuDuration", "WallDuration", "StartTime", "EndTime", "Processors", "ExitStatus")]
            moment = lambda text: datetime.datetime.fromtimestamp(seconds(text), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            self.assertEqual(told, [f"PT{run['used_cput_s']}S", f"PT{run['used_walltime_s']}S", moment(run["started_at"]),
                                    moment(run["ended_at"]), str(run["used_ncpus"]), str(run["exit_status"])])
            self.assertEqual(self.of(record, "LocalUserId"), run["user_name"])
            self.assertEqual(self.of(record, "MemoryResourceCapacityUsed"), str(run["used_mem_bytes"]))
        self.assertEqual(runs, {})
        self.assertEqual(sorted(self.of(record, "Status") for record in records),
                         ["aborted", "completed", "completed", "completed", "completed", "queued"])
        wide = next(record for record in records if self.of(record, "JobName") == "wide")
        self.assertEqual([name.text for name in wide.iter(UR + "Hostname")], ["a", "b"])
        self.assertEqual(self.of(wide, "MemoryResourceCapacityRequested"), str(20 << 20))

    def test_each_run_has_one_record_whatever_is_killed(self):
        self.run_jobs()
        choice = random.Random(1)
        for _ in range(20):
            one = subprocess.Popen([os.path.join(STAGE, "sbin", "pbs_export"), "-q", "--log", self.log_directory, "--format", "ur2", self.directory],
                                   env={**self.environment(), "TMPDIR": self.top})
            try:
                one.wait(timeout=choice.random() * 0.1)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        ids = [self.of(record, "RecordId") for record in self.records("--format", "ur2")]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(len(ids), 6)

    def records(self, *arguments):
        self.sure("pbs_export", "--log", self.log_directory, *arguments, self.directory)
        found = []
        for path in sorted(glob.glob(os.path.join(self.directory, "runs", "*.xml"))):
            document = xml.parse(path).getroot()
            self.assertEqual(document.tag, UR + "UsageRecords")
            self.assertTrue(all(child.tag == UR + "UsageRecord" for child in document))
            found += document
        return found

    def of(self, record, name):
        return next(record.iter(UR + name)).text


if __name__ == "__main__":
    unittest.main()
