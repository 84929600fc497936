"""What hooks on the hosts of a job set of resources_used, and what the job shows of it: RU-01 to RU-05, RU-08 to RU-22. The hooks are
those that a PBS was seen with; docs/design/0035-usage-per-host.md."""
import json
import os
import unittest

from mom_hooks import WIDE, MomHookTest
from wide_jobs import WideJobTest

RESOURCES = {"foo_i": "long", "foo_f": "float", "foo_str": "string", "foo_str2": "string", "foo_str3": "string", "foo_str4": "string",
             "stra": "string_array", "foo_size": "size", "foo_b": "boolean"}

HEAD = """import os, pbs
e = pbs.event()
host = pbs.get_local_nodename()
primary, second, third = [c.split('/')[0] for c in str(e.job.exec_host).split('+')]
u = e.job.resources_used
"""
PROLOGUE = HEAD + """
if host == primary:
    u['foo_i'], u['foo_f'], u['foo_str'], u['foo_str2'] = 9, 0.09, '{"seven":7}', '{"seven":7}'
    u['foo_str3'], u['foo_str4'] = 'eight only here', 'hello, from me'
    u['stra'], u['foo_size'], u['foo_b'] = '"glad,elated","happy"', pbs.size('10mb'), True
    u['vmem'], u['cput'] = pbs.size('10mb'), 10
elif host == second:
    u['foo_i'], u['foo_f'], u['foo_str'], u['foo_str2'] = 10, 0.10, '{"eight":8,"nine":9}', 'seven'
    u['foo_str4'], u['stra'], u['foo_size'], u['foo_b'] = '{"a":1}', '"cucumbers,bananas"', pbs.size('12mb'), False
    u['vmem'], u['cput'] = pbs.size('11mb'), 20
"""
EPILOGUE = HEAD + """
k = [primary, second, third].index(host) + 1
u['foo_i'], u['foo_f'] = 100 * k, 0.5 * k
u['foo_str'], u['foo_str2'] = '{"epi_%d":%d}' % (k, k), 'end %d' % k
u['foo_size'], u['vmem'] = pbs.size('%dmb' % k), pbs.size('%dgb' % k)
"""
PERIODIC = """import pbs
for j in pbs.event().job_list.values():
    u = j.resources_used
    u['foo_i'] = (u['foo_i'] or 0) + 1
    u['foo_str'] = '{"per_%s":"v"}' % pbs.get_local_nodename()
"""


def used(job, resource):
    return job.get("resources_used." + resource)


class accumulated_usage(MomHookTest, WideJobTest):
    def setUp(self):
        super().setUp()
        for name, kind in RESOURCES.items():                       # RU-05
            self.sure("qmgr", "-c", f"create resource {name} type={kind},flag=h")

    def set_mom_config(self, text):
        for host in self.hosts:
            with open(f"{self.home(host)}/mom_priv/config", "a") as f:
                f.write(text)
            self.kill_daemon("pbs_mom", host)
            self.start_daemon("pbs_mom", host)
            self.until_free(host)

    def start_wide_job(self):
        """Its program waits until the file `go` is there; its id and hosts."""
        go = self.gate()
        id = self.submit(*WIDE, "--", "/bin/sh", "-c", f": < {go.path}")
        self.until_running(id)
        return id, go, self.hosts_of(id)

    def until_used(self, id, resource, value):
        self.until(lambda: used(self.job(id), resource) == value, lambda: f"{resource} is {value}: {self.job(id)}")

    def record(self, letter, id):
        """Its fields, once accounting has it."""
        found = lambda: [rest for of, job, rest in self.accounting() if (of, job) == (letter, id)]
        return " " + self.until(found, lambda: f"the {letter} record of {id} is there: {self.accounting()}")[-1]

    def as_json(self, id):
        return json.loads(self.sure("qstat", "-xf", "-F", "json", id))["Jobs"][id]["resources_used"]

    def check_prologue(self, job, hosts):
        a, b, c = hosts
        self.assertEqual({r: used(job, r) for r in ("foo_i", "foo_f", "foo_size", "foo_b", "cput")},
                         {"foo_i": "19", "foo_f": "0.19", "foo_size": "22mb", "foo_b": "True", "cput": "00:00:30"})      # RU-04, 09, 17
        self.assertEqual(used(job, "foo_str"), """'{"eight": 8, "nine": 9, "seven": 7}'""")                                # RU-15
        self.assertEqual(used(job, "foo_str2"), f'{{"{a}": "{{\\"seven\\":7}}", "{b}": "seven", "{c}": None}}')            # RU-11, RU-12
        self.assertEqual(used(job, "foo_str3"), f'{{"{a}": "eight only here", "{b}": None, "{c}": None}}')
        self.assertEqual(used(job, "stra"), f'{{"{a}": "\\"glad,elated\\",\\"happy\\"", "{b}": "\\"cucumbers,bananas\\"", "{c}": None}}')  # RU-16

    def test_what_prologues_set_on_three_hosts_is_summed_and_joined(self):   # RU-01, 03, 08 to 14, 17, 21
        self.mom_hook("pro", "execjob_prologue", PROLOGUE)
        id, go, hosts = self.start_wide_job()
        a, b, c = hosts
        self.until_used(id, "foo_i", "19")                          # all hosts have told it while the job runs
        self.check_prologue(self.job(id), hosts)
        values = self.as_json(id)
        self.assertEqual(values["foo_str"], {"eight": 8, "nine": 9, "seven": 7})
        self.assertEqual(values["foo_str3"], {a: "eight only here", b: None, c: None})
        self.assertEqual(values["foo_i"], 19)
        go.open()
        job = self.until_state(id, "F")
        self.check_prologue(job, hosts)
        self.assertRegex(used(job, "walltime"), r"^00:\d\d:\d\d$")
        record = self.record("E", id)
        self.assertIn(""" resources_used.foo_str='{"eight": 8, "nine": 9, "seven": 7}' """, record)
        self.assertIn(f""" resources_used.foo_str3='{{"{a}": "eight only here", "{b}": None, "{c}": None}}' """, record)
        self.assertIn(" resources_used.foo_f=0.19 resources_used.foo_i=19 resources_used.foo_size=22mb ", record)

    def test_the_epilogue_has_the_last_word_on_each_host(self):              # RU-01, RU-20
        self.mom_hook("pro", "execjob_prologue", PROLOGUE)
        self.mom_hook("epi", "execjob_epilogue", EPILOGUE)
        id, go, (a, b, c) = self.start_wide_job()
        go.open()
        job = self.until_state(id, "F")
        self.assertEqual({r: used(job, r) for r in ("foo_i", "foo_f", "foo_size", "vmem", "cput")},
                         {"foo_i": "600", "foo_f": "3", "foo_size": "6mb", "vmem": "6gb", "cput": "00:00:30"})
        self.assertEqual(used(job, "foo_str"), """'{"epi_1": 1, "epi_2": 2, "epi_3": 3}'""")
        self.assertEqual(used(job, "foo_str2"), f'{{"{a}": "end 1", "{b}": "end 2", "{c}": "end 3"}}')
        self.assertIn(" resources_used.foo_i=600 ", self.record("E", id))

    def test_every_daemon_may_be_killed_and_nothing_is_counted_twice(self):  # RU-10, RU-19, RU-22
        self.mom_hook("pro", "execjob_prologue", PROLOGUE)
        id, go, hosts = self.start_wide_job()
        self.until_used(id, "foo_i", "19")
        for daemon, host in ("pbs_server", "server"), ("pbs_mom", hosts[1]), ("pbs_mom", hosts[0]):
            self.kill_daemon(daemon, host)
            self.start_daemon(daemon, host)
            self.until_answers()
            self.until_running(id)
            self.check_prologue(self.job(id), hosts)
        # A host that is silent counts with its last word while the others go on.
        self.stop("pbs_mom", hosts[1])
        self.mom_hook("per", "exechost_periodic", PERIODIC, hosts=[hosts[0], hosts[2]], freq=1)
        self.until(lambda: int(used(self.job(id), "foo_i")) >= 23, lambda: f"the others count on: {self.job(id)}")
        self.assertIn('"eight": 8', used(self.job(id), "foo_str"))
        self.go_on("pbs_mom", hosts[1])
        self.until(lambda: all(f"per_{host}" in used(self.job(id), "foo_str") for host in hosts), lambda: f"it counts too: {self.job(id)}")
        go.open()
        job = self.until_state(id, "F")
        self.assertEqual(used(job, "foo_str"), "'{" + ", ".join(f'"per_{host}": "v"' for host in sorted(hosts)) + "}'")

    def test_a_rerun_counts_anew(self):                                      # RU-19
        self.mom_hook("pro", "execjob_prologue", PROLOGUE)
        id, _, hosts = self.start_wide_job()
        self.until_used(id, "foo_i", "19")
        self.sure("qhold", id)
        self.sure("qrerun", id)
        job = self.until_state(id, "H")
        self.assertEqual([name for name in job if name.startswith("resources_used")], [])
        self.assertIn(" resources_used.foo_i=19 ", self.record("R", id))
        self.sure("qrls", id)
        self.until_running(id)
        self.until_used(id, "foo_i", "19")
        self.sure("qdel", id)
        self.assertEqual(used(self.until_state(id, "F"), "foo_i"), "19")

    def test_the_merged_form_of_pbs_is_a_directive_of_the_mom(self):         # RU-15, RU-16
        self.set_mom_config("$resources_used_strings merge\n")
        self.mom_hook("pro", "execjob_prologue", PROLOGUE)
        id, go, hosts = self.start_wide_job()
        go.open()
        job = self.until_state(id, "F")
        self.assertEqual(used(job, "foo_str"), """'{"eight": 8, "nine": 9, "seven": 7}'""")
        self.assertEqual((used(job, "foo_str2"), used(job, "foo_str3"), used(job, "foo_str4")), (None, "eight only here", None))
        self.assertEqual(used(job, "stra"), '"glad,elated","happy"')
        self.until_mom_logged(hosts[0], f"Svr;pbs_mom;Job {id} resources_used.foo_str2 cannot be accumulated: value 'seven' from mom "
                                        f"{hosts[1]} not JSON-format: <class 'json.decoder.JSONDecodeError'>")

    def test_invisible_resources_are_summed_and_shown_to_managers_only(self):  # RU-18
        self.sure("qmgr", "-c", "create resource hidden type=long,flag=hi")
        self.mom_hook("pro", "execjob_prologue", HEAD + "u['hidden'] = 5\n")
        id, go, _ = self.start_wide_job()
        go.open()
        self.assertIn(" resources_used.hidden=15 ", self.record("E", id))
        self.assertEqual(used(self.until_state(id, "F"), "hidden"), "15")
        if os.getuid() != 0:
            return      # its user manages the cluster, and is the only one who may ask it
        seen = self.run_command("qstat", "-xf", id, user="nobody", group="nogroup", extra_groups=[])
        self.assertEqual((seen.status, "resources_used.cput" in seen.out, "hidden" in seen.out), (0, True, False))


if __name__ == "__main__":
    unittest.main(verbosity=2)
