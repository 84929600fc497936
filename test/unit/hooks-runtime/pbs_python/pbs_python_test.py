#!/usr/bin/python3
# pbs_python: scripts with the pbs module outside a daemon, and hooks on recorded events (RS-75; docs/man/pbs_python.8).
import json
import os
import subprocess
import tempfile
import unittest

PBS_PYTHON = os.path.join(os.environ["ANNALS_STAGE"], "bin", "pbs_python")
JOB = {"event": 1, "hookName": "limits", "requestor": "alice", "parameters": [
    {"name": "job", "object": {"kind": "job", "name": "", "attributes": [
        {"name": "Resource_List", "resource": "ncpus", "value": "400"}, {"name": "queue", "value": "long"}]}}]}
SITE = {"objects": [
    {"kind": "server", "name": "head", "attributes": [{"name": "scheduling", "value": "True"}]},
    {"kind": "queue", "name": "long", "attributes": [{"name": "Priority", "value": "7"}]},
    {"kind": "job", "name": "1.head", "attributes": [{"name": "queue", "value": "long"}]},
    {"kind": "job", "name": "2.head", "attributes": [{"name": "queue", "value": "short"}]}]}
SITE_HOOKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "site_hooks", "scripts")
# The job of the reliable-startup recipe as it starts: one host too many, one of them failed.
STARTING = {"event": 0x800, "hookName": "launch", "requestor": "pbs_mom", "primary": True, "parameters": [
    {"name": "job", "object": {"kind": "job", "name": "12.head", "attributes": [
        {"name": "Resource_List", "resource": "site", "value": "ncpus=3:mem=1gb+ncpus=2:mem=2gb"},
        {"name": "exec_vnode", "value": "(borg:ncpus=3:mem=1gb)+(federer:ncpus=2:mem=2gb)+(lendl:ncpus=2:mem=2gb)"}]}},
    {"name": "vnode_list", "objects": [{"kind": "vnode", "name": n} for n in ("borg", "federer", "lendl")]},
    {"name": "vnode_list_fail", "objects": [{"kind": "vnode", "name": "federer", "attributes": [{"name": "state", "value": "free"}]}]},
    {"name": "env", "pairs": [{"name": "PBS_NODEFILE", "value": "/nodes"}]}]}


class PbsPython(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def file(self, name, text):
        path = os.path.join(self.dir.name, name)
        with open(path, "w") as out:
            out.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def run_it(self, *args):
        return subprocess.run([PBS_PYTHON, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def hook(self, script, *more):
        return self.run_it("--hook", "-i", self.file("job.json", JOB), *more, self.file("hook.py", "import pbs\ne = pbs.event()\n" + script))

    def test_a_script_has_the_module_its_arguments_and_its_exit_status(self):
        script = self.file("s.py", "import pbs, sys\nprint(pbs.select('ncpus=1+2:ncpus=3').increment_chunks('50%'), sys.argv[1:])\n"
                                   "pbs.logmsg(pbs.LOG_DEBUG, 'a line')\nsys.exit(4)\n")
        done = self.run_it(script, "a", "--hook")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (4, "1:ncpus=1+3:ncpus=3 ['a', '--hook']\n", "a line\n"))

    def test_it_is_python_as_a_jobs_shell_and_on_a_command_line(self):
        prints = "import pbs, sys; print(pbs.size('1kb'), sys.argv)"
        for arguments, text, says in ((["-c", prints, "-x"], "", "1kb ['-c', '-x']\n"), (["-", "a"], prints, "1kb ['-', 'a']\n"),
                                      ([], prints, "1kb ['']\n"), (["-m", "base64", "-d"], "MTIK", "12\n"),
                                      (["-s", "-c", prints], "", "1kb ['-c']\n")):
            done = subprocess.run([PBS_PYTHON, *arguments], input=text, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, says, ""), arguments)
        self.file("beside.py", "here = 5\n")
        script = self.file("main.py", "import beside\nassert __name__ == '__main__' and __file__\nprint(beside.here)\n")
        self.assertEqual(self.run_it(script).stdout, "5\n")
        with open(script) as itself:
            self.assertEqual(subprocess.run([PBS_PYTHON], stdin=itself, cwd=self.dir.name, capture_output=True, timeout=60).stdout, b"5\n")
        for arguments in (["-c", "import sys; sys.exit(3)"], ["-c", "raise SystemExit(3)"], ["-c", "import os; os._exit(3)"]):
            self.assertEqual(self.run_it(*arguments).returncode, 3)
        self.assertEqual(self.run_it("--nosuch").returncode, 2)

    def test_a_script_without_an_event_cannot_ask_for_it(self):
        done = self.run_it(self.file("s.py", "import pbs\npbs.event()\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("RuntimeError: no hook event is going on", done.stderr)

    def test_a_hook_prints_what_it_decided(self):
        done = self.hook("e.job.Priority = 3\nif e.job.Resource_List['ncpus'] > 128: e.reject('at most 128 cpus')\n")
        reply = json.loads(done.stdout)
        self.assertEqual((done.returncode, reply["verdict"], reply["message"]), (0, "reject", "at most 128 cpus"))
        self.assertEqual([(c["attribute"], c["after"]) for c in reply["changes"]], [("Priority", "3")])

    def test_a_hooks_name_is_that_of_the_builtins(self):
        done = self.hook("class kind: pass\nassert __name__ == 'builtins' == kind.__module__\n"
                         "if __name__ == 'builtins': e.reject('it runs')\n")
        self.assertEqual(json.loads(done.stdout)["message"], "it runs", done)

    def test_a_hook_that_raises_fails_with_its_traceback(self):
        done = self.hook("nosuch()\n")
        reply = json.loads(done.stdout)
        self.assertEqual((done.returncode, reply["verdict"]), (1, "error"))
        self.assertIn("line 3", reply["traceback"])

    def test_questions_are_answered_from_the_site_file(self):
        done = self.hook("assert pbs.server().name == 'head' and pbs.server().scheduling == True\n"
                         "assert e.job.queue.Priority == 7 and pbs.server().queue('none') is None\n"
                         "assert [j.id for j in pbs.server().jobs()] == ['1.head', '2.head']\n"
                         "assert [j.id for j in e.job.queue.jobs()] == ['1.head']\n", "-s", self.file("site.json", SITE))
        self.assertEqual(done.returncode, 0, done.stdout)

    def pair(self, script, event, *more):
        done = self.run_it("--hook", "-i", self.file("event.json", event), *more, os.path.join(SITE_HOOKS, script))
        self.assertEqual(done.returncode, 0, done)
        reply = json.loads(done.stdout)
        return reply, {f"{c['attribute']}.{c.get('resource', '')}".rstrip("."): c["after"] for c in reply.get("changes", [])}

    def test_the_reliable_startup_pair_asks_for_a_spare_host_and_gives_it_back(self):       # RS-07, 64, 66, 67, 84, 85, 90, 111, 114
        asked = {"event": 1, "hookName": "qjob", "parameters": [{"name": "job", "object": {"kind": "job", "attributes": [
            {"name": "Resource_List", "resource": "select", "value": "ncpus=3:mem=1gb+ncpus=2:mem=2gb"}]}}]}
        reply, changes = self.pair("reliable_submit.py", asked)
        self.assertEqual(reply["verdict"], "accept")
        self.assertEqual(changes, {"tolerate_node_failures": "job_start", "Resource_List.site": "ncpus=3:mem=1gb+ncpus=2:mem=2gb",
                                   "Resource_List.select": "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb"})
        tolerant = json.loads(json.dumps(STARTING))
        tolerant["parameters"][0]["object"]["attributes"].append({"name": "tolerate_node_failures", "value": "job_start"})
        reply, changes = self.pair("reliable_launch.py", tolerant)
        self.assertEqual((reply["verdict"], changes), ("accept", {"state": "offline"}))
        self.assertEqual(reply["actions"], [{"releaseNodes": {"job": "12.head", "keepSelect": "ncpus=3:mem=1gb+ncpus=2:mem=2gb", "vnodes": []}}])
        self.assertIn("pj.exec_vnode=(borg:ncpus=3:mem=1gb)+(lendl:ncpus=2:mem=2gb)", [line["message"] for line in reply["log"]])
        # Nothing that is left satisfies what was asked for.
        tolerant["parameters"][2]["objects"].append({"kind": "vnode", "name": "lendl", "attributes": [{"name": "state", "value": "free"}]})
        reply, changes = self.pair("reliable_launch.py", tolerant)
        self.assertEqual((reply["verdict"], reply["message"]), ("reject", "unsuccessful at LAUNCH"))
        self.assertEqual(changes, {"state": "offline", "Hold_Types": "s"})
        self.assertEqual(reply["actions"], [{"rerun": "12.head"}])

    # The five hosts of the documents: what a hook is told of the job as it will be.
    WHOLE = ("(borg:ncpus=3:mem=1048576kb)+(federer:ncpus=2:mem=2097152kb)+(lendl:ncpus=2:mem=2097152kb)"
             "+(agassi:ncpus=1:mem=3145728kb)+(sampras:ncpus=1:mem=3145728kb)")

    def released(self, script, *failed):
        resources = {"mem": "11gb", "ncpus": "9", "nodect": "5", "place": "scatter:excl", "walltime": "01:00:00",
                     "select": "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb", "site": "ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb"}
        texts = {"exec_vnode": self.WHOLE, "exec_host": "borg/0*3+federer/0*2+lendl/0*2+agassi/0+sampras/0", "schedselect": resources["select"],
                 "tolerate_node_failures": "all"}
        attributes = [{"name": "Resource_List", "resource": r, "value": v} for r, v in resources.items()]
        attributes += [{"name": n, "value": v} for n, v in texts.items()]
        event = {"event": 0x800, "hookName": "launch", "requestor": "pbs_mom", "primary": True, "parameters": [
            {"name": "job", "object": {"kind": "job", "name": "12.head", "attributes": attributes}},
            {"name": "vnode_list_fail", "objects": [{"kind": "vnode", "name": n} for n in failed]}]}
        done = self.run_it("--hook", "-i", self.file("event.json", event), self.file("hook.py", "import pbs\ne = pbs.event()\n" + script))
        reply = json.loads(done.stdout)
        self.assertEqual(reply["verdict"], "accept", reply)
        return [line["message"] for line in reply.get("log", [])], reply.get("actions", [])

    KEEP = ("pj = e.job.release_nodes(keep_select=e.job.Resource_List['site'])\n"
            "for value in pj and (pj.exec_vnode, pj.exec_host, pj.schedselect) or (None,): pbs.logmsg(1, str(value))\n"
            "for name in pj and ('mem', 'ncpus', 'nodect', 'place', 'select', 'site', 'walltime') or ():\n"
            "    pbs.logmsg(1, '%s=%s' % (name, pj.Resource_List[name]))\n")

    def test_release_nodes_gives_the_job_as_the_release_leaves_it(self):       # RS-35, RS-44, RS-85, RS-88, RS-121
        select = "1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+1:ncpus=1:mem=3gb"
        lines, actions = self.released(self.KEEP, "federer", "sampras")
        self.assertEqual(lines, ["(borg:ncpus=3:mem=1048576kb)+(lendl:ncpus=2:mem=2097152kb)+(agassi:ncpus=1:mem=3145728kb)",
                                 "borg/0*3+lendl/0*2+agassi/0", select, "mem=6gb", "ncpus=6", "nodect=3", "place=scatter:excl",
                                 "select=" + select, "site=ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb", "walltime=01:00:00"])
        self.assertEqual(len(actions), 1)

    def test_release_nodes_says_why_it_gives_none(self):       # RS-85, RS-99 to RS-102
        lines, actions = self.released(self.KEEP, "agassi", "sampras")
        self.assertEqual(lines, ["could not satisfy select chunk (ncpus=1 mem=3gb)",
                                 "NEED chunks for keep_select (ncpus=3:mem=1gb+ncpus=2:mem=2gb+ncpus=1:mem=3gb)",
                                 f"HAVE chunks from job's exec_vnode ({self.WHOLE})", f"HAVE chunks from job's exec_vnode: {self.WHOLE}",
                                 "None"])
        self.assertEqual(actions, [])

    def test_release_nodes_of_named_vnodes(self):       # RS-91, RS-93
        by_name = "r = e.job.release_nodes({n: pbs.vnode(n) for n in %s})\npbs.logmsg(1, '%%s' %% (r and sorted(r)))\n"
        lines, actions = self.released(by_name % "('lendl', 'sampras')")
        self.assertEqual(lines, ["['lendl', 'sampras']"])
        self.assertEqual(actions, [{"releaseNodes": {"job": "12.head", "keepSelect": "", "vnodes": ["lendl", "sampras"]}}])
        for wrong in ("('borg', 'lendl')", "('lendl', 'nadal')"):       # on the primary; no part of the job
            self.assertEqual(self.released(by_name % wrong), (["None"], []))

    def test_a_job_that_tolerates_nothing_keeps_its_nodes(self):       # RS-94
        reply, changes = self.pair("reliable_launch.py", STARTING)
        self.assertEqual((reply["verdict"], changes, reply.get("actions", [])), ("accept", {"state": "offline"}, []))
        self.assertIn("no nodes released as job does not tolerate node failures", [line["message"] for line in reply["log"]])

    def test_the_configuration_and_the_output_file_are_used(self):
        out = os.path.join(self.dir.name, "reply.json")
        done = self.hook("assert open(pbs.hook_config_filename).read() == 'x'\n", "-c", self.file("h.CF", "x"), "-o", out)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        with open(out) as reply:
            self.assertEqual(json.load(reply)["verdict"], "accept")

    def test_what_is_no_event_is_refused(self):
        script = self.file("hook.py", "")
        for text in ("garbage", "{\"event\": 3}", "{\"nosuch\": 1, ", ""):
            done = self.run_it("--hook", "-i", self.file("bad", text), script)
            self.assertEqual(done.returncode, 1, text)
            self.assertTrue(done.stderr.startswith("pbs_python: "), text)
        for usage in (["--hook", script], ["--hook", "-i", script], ["--hook", "-z"], ["--hook", "-i", script, script, "more"]):
            done = self.run_it(*usage)
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage: pbs_python", done.stderr)


if __name__ == "__main__":
    unittest.main()
