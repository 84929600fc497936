"""Routing queues: jobs go to the first queue that takes them, wait while none does, and none is lost or doubled when the server is killed."""
import os
import re
import unittest

from private_cluster import ClusterTest, attributes

REJECTED = "Job rejected by all possible destinations"


class routing(ClusterTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.sure("qmgr", "-c", "set server scheduling = False, acl_roots = root, job_history_enable = True")
        self.sure("qmgr", "-c", "create queue short queue_type=e, enabled=t, started=t, resources_max.walltime=01:00:00")
        self.sure("qmgr", "-c", "create queue long queue_type=e, enabled=t, started=t, from_route_only=t")
        self.sure("qmgr", "-c", "create queue rq queue_type=r, enabled=t, started=t, route_destinations='short,long', route_retry_time=1")

    def set(self, queue, setting):
        self.sure("qmgr", "-c", f"set queue {queue} {setting}")

    def queue_of(self, id):
        return self.job(id)["queue"]

    def until_in(self, queue, *ids):
        self.until(lambda: all(self.queue_of(id) == queue for id in ids), f"{ids} are in {queue}")

    def waiting_job(self, *options):
        return self.submit("-q", "rq", *options, "--", "/bin/true")

    def queued_in(self, id):
        """Of the accounting's Q records of a job the queues."""
        return [re.search(r" queue=(\S+)", rest).group(1) for letter, of, rest in self.accounting() if (letter, of) == ("Q", id)]

    def until_recorded_in(self, id, *queues):
        """Accounting follows what clients are told."""
        self.until(lambda: self.queued_in(id) == list(queues), lambda: f"{id} was queued in {queues}: {self.queued_in(id)}")

    def test_a_job_goes_to_the_first_queue_that_takes_it_and_runs(self):
        first, second = self.waiting_job(), self.waiting_job("-l", "walltime=02:00:00")
        self.until_in("short", first)
        self.until_in("long", second)
        self.until_recorded_in(first, "rq", "short")
        self.until_recorded_in(second, "rq", "long")
        self.assertEqual(self.job(first)["queue_type"], "E")
        self.sure("qmgr", "-c", "set server scheduling = True")
        self.until_recorded(first, "QQSE")

    def test_default_queue_and_chains(self):
        self.sure("qmgr", "-c", "create queue front queue_type=r, enabled=t, started=t, route_destinations=rq")
        self.sure("qmgr", "-c", "set server default_queue = front")
        id = self.submit("--", "/bin/true")
        self.until_in("short", id)

    def test_who_comes_in_by_himself(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        done = self.run_command("qsub", "-q", "long", "--", "/bin/true", user=65534, group=65534, extra_groups=[])
        self.assertEqual((done.status, done.err), (15022 % 256, "qsub: Access to queue is denied\n"))
        self.set("rq", "route_destinations = nosuchq")
        done = self.run_command("qsub", "-q", "rq", "--", "/bin/true")
        self.assertEqual((done.status, done.err), (191, f"qsub: {REJECTED}\n"))

    def test_held_jobs_wait_in_a_routing_queue_and_nobody_runs_them(self):
        held = self.waiting_job("-h")
        self.set("rq", "started = False")
        id = self.waiting_job()
        self.assertEqual((self.job(id)["job_state"], self.job(id)["queue_type"], "etime" in self.job(id)), ("Q", "R", False))
        self.assertEqual(self.run_command("qrun", id).err, f"qrun: Request invalid for state of job {id}\n")
        self.set("rq", "started = True")
        self.until_in("short", id)
        self.assertEqual(self.queue_of(held), "rq")
        self.sure("qrls", held)
        self.until_in("short", held)

    def test_a_full_queue_is_passed_over_and_tried_again(self):
        self.set("short", "max_queued = [o:PBS_ALL=1]")
        self.set("long", "max_queued = [o:PBS_ALL=1]")
        first = self.waiting_job()
        self.until_in("short", first)
        second = self.waiting_job()
        self.until_in("long", second)
        third = self.waiting_job()
        self.assertEqual(self.queue_of(third), "rq")
        self.sure("qdel", second)
        self.until_in("long", third)

    def test_what_nobody_will_ever_take_ends(self):
        self.set("short", "enabled = False")
        id = self.waiting_job("-l", "walltime=00:30:00")
        self.until_in("long", id)
        self.set("long", "enabled = False")
        id = self.waiting_job()
        self.assertEqual(self.queue_of(id), "rq")
        self.set("rq", "route_destinations = nosuchq")
        self.until_recorded(id, "QA")
        self.assertEqual([rest for letter, of, rest in self.accounting() if (letter, of) == ("A", id)], [REJECTED])
        shown = attributes(self.sure("qstat", "-xf", id))
        self.assertEqual((shown["job_state"], shown["comment"]), ("F", REJECTED))
        self.until_logged(f";{id};{REJECTED}")

    def test_where_queues_lead_nowhere_a_job_waits_and_says_so(self):
        why = lambda id: self.sure("qstat", "--why", id)
        self.set("rq", "route_destinations = rq")
        id = self.waiting_job()
        self.assertIn(" waits in routing queue rq.\n  It has nowhere to go: ", why(id))
        self.sure("qmgr", "-c", "create queue r2 queue_type=r, enabled=t, started=t, route_destinations=rq")
        self.set("rq", "route_destinations = r2")
        self.assertIn("  Destination r2 leads back, and is passed over.\n", why(id))
        self.assertEqual(self.job(id)["queue"], "rq")
        self.set("rq", "route_destinations += short")
        self.until_in("short", id)
        self.until_recorded_in(id, "rq", "short")

    def test_a_job_that_no_queue_takes_says_why(self):
        self.set("long", "enabled = False")
        id = self.waiting_job("-l", "walltime=02:00:00")
        told = self.sure("qstat", "--why", id)
        self.assertIn("\n  Destination short refuses it for good: ", told)
        self.assertIn("\n  Destination long refuses it now: Queue is not enabled.\n", told)
        self.assertIn("\n  It is tried again every second (route_retry_time).\n", told)
        self.set("rq", "started = False")
        stopped = f"{id} waits in routing queue rq.\n  Queue rq is not started: it routes no job.\n"
        self.assertEqual(self.sure("qstat", "--why", id), stopped)

    def test_its_time_there_ends(self):
        self.set("rq", "route_lifetime = 1")
        id = self.waiting_job("-h")
        self.until_recorded(id, "QA")
        self.assertIn("Route queue lifetime exceeded", self.sure("qstat", "-xf", id))

    def test_none_is_lost_or_doubled_whenever_the_server_is_killed(self):
        self.set("short", "enabled = False")
        self.set("long", "enabled = False")
        ids = [self.waiting_job() for _ in range(30)]
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual({self.queue_of(id) for id in ids}, {"rq"})
        self.set("short", "enabled = True")
        self.until(lambda: any(self.queue_of(id) == "short" for id in ids), "they begin to leave")
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_in("short", *ids)
        for id in ids:
            self.until_recorded_in(id, "rq", "short")


if __name__ == "__main__":
    unittest.main()
