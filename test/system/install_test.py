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
        self.completions_are_found(prefix)

    def completions_are_found(self, prefix):
        """By bash-completion under the name of a command, by an interactive shell with pbs.sh, by zsh in its directory."""
        said = "complete -F __annals_complete qstat\n"
        self.assertEqual(self.call("bash", "-c", f". {prefix}/share/bash-completion/completions/qstat; complete -p qstat"), said)
        conf = os.path.join(prefix, "pbs.conf")
        with open(conf, "w") as f:
            f.write(f"PBS_EXEC={prefix}\n")
        script = f"export PBS_CONF_FILE={conf}; . {prefix}/etc/pbs.sh; complete -p qstat"
        self.assertEqual(self.call("bash", "--norc", "-i", "-c", script), said)
        self.assertEqual(self.call("bash", "-c", script + " 2>/dev/null || true"), "")
        with open(os.path.join(prefix, "share", "zsh", "site-functions", "_annals")) as f:
            self.assertIn(" qstat ", f.readline())

    def test_login_shells_find_the_commands(self):
        """pbs guide: job environment; the transcript's PATH and MANPATH. Once only, and nothing without a pbs.conf."""
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
            conf.write("PBS_SERVER=s\n# PBS_EXEC=/no\nPBS_EXEC=/opt/pbs\n")
            conf.flush()
            sbin = ":/opt/pbs/sbin" if os.geteuid() == 0 else ""
            for shell, script in (("sh", ". {}/etc/pbs.sh"), ("csh", "source {}/etc/pbs.csh")):
                if not shutil.which(shell):
                    continue
                twice = "; ".join([script.format(STAGE)] * 2 + ["echo $PATH; echo $MANPATH"])
                for file, said in ((conf.name, f"/usr/bin:/bin:/opt/pbs/bin{sbin}\n:/opt/pbs/share/man\n"), ("/no/such", "/usr/bin:/bin\n\n")):
                    flags = ["-f"] if shell == "csh" else []
                    environment = {"PATH": "/usr/bin:/bin", "PBS_CONF_FILE": file, **({"MANPATH": ""} if shell == "csh" else {})}
                    done = subprocess.run([shell, *flags, "-c", twice], env=environment, capture_output=True, text=True)
                    self.assertEqual((done.stdout, done.stderr), (said, ""), shell)
                environment = {"PATH": "/usr/bin:/bin", "PBS_CONF_FILE": "/no/such", "PBS_EXEC": "/usr/pbs", "MANPATH": ""}      # of a job
                done = subprocess.run([shell, *flags, "-c", twice], env=environment, capture_output=True, text=True)
                self.assertEqual(done.stdout.split("\n")[0], f"/usr/bin:/bin:/usr/pbs/bin{sbin.replace('opt', 'usr')}", shell)

    def call(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout[-2000:]}{done.stderr}")
        return done.stdout


if __name__ == "__main__":
    unittest.main(verbosity=2)
