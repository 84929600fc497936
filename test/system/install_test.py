"""`cmake --install` puts the same tree anywhere, and it runs from there."""
import os
import shutil
import subprocess
import tempfile
import unittest

from private_cluster import STAGE


class an_installed_tree(unittest.TestCase):
    def test_it_runs_a_job_from_where_it_was_put(self):
        top = tempfile.mkdtemp(prefix="annals.", dir="/tmp")
        self.addCleanup(shutil.rmtree, top, True)
        prefix, cluster = os.path.join(top, "pbs"), os.path.join(top, "c")
        self.call("cmake", "--install", os.path.dirname(STAGE), "--prefix", prefix)
        minicluster = os.path.join(prefix, "bin", "pbs_minicluster")
        self.addCleanup(subprocess.run, [minicluster, "down", "--dir", cluster])
        self.call(minicluster, "up", "--dir", cluster, "--hosts", "a", "--plain")
        said = self.call("bash", "-c", f'eval "$({minicluster} env --dir {cluster})"; cd {top}; command -v qsub; '
                                       "qsub -W block=true -o /dev/null -j oe -- /bin/true; echo ended $?")
        self.assertEqual(said, f"{prefix}/bin/qsub\n0.server\nended 0\n")

    def call(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout[-2000:]}{done.stderr}")
        return done.stdout


if __name__ == "__main__":
    unittest.main(verbosity=2)
