"""The Python module pbs_ifl on a real cluster: its calls, its structures, its errors, in this process."""
import os
import re
import threading
import time
from unittest import main, mock

from private_cluster import ClusterTest, STAGE

import pbs_ifl
from pbs_ifl import *  # noqa: F403  as programs do


class the_module(ClusterTest):
    def setUp(self):
        super().setUp()
        patched = mock.patch.dict(os.environ, self.environment())
        patched.start()
        self.addCleanup(patched.stop)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.work)                 # where the output of jobs goes
        self.sure("qmgr", "-c", "set server acl_roots = root")
        self.c = pbs_connect(None)  # noqa: F405
        self.assertGreater(self.c, 0)
        self.addCleanup(pbs_ifl.pbs_disconnect, self.c)

    def submitted(self, *attributes):
        first = None
        for name, resource, value in attributes:
            first = attropl(name=name, resource=resource, value=value, next=first)  # noqa: F405
        script = os.path.join(self.work, "script")
        with open(script, "w") as f:
            f.write("#!/bin/sh\nsleep 1000\n")
        id = pbs_submit(self.c, first, script, None, None)  # noqa: F405
        self.assertIsNotNone(id, pbs_ifl.pbs_geterrmsg(self.c))
        return id

    def shown(self, id, extend=None):
        status = pbs_ifl.pbs_statjob(self.c, id, None, extend)
        return {(a.name, a.resource): a.value for a in status.attribs} if status else None

    def test_a_job_from_its_submission_to_its_deletion(self):
        self.assertEqual(pbs_ifl.pbs_server, pbs_ifl.pbs_default())
        id = self.submitted((pbs_ifl.ATTR_N, None, "from_python"), (pbs_ifl.ATTR_l, "walltime", "00:10:00"), (pbs_ifl.ATTR_h, None, "u"))
        status = pbs_ifl.pbs_statjob(self.c, id, attrl(name=pbs_ifl.ATTR_N, next=attrl(name=pbs_ifl.ATTR_state)), None)  # noqa: F405
        self.assertEqual((status.name, status.text, status.next), (id, None, None))
        self.assertEqual(sorted((a.name, a.resource, a.value, a.op) for a in status.attribs),
                         [(pbs_ifl.ATTR_N, None, "from_python", pbs_ifl.SET), (pbs_ifl.ATTR_state, None, "H", pbs_ifl.SET)])
        pbs_ifl.pbs_statfree(status)
        self.assertEqual(status.name, id)        # it belongs to Python
        self.assertEqual(self.shown(id)[pbs_ifl.ATTR_l, "walltime"], "00:10:00")

        change = attrl()  # noqa: F405
        change.name, change.resource, change.value = pbs_ifl.ATTR_l, "walltime", "00:20:00"
        change.next = attrl(name=pbs_ifl.ATTR_p, value="7")  # noqa: F405
        self.assertEqual(pbs_ifl.pbs_alterjob(self.c, id, change, None), 0)
        shown = self.shown(id)
        self.assertEqual((shown[pbs_ifl.ATTR_l, "walltime"], shown[pbs_ifl.ATTR_p, None]), ("00:20:00", "7"))

        queued = self.submitted((pbs_ifl.ATTR_N, None, "other"))
        wanted = attropl(name=pbs_ifl.ATTR_state, value="H", op=pbs_ifl.EQ)  # noqa: F405
        self.assertEqual(pbs_ifl.pbs_selectjob(self.c, wanted, None), [id])
        self.assertEqual([j.name for j in pbs_ifl.pbs_selstat(self.c, wanted, None, None)], [id])
        self.assertEqual(sorted(j.name for j in pbs_ifl.pbs_statjob(self.c, None, None, None)), sorted([id, queued]))
        self.assertEqual(pbs_ifl.pbs_locjob(self.c, id), id.split(".", 1)[1])

        self.assertEqual(pbs_ifl.pbs_rlsjob(self.c, id, pbs_ifl.USER_HOLD, None), 0)
        self.until_running(id)
        self.assertEqual(pbs_ifl.pbs_sigjob(self.c, id, "suspend", None), 0)
        self.assertEqual(self.shown(id)[pbs_ifl.ATTR_state, None], "S")
        self.assertEqual(pbs_ifl.pbs_deljob(self.c, id, pbs_ifl.FORCE), 0)
        self.until_state(id, "F")
        self.assertEqual(self.shown(id, "x")[pbs_ifl.ATTR_state, None], "F")
        failed = pbs_ifl.pbs_deljoblist(self.c, [queued, "99999"], 2, None)
        self.assertEqual([(f.name, f.code) for f in failed], [("99999", pbs_ifl.PBSE_UNKJOBID)])

    def test_errors(self):
        self.assertIsNone(pbs_ifl.pbs_statjob(self.c, "99999", None, None))
        self.assertEqual((pbs_ifl.pbs_errno, pbs_ifl.pbs_geterrmsg(self.c)), (pbs_ifl.PBSE_UNKJOBID, "Unknown Job Id"))
        seen = []
        other = threading.Thread(target=lambda: seen.append((pbs_ifl.pbs_errno, pbs_ifl.pbs_server)))
        other.start()
        other.join()
        self.assertEqual(seen, [(0, None)])
        self.assertIsNone(pbs_ifl.pbs_submit(self.c, attropl(name="nosuch", value="1"), None, None, None))  # noqa: F405
        errors = pbs_ifl.pbs_get_attribute_errors(self.c)
        self.assertEqual([(e.ecl_attribute.name, e.ecl_attribute.value, e.ecl_errcode) for e in errors.ecl_attrerr],
                         [("nosuch", "1", pbs_ifl.PBSE_NOATTR)])
        self.assertEqual(errors.ecl_numerrors, 1)
        self.assertEqual(pbs_ifl.pbs_connect("no-such-host.invalid"), -1)
        self.assertEqual(pbs_ifl.pbse_to_txt(pbs_ifl.PBSE_UNKQUE), "Unknown queue")
        with self.assertRaises(TypeError):
            pbs_ifl.pbs_deljob(self.c)
        with self.assertRaises(AttributeError):
            pbs_ifl.no_such_call
        self.assertEqual(pbs_ifl.pbs_stagein(self.c, "1", None, None), pbs_ifl.PBSE_NOSUP)
        self.assertEqual(pbs_ifl.pbs_confirmresv(self.c, "R1", None, 0, None), pbs_ifl.PBSE_NOSUP)
        self.assertEqual(pbs_ifl.pbs_rescreserve(self.c, ["nodes"]), (pbs_ifl.PBSE_NOSUP, None))
        self.assertEqual(pbs_ifl.pbs_rescrelease(self.c, 1), pbs_ifl.PBSE_NOSUP)
        self.assertIsNone(pbs_ifl.pbs_preempt_jobs(self.c, ["1"]))
        self.assertEqual(pbs_ifl.pbs_errno, pbs_ifl.PBSE_NOSUP)

    def test_objects_are_managed_and_shown(self):
        set_up = attropl("queue_type", "e", next=attropl("enabled", "True", next=attropl("started", "True")))  # noqa: F405
        self.assertEqual(pbs_ifl.pbs_manager(self.c, pbs_ifl.MGR_CMD_CREATE, pbs_ifl.MGR_OBJ_QUEUE, "pq", set_up, None), 0)
        names = lambda status: [s.name for s in status]
        self.assertIn("pq", names(pbs_ifl.pbs_statque(self.c, None, None, None)))
        self.assertEqual(names(pbs_ifl.pbs_statnode(self.c, "", None, None)), ["a"])
        self.assertEqual(names(pbs_ifl.pbs_statvnode(self.c, "a", None, None)), ["a"])
        self.assertEqual(names(pbs_ifl.pbs_statrsc(self.c, "ncpus", None)), ["ncpus"])
        self.assertEqual(names(pbs_ifl.pbs_statsched(self.c, None, None)), ["default"])
        self.assertEqual(len(names(pbs_ifl.pbs_statserver(self.c, None, None))), 1)
        self.assertEqual(pbs_ifl.pbs_rescquery(self.c, ["nodes"]), (0, [1], [0], [0], [0]))
        self.assertEqual(pbs_ifl.pbs_rescquery(self.c, ["tapes"]), (pbs_ifl.PBSE_UNKRESC, None, None, None, None))
        start = attropl(pbs_ifl.ATTR_resv_start, str(int(time.time()) + 86400),  # noqa: F405
                        next=attropl(pbs_ifl.ATTR_resv_duration, "60", next=attropl(pbs_ifl.ATTR_l, "1", "ncpus")))  # noqa: F405
        id = pbs_ifl.pbs_submit_resv(self.c, start, None)
        self.assertEqual(names(pbs_ifl.pbs_statresv(self.c, id, None, None)), [id])
        self.assertEqual(pbs_ifl.pbs_delresv(self.c, id, None), 0)
        self.assertIsNone(pbs_ifl.pbs_stathook(self.c, "nosuch", None, None))

    def test_it_has_every_call_and_constant_of_the_headers(self):
        text = ""
        for header in ("pbs_ifl.h", "pbs_error.h"):
            with open(os.path.join(STAGE, "include", header)) as f:
                text += f.read()
        calls = set(re.findall(r"\b(pbse?_\w+)\((?!3\))", text)) - {"pbs_errno_location", "pbs_server_location"}
        self.assertGreater(len(calls), 45)
        self.assertEqual([n for n in sorted(calls) if not callable(getattr(pbs_ifl, n, None))], [])
        constants = set(re.findall(r"(?m)^#define (\w+) ", text)) - {"pbs_errno", "pbs_server"}
        self.assertEqual([n for n in sorted(constants) if n not in pbs_ifl.__all__], [])
        self.assertEqual((pbs_ifl.PBS_MAXSVRJOBID, pbs_ifl.ATTR_N, pbs_ifl.DFLT, pbs_ifl.PBSE_NOTARRAY_ATTR), (269, "Job_Name", 10, 15231))


if __name__ == "__main__":
    main()
