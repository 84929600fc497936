"""The parts of the golden runner that need no PBS: reading transcripts and scenes, taking out what varies, the verdict."""
import glob
import os
import sys
import unittest
from datetime import datetime
from types import SimpleNamespace

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "conformance", "golden")
sys.path.insert(0, GOLDEN)
from golden import afterwards, blocks_run, cycles, mixture, placement, report, scene, sitting, transcript  # noqa: E402  found by the path above
from golden.normal import Ids, normal  # noqa: E402


def data(*path):
    with open(os.path.join(GOLDEN, *path)) as f:
        return f.read()


class transcripts(unittest.TestCase):
    def test_a_headed_block_has_a_user_a_command_two_texts_and_a_status(self):
        blocks = transcript.read("### user=u  cmd: qstat 9\n--- stdout\na\n\nb\n--- stderr\nc\n--- exit=153\n\n"
                                 "### user=root  cmd: qdel 'x'; echo\n--- stdout\n--- stderr\n--- exit=0\n")
        self.assertEqual([(b.user, b.command, b.stdout, b.stderr, b.status, b.line) for b in blocks],
                         [("u", "qstat 9", "a\n\nb\n", "c\n", 153, 1), ("root", "qdel 'x'; echo", "", "", 0, 10)])

    def test_a_typed_block_marks_stderr_line_by_line(self):
        blocks = transcript.read("# said\nroot@p1$ qmgr -c 'l s'\nServer p1\nstderr: oops \n[exit 1]\nu@p1$ qstat\n[exit 0]\n")
        self.assertEqual([(b.user, b.stdout, b.stderr, b.status) for b in blocks],
                         [("root", "Server p1\n", "oops \n", 1), ("u", "", "", 0)])
        [hung] = transcript.read("u@p1$ qsig 3\n[exit TIMEOUT after 20s]\n")
        self.assertEqual(hung.status, transcript.NO_END)

    def test_a_headed_block_may_leave_out_what_is_empty_and_a_short_one_has_only_what_was_printed(self):
        blocks = transcript.read("## part\n### user=u cmd: qdel 9\n--- stderr\nc\n--- exit=153\nof nobody\n"
                                 "### user=u cmd: true\n--- exit=0\n### root: pbs_rstat -f\nResv ID: R1.q1\n\n--- server_log\nx\n")
        self.assertEqual([(b.user, b.command, b.stdout, b.stderr, b.status) for b in blocks],
                         [("u", "qdel 9", "", "c\n", 153), ("u", "true", "", "", 0), ("root", "pbs_rstat -f", "Resv ID: R1.q1\n\n", "", None)])

    def test_a_block_at_a_terminal_has_a_screen_and_blocks_that_are_typed_meanwhile(self):
        text = ("u@p1$ qsub -I     (in a pty)\nu@p1$ qstat\nx\n[exit 0]\n--- screen\nready\n$ \n[typed: exit\\r]\nexit\n--- end of screen\n[exit 0]\n"
                "u@p1$ qsub -I     (in a pty)\n--- screen\n\n[sent: TERM]\n\n--- end of screen\n[exit signal 15]\nu@p1$ true\n[exit 0]\n")
        first, meanwhile, second, _ = transcript.read(text)
        self.assertEqual((first.command, first.last, first.status, meanwhile.command), ("qsub -I", 2, 0, "qstat"))
        self.assertEqual(sitting.parts(first.screen), [("ready\n$ ", ("typed", "exit\\r")), ("exit", None)])
        self.assertEqual((sitting.shown(first.screen), sitting.shown(second.screen)), ("ready\n$ exit", ""))
        self.assertEqual((second.last, second.status), (3, -15))
        with self.assertRaises(transcript.Malformed):
            transcript.read("u@p1$ qsub -I     (in a pty)\n--- screen\n")

    def test_what_a_cycle_did_belongs_to_the_block_before_it(self):
        text = "u@p1$ qsub\n5.p1\n[exit 0]\n  sched(HUP): x\n  sched: y\n  order: 5.p1\n  5.p1: state=R substate=41\nu@p1$ true\n[exit 0]\n"
        first, second = transcript.read(text)
        self.assertEqual(first.cycle, ["  sched: y", "  order: 5.p1", "  5.p1: state=R substate=41"])
        self.assertEqual(second.cycle, [])

    def test_messages_belong_to_the_block_before_them(self):
        text = ("u@p1$ qsub\n5.p1\n[exit 0]\n--- message\nTo: u\n\nroot@p1$ x\n--- end of message\n... (the same message again, 3 times in all)\n"
                "--- message\nTo: v\n--- end of message\nu@p1$ true\n[exit 0]\n")
        first, second = transcript.read(text)
        self.assertEqual(first.mails, ["To: u\n\nroot@p1$ x\n"] * 3 + ["To: v\n"])
        self.assertEqual(second.mails, [])

    def test_records_of_accounting_belong_to_the_block_before_them(self):
        record = "11/21/2026 00:47:18;Q;605.q1;user=u "
        [headed] = transcript.read(f"### user=u cmd: qsub\n--- exit=0\n--- accounting ~ /;.;605/\n{record}\n{record}\n--- server_log\nx\n")
        self.assertEqual(headed.records, [(";.;605", [record, record])])
        [typed] = transcript.read(f"u@p1$ qsub\n[exit 0]\n  acct: {record}\n  acct: no record\n")
        self.assertEqual(typed.records, [(r";Q;605\.q1;", [record])])

    def test_what_a_command_reads_stands_behind_it(self):
        given, plain = transcript.read("root@p1$ qmgr -a   # stdin: 'list server\\nquit\\n'\nx\n[exit 0]\nroot@p1$ true # stdin\n[exit 0]\n")
        self.assertEqual((given.command, given.stdin, given.name), ("qmgr -a", "list server\nquit\n", "1 qmgr -a"))
        self.assertEqual((plain.command, plain.stdin), ("true # stdin", ""))

    def test_what_a_command_led_to_stands_below_it(self):
        unset, plain = transcript.read("root@p1$ x\n[exit 0]\n  after:     a = 1 || set server a = 1\nroot@p1$ true\n[exit 0]\n")
        self.assertEqual((unset.after, plain.after), ("    a = 1 || set server a = 1", None))

    def test_two_outputs_that_were_recorded_together_keep_their_own_order(self):
        out, err = "a\nb\n", "x\ny\n"
        for recorded in ("a\nb\nx\ny\n", "x\na\ny\nb\n", "x\ny\na\nb"):
            self.assertEqual(mixture.as_recorded(recorded, out, err), recorded)
        for recorded in ("b\na\nx\ny\n", "a\nx\nb\n", "a\nb\nx\ny\nz\n", ""):
            self.assertEqual(mixture.as_recorded(recorded, out, err), out + err)
        self.assertEqual(mixture.as_recorded("a\na\nb\n", "a\nb\n", "a\n"), "a\na\nb\n")
        self.assertEqual(mixture.as_recorded("", "", ""), "")
        self.assertEqual(mixture.as_recorded("a\nx\n", "a\n\n", "x\n"), "a\nx\n")   # `list` ends with a blank line

    def test_a_line_about_a_job_counts_once_and_others_do_not_count(self):
        run = "  sched: 0040;pbs_sched;Job;5.p1;Job run"
        self.assertEqual(cycles.settled([run, run, "  sched: 0400;pbs_sched;Node;5.p1;x", "  order: "]), run + "\n  order:\n")

    def test_a_block_without_an_end_is_refused(self):
        for text in ("### user=u  cmd: x\n--- stdout\na\n", "u@p1$ x\na\n", "u@p1$ x\nu@p1$ y\n[exit 0]\n"):
            with self.assertRaises(transcript.Malformed):
                transcript.read(text)

    def test_every_transcript_and_scene_of_the_tree_can_be_read(self):
        for path in glob.glob(os.path.join(GOLDEN, "data", "*.txt")):
            name = os.path.basename(path)[:-4]
            scene.read(data("scenes", name + ".scene"), lambda other: data("scenes", other + ".scene"))
            if name == "placement":
                self.assertEqual(sum(bool(step.name) for step in placement.parse(data("data", name + ".txt"))), 212)
            else:
                self.assertTrue(transcript.read(data("data", name + ".txt")))


class blocks(unittest.TestCase):
    """Compared with what is printed here; each command finds the next of some answers."""

    def found(self, text, answers, lines=""):
        self.typed, answers = [], iter(answers)

        def type(user, command, given=""):
            self.typed.append((user, command, given))
            out, err, status = next(answers)
            return SimpleNamespace(stdout=out, stderr=err, returncode=status)
        [block] = transcript.read(text)
        return blocks_run.compare_settled(SimpleNamespace(type=type), block, Ids("p1"), scene.read("host p1\n" + lines))

    def test_what_is_to_be_read_is_given(self):
        self.assertEqual(self.found("root@p1$ qmgr   # stdin: 'quit\\n'\nMax\n[exit 0]\n", [("Max\n", "", 0)]), [])
        self.assertEqual(self.typed, [("root", "qmgr", "quit\n")])

    def test_outputs_are_told_apart_unless_they_were_recorded_together(self):
        text, answer = "root@p1$ x\nbad\nMax\n[exit 1]\n", [("Max\n\n", "bad\n", 1)]
        self.assertEqual(self.found(text, answer, "mixed\n"), [])
        self.assertTrue(self.found(text, answer))
        self.assertTrue(self.found(text, [("Max\n", "worse\n", 1)], "mixed\n"))
        self.assertTrue(self.found(text, [("Max\n", "bad\n", 2)], "mixed\n"))

    def test_a_block_that_only_looks_looks_again(self):
        text, answers = "root@p1$ qmgr -c 'list sched'\nidle\n[exit 0]\n", [("scheduling\n", "", 0), ("idle\n", "", 0)]
        self.assertEqual(self.found(text, answers, "settles /list sched/ because a cycle may be under way\n"), [])
        self.assertEqual(len(self.typed), 2)
        self.assertTrue(self.found(text, answers, "settles /list queue/\n"))

    def test_what_an_unset_led_to_is_looked_at(self):
        text = "root@p1$ qmgr -c 'unset server mail_from'\n[exit 0]\n  after:     mail_from = adm || set server mail_from = adm\n"
        unset, printed = ("", "", 0), ("set server mail_from = adm\n", "", 0)
        self.assertEqual(self.found(text, [unset, ("    mail_from = adm\n", "", 0), printed]), [])
        self.assertEqual([command for _, command, _ in self.typed[1:]], ["qmgr -c 'list server'", "qmgr -c 'print server'"])
        self.assertTrue(self.found(text, [unset, ("", "", 0), printed]))


class what_an_unset_led_to(unittest.TestCase):
    """The lines of `list` and `print` with this attribute and no other."""
    LISTED = "Server vm\n    mail_from = adm\n    resources_default.ncpus = 1\n    max_run_res.mem = [u:a=1]\n"
    PRINTED = "set queue workq mail_from = x\nset server mail_from = adm\nset server resources_default.ncpus = 1\n"

    def type(self, user, command):
        return SimpleNamespace(stdout=self.LISTED if "'list " in command else self.PRINTED)

    def test_it_is_their_lines_or_nothing(self):
        for attribute, lines in (("mail_from", "    mail_from = adm || set server mail_from = adm"), ("max_run", afterwards.NOTHING),
                                 ("resources_default", "    resources_default.ncpus = 1 || set server resources_default.ncpus = 1"),
                                 ("resources_default.ncpus", "    resources_default.ncpus = 1 || set server resources_default.ncpus = 1"),
                                 ("max_run_res", "    max_run_res.mem = [u:a=1]")):
            self.assertEqual(afterwards.seen(self, f"qmgr -c 'unset server {attribute}'"), lines)


class reservations(unittest.TestCase):
    def test_their_ids_and_queues_are_those_of_the_run(self):
        ids = Ids("q1")
        ids.learn(512, 3)
        self.assertEqual(ids.to_run("pbs_rdel R512.q1; qsub -q R512 -- x; qdel 512.q1"), "pbs_rdel R3.q1; qsub -q R3 -- x; qdel 3.q1")
        self.assertEqual(ids.to_transcript("R3.q1      R3       pbsuser@ CO "), "R512.q1    R512     pbsuser@ CO ")

    def test_dates_that_are_asked_for_are_moved(self):
        ids = Ids("q1")
        self.assertEqual(ids.to_run("pbs_rsub -R 0118"), "pbs_rsub -R 0118")
        ids.set_clock(datetime(2026, 11, 21, 0, 42, 25), datetime(2027, 1, 1, 12, 0, 0))
        self.assertEqual(ids.to_run("pbs_rsub -R 202611210042.32 -E 0143 -D 25"), "pbs_rsub -R 202701011200.07 -E 1300 -D 25")
        self.assertEqual(ids.to_run("pbs_rsub -R abc -D 10"), "pbs_rsub -R abc -D 10")

    def test_a_date_that_lies_ahead_is_counted_from_now(self):
        before = datetime.now().replace(microsecond=0)
        found = datetime.strptime(Ids("p1").to_run("pbs_rsub -R <+60s>"), "pbs_rsub -R %Y%m%d%H%M.%S")
        self.assertTrue(60 <= (found - before).total_seconds() <= 62)

    def test_times_of_the_table_are_taken_out_and_durations_stay(self):
        row = normal("R512.q1    R512     pbsuser@ CO          Today 00:42 / 25 / Today 00:42      \n")
        self.assertEqual(row, normal("R512.q1    R512     pbsuser@ CO      Fri Nov 20 23:42 / 25 / Sat 00:42        \n"))
        self.assertNotEqual(row, normal("R512.q1    R512     pbsuser@ CO          Today 00:42 / 26 / Today 00:42      \n"))


class what_varies(unittest.TestCase):
    def same(self, one, other):
        self.assertEqual(normal(one), normal(other))

    def differ(self, one, other):
        self.assertNotEqual(normal(one), normal(other))

    def test_times_and_numbers_of_a_run_are_taken_out(self):
        self.same("    ctime = Fri Nov 20 23:18:17 2026\n", "    ctime = Sat Feb  1 03:00:00 2031\n")
        self.same("Job run at Fri Nov 20 at 23:18 on (vm:ncpus=1)", "Job run at Sat Nov 21 at 07:01 on (vm:ncpus=1)")
        self.same("    session_id = 17647\n", "    session_id = 9\n")
        self.same('\t"session_id":\t12094,\n', '\t"session_id":\t7,\n')
        self.same("11/20/2026 23:11:37  L    Job run", "01/02/2030 00:00:00  L    Job run")
        self.same("S;1.vm;qtime=1795222033 start=1795222035 ", "S;1.vm;qtime=1895222033 start=1895222040 ")
        self.assertEqual(normal("etime=0 session=12"), "etime=0 session=<n>")

    def test_what_a_job_used_is_taken_out_but_not_what_it_asked_for(self):
        self.same("    resources_used.mem = 0kb\n", "    resources_used.mem = 1376kb\n")
        self.differ("    Resource_List.mem = 0kb\n", "    Resource_List.mem = 1376kb\n")
        used = '"resources_used":\t{\n\t\t"mem":\t"%s",\n\t\t"ncpus":\t1\n\t},\n"Resource_List":\t{\n\t\t"mem":\t"%s"\n}'
        self.same(used % ("1kb", "4kb"), used % ("2kb", "4kb"))
        self.differ(used % ("1kb", "4kb"), used % ("1kb", "5kb"))

    def test_columns_of_qstat_lose_session_and_times_and_nothing_else(self):
        row = "1.vm            pbsuser  workq    run1       {:>6}   1   1  100mb 00:10 R {}\n"
        self.same(row.format("12094", "00:00"), row.format("35", "00:03"))
        self.differ(row.format("12094", "00:00"), row.format("--", "00:00"))
        row = "1.vm              run1             pbsuser           {} R workq           \n"
        self.same(row.format("00:00:00"), row.format("00:00:12"))
        self.differ(row.format("00:00:00"), row.format("00:00:00").replace("R", "S"))

    def test_a_date_the_user_asked_for_keeps_its_date(self):
        self.differ("    Execution_Time = Thu Dec 31 23:59:00 2026\n", "    Execution_Time = Wed Dec 30 23:59:00 2026\n")
        self.same("    Execution_Time = Thu Dec 31 23:59:00 2026\n", "    Execution_Time = Thu Dec 31 23:59:00 2026\n")


class job_numbers(unittest.TestCase):
    def setUp(self):
        self.ids = Ids("vm")
        self.ids.learn(34, 3)

    def test_commands_and_texts_are_translated(self):
        self.assertEqual(self.ids.to_run("qstat -f 34.vm 35.vm"), "qstat -f 3.vm 35.vm")
        self.assertEqual(self.ids.to_transcript("    Error_Path = vm:/home/u/q1.e3\n"), "    Error_Path = vm:/home/u/q1.e34\n")
        self.assertEqual(self.ids.to_run("qdel '34[].vm'"), "qdel '3[].vm'")
        self.assertEqual(self.ids.to_run("qdel '34[2-5]'; qsig '34[x'"), "qdel '3[2-5]'; qsig '3[x'")

    def test_other_numbers_stay(self):
        self.assertEqual(self.ids.to_run("qalter -p 34 -l walltime=34 1.34.vm"), "qalter -p 34 -l walltime=34 1.34.vm")
        self.assertEqual(self.ids.to_run("sed s/00:34[89]/x/"), "sed s/00:34[89]/x/")

    def test_rows_keep_their_columns(self):
        self.assertEqual(self.ids.to_transcript("3.vm              q1  \n"), "34.vm             q1  \n")


class scenes(unittest.TestCase):
    def test_a_scene_has_hosts_steps_readings_and_reasons(self):
        it = scene.read("include more\nroot: qmgr -c 'x'\nu: qsub -- a -> 4\nwait 4 /state = R/\nbefore 2 next 7\n"
                        "read 8[].vm as 8.vm because no arrays\ndrop /depend=.*/\nwithout 3 because of that\n",
                        lambda name: "host vm p2\n" if name == "more" else "")
        self.assertEqual(it.hosts, ["vm", "p2"])
        self.assertEqual(it.steps, [("run", "root", "qmgr -c 'x'", None), ("run", "u", "qsub -- a", "4"), ("wait", "4", "state = R")])
        self.assertEqual(it.before, {2: [("next", 7)]})
        self.assertEqual(it.without, {3: "of that"})
        self.assertFalse(it.moves_clock())
        moved = scene.read("host vm\nbefore 3 ahead 40 R5.vm\n")
        self.assertEqual((moved.before, moved.moves_clock()), ({3: [("ahead", 40, "R5.vm")]}, True))
        two = scene.read("host vm\nread b = as a = 1\\nb =\n")
        self.assertEqual(scene.reread("b = 2\n", two), "a = 1\nb = 2\n")
        self.assertEqual(scene.reread("8[].vm   arr\nx 8[].vm y\ndepend=1\n", it), "8.vm     arr\nx 8.vm y\n\n")

    def test_an_unknown_line_is_refused(self):
        for text in ("host vm\ndance\n", "root: qstat\n", "host vm\nwait 4 R\n"):
            with self.assertRaises(scene.Malformed):
                scene.read(text)


class verdicts(unittest.TestCase):
    passed, failed = report.Outcome("1", "qstat", []), report.Outcome("2", "qdel", ["  differs"])

    def verdict(self, *outcomes, listed=None):
        return report.summary("f", outcomes, listed or {})

    def test_an_unlisted_failure_fails(self):
        text, ok = self.verdict(self.passed, self.failed)
        self.assertFalse(ok)
        self.assertIn("f 2: FAILED: qdel", text)

    def test_a_listed_failure_is_fine(self):
        self.assertTrue(self.verdict(self.passed, self.failed, listed={"2": "because"})[1])

    def test_a_listed_block_that_passes_or_does_not_exist_fails(self):
        self.assertFalse(self.verdict(self.passed, listed={"1": "because"})[1])
        self.assertFalse(self.verdict(self.passed, listed={"9": "because"})[1])

    def test_texts_that_differ_in_a_blank_differ(self):
        self.assertTrue(report.differences("stderr", "a \n", "a\n"))
        self.assertTrue(report.differences("stdout", "a\n", "a"))
        self.assertFalse(report.differences("stdout", "a\n", "a\n"))

    def test_the_list_gives_the_reasons_of_one_file(self):
        self.assertEqual(report.read_expected("# x\nf 2 because of it\ng 3 y\n", "f"), {"2": "because of it"})
        for text in ("f 2\n", "f 2 a\nf 2 b\n"):
            with self.assertRaises(ValueError):
                report.read_expected(text, "f")


if __name__ == "__main__":
    unittest.main()
