"""A log or an accounting file that was damaged is noticed (docs/howto/a_damaged_log.md)."""
import glob
import os
import unittest

from private_cluster import ClusterTest


class damage_is_noticed(ClusterTest):
    def priv(self, *names):
        return os.path.join(self.home(), "server_priv", *names)

    def audit_done(self, *arguments):
        return self.run_command("pbs_audit", "--log", self.priv("log"), *arguments)

    def checkpoint(self):
        with open(self.priv("views", "accounting")) as f:
            return f.read()

    def run_two_jobs(self):
        for _ in range(2):
            id = self.submit("-S", "/bin/sh", input="exit 0\n")
            self.until_state(id, "F")
            self.until_recorded(id, "QSE")

    def test_a_cut_accounting_file_is_told_at_the_start_and_rebuilt(self):
        self.run_two_jobs()
        checked = self.audit_done("accounting", "--check")
        self.assertEqual(checked.status, 0, checked)
        file = max(glob.glob(self.priv("accounting", "2*")))
        self.until(lambda: f" {os.path.basename(file)} {os.path.getsize(file)} " in self.checkpoint(),
                   lambda: f"the checkpoint has all of it: {self.checkpoint()}")
        self.kill_daemon("pbs_server")
        rebuilt = os.path.join(self.top, "rebuilt")
        self.assertEqual(self.audit_done("accounting", "--rebuild", rebuilt).status, 0)
        day = os.path.basename(file)
        with open(file) as f:
            whole = f.read()
        with open(os.path.join(rebuilt, day)) as f:
            self.assertEqual(f.read(), whole)
        os.truncate(file, 10)
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_logged(f"accounting: files are not as they were written: {day} has 10 bytes")
        checked = self.audit_done("accounting", "--check")
        self.assertEqual(checked.status, 1, checked)
        self.assertIn(f"{day}: ", checked.out)

    def test_a_damaged_file_of_the_log_is_found_and_status_works_beside_the_server(self):
        self.run_two_jobs()
        status = self.audit_done("status")
        self.assertIn("last record         #", status.out, status)
        self.assertEqual(self.audit_done("verify").status, 0)
        self.kill_daemon("pbs_server")
        # A young log has no table yet: all of it is in the store's own log.
        file = max(glob.glob(self.priv("log", "*.sst")) or glob.glob(self.priv("log", "*.log")), key=os.path.getsize)
        with open(file, "r+b") as f:
            f.seek(os.path.getsize(file) // 4)
            byte = f.read(1)
            f.seek(-1, os.SEEK_CUR)
            f.write(bytes([byte[0] ^ 0x10]))
        verified = self.audit_done("verify")
        self.assertEqual(verified.status, 1, verified)
        self.assertIn("DAMAGED", verified.out)


if __name__ == "__main__":
    unittest.main()
