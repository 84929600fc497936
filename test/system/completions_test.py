"""What TAB offers in bash and zsh: options of each command, and what the server has."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from private_cluster import STAGE, ClusterTest
from screen import Screen

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPLETIONS = os.path.join(ROOT, "cluster-config", "packaging", "completions")
# As bash calls it: the command, the word at the end, the word before.
ASK_BASH = """
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
word=${COMP_WORDS[COMP_CWORD]}
case $word in [=:]) word= ;; \\'*) word=${word#?} ;; esac
__annals_complete "$1" "$word" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# Of a zsh at a terminal: TAB prints each word that fits, and END.
ZSHRC = """
PROMPT=
fpath=(%s $fpath)
autoload -Uz compinit
compinit -u -D
bindkey '^I' complete-word
compadd() {
  local -a __fitting
  builtin compadd -O __fitting "$@"
  print -rl -- "<"$^__fitting">"
  builtin compadd "$@"
}
ended() { print -r -- E''ND; }
comppostfuncs=(ended)
print -r -- READ''Y
"""


class the_tables_of_the_completions(unittest.TestCase):
    def test_they_are_what_the_commands_and_their_pages_say(self):
        done = subprocess.run([sys.executable, "-B", os.path.join(COMPLETIONS, "make_completions.py"), "--stage", STAGE, "--check"],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


def bash(environment, *words):
    done = subprocess.run(["bash", "--norc", "-c", ASK_BASH, "bash", os.path.join(COMPLETIONS, "annals.bash"), *words], env=environment,
                          capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout.split("\n")[:-1] if done.stdout.strip() else []


class without_a_server(unittest.TestCase):
    environment = {"PATH": f"{STAGE}/bin:{STAGE}/sbin:/usr/bin:/bin", "PBS_CONF_FILE": "/dev/null", "PBS_HOME": "/dev/null/none"}

    def ask(self, *words):
        return bash(self.environment, *words)

    def test_options_are_offered_and_nothing_is_said(self):
        self.assertEqual(self.ask("qdel", "-"), ["--version", "-W", "-x"])
        self.assertEqual(self.ask("/opt/pbs/bin/qdel", "--v"), ["--version"])
        self.assertEqual(self.ask("qstat", "--w"), ["--why"])
        for words in (["qdel", ""], ["qstat", ""], ["qmove", ""], ["pbsnodes", ""], ["pbs_rdel", ""], ["tracejob", ""], ["qsub", "-q", ""]):
            self.assertEqual(self.ask(*words), [], words)

    def test_values_that_are_words(self):
        self.assertEqual(self.ask("qstat", "-f", "-F", ""), ["json", "dsv"])
        self.assertEqual(self.ask("qstat", "-fF", "j"), ["json"])
        self.assertEqual(self.ask("qterm", "-t", "q"), ["quick"])
        self.assertEqual(self.ask("qsub", "-j", "o"), ["oe"])
        self.assertEqual(self.ask("qsig", "-s", "s"), ["suspend"])
        self.assertIn("USR1", self.ask("qsig", "-s", "U"))
        self.assertEqual(self.ask("qsub", "-W", "dep"), ["depend="])
        self.assertEqual(self.ask("qsub", "-W", "depend", "=", "af"), [])

    def test_resources_of_a_request(self):
        self.assertEqual(self.ask("qsub", "-l", "wall"), ["walltime="])
        self.assertEqual(self.ask("qsub", "-l", "select", "=", "1", ":", "ncp"), ["ncpus="])
        self.assertEqual(self.ask("qsub", "-l", "select", "=", "1", ":", "ncpus", "=", "2,wall"), ["2,walltime="])
        self.assertEqual(self.ask("qsub", "-l", "ncpus", "="), [])

    def test_subcommands(self):
        self.assertEqual(self.ask("pbs_audit", "sa"), ["salvage"])
        self.assertEqual(self.ask("pbs_audit", "--log", "/x", "usage", "--p"), ["--plot"])
        self.assertEqual(self.ask("pbs_minicluster", "kill", "s"), ["server", "sched"])
        self.assertEqual(self.ask("pbs_habitat", "m"), ["mom"])

    def test_files_programs_and_users(self):
        self.assertEqual(self.ask("qsub", os.path.join(COMPLETIONS, "annals")), [os.path.join(COMPLETIONS, "annals.bash")])
        self.assertIn("pbs_tmrsh", self.ask("pbsdsh", "--", "pbs_tmrs"))
        self.assertIn("pbs_tmrsh", self.ask("qsub", "--", "pbs_tmrs"))
        self.assertIn("root", self.ask("qselect", "-u", "roo"))

    def test_commands_of_qmgr(self):
        self.assertEqual(self.ask("qmgr", "-c", "'cr"), ["create ", "create  "])       # two: the quotes stay open
        self.assertEqual(self.ask("qmgr", "-c", "'set q"), ["set queue ", "set queue  "])
        self.assertEqual(self.ask("qmgr", "-c", "'set queue @d"), ["set queue @default ", "set queue @default  "])
        self.assertEqual(self.ask("qmgr", "-c", "'set queue q1 route_dest")[0], "set queue q1 route_destinations ")
        self.assertEqual(self.ask("qmgr", "-c", "'set queue q1 enabled=t,star")[0], "set queue q1 enabled=t,started ")
        self.assertEqual(self.ask("qmgr", "-c", "'unset server job_history_e")[0], "unset server job_history_enable ")


class with_a_server(ClusterTest):
    def environment(self):
        return {**super().environment(), "ANNALS_COMPLETION_S": "60"}      # this machine may be busy

    def test_names_are_the_servers(self):
        self.sure("qmgr", "-c", "create queue long queue_type=e,enabled=t,started=t")
        self.sure("qmgr", "-c", "create resource licences type=long,flag=q")
        id = self.submit("-h", "--", "/bin/true")
        self.assertEqual(bash(self.environment(), "qdel", ""), [id])
        self.assertEqual(bash(self.environment(), "qstat", "-f", ""), ["workq", "long", id])
        self.assertEqual(bash(self.environment(), "qstat", "-Q", "l"), ["long"])
        self.assertEqual(bash(self.environment(), "qmove", ""), ["workq", "long"])
        self.assertEqual(bash(self.environment(), "qmove", "long", ""), [id])
        self.assertEqual(bash(self.environment(), "qsub", "-q", "l"), ["long"])
        self.assertEqual(bash(self.environment(), "qsub", "-l", "lic"), ["licences="])
        self.assertEqual(bash(self.environment(), "pbsnodes", "-v", ""), ["a"])
        self.assertEqual(bash(self.environment(), "qmgr", "-c", "'list sched d"), ["list sched default ", "list sched default  "])
        self.assertEqual(bash(self.environment(), "qmgr", "-c", "'set node a,"), ["set node a,a ", "set node a,@default "])
        self.sure("qdel", id)
        self.assertEqual(bash(self.environment(), "qdel", ""), [])
        self.assertEqual(bash(self.environment(), "qdel", "-x", ""), [id])
        self.assertEqual(bash(self.environment(), "pbs_audit", "job", ""), [id])

    def test_a_server_that_hangs_is_not_waited_for(self):
        self.submit("-h", "--", "/bin/true")
        self.cluster.pause("server")
        self.assertEqual(bash({**self.environment(), "ANNALS_COMPLETION_S": "1"}, "qdel", ""), [])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_offers_the_same(self):
        with open(os.path.join(self.work, ".zshrc"), "w") as f:
            f.write(ZSHRC % COMPLETIONS)
        id = self.submit("-h", "--", "/bin/true")
        for typed, offered in (("qdel ", id), ("qsub -q w", "workq"), ("pbsnodes ", "a"), ("qstat -f -F ", "json"),
                               ("qsub -l wallt", "walltime"), ("pbs_audit jo", "job"), ("pbs_audit job ", id), ("qmgr -c 'cre", "create")):
            screen = Screen(self, "zsh", "-d", "-i", environment={"ZDOTDIR": self.work, "TERM": "dumb"})
            screen.expect("READY")
            screen.type(typed + "\t")
            screen.expect("END")
            self.assertIn(f"<{offered}>", screen.text, typed)

    def test_at_a_terminal_bash_writes_what_fits(self):
        id = self.submit("-h", "--", "/bin/true")
        quiet = os.path.join(self.work, "inputrc")
        with open(quiet, "w") as f:
            f.write("set bell-style none\nset enable-bracketed-paste off\n")
        screen = Screen(self, "bash", "--norc", "-i", environment={"PS1": "$ ", "INPUTRC": quiet})
        screen.line(f". {COMPLETIONS}/annals.bash")
        screen.line("echo READ''Y")
        screen.expect("READY")
        for typed, written in (("qdel ", f"qdel {id} "), ("qmgr -c 'list ser", "qmgr -c 'list server "),
                               ("qstat -Qf wo", "qstat -Qf workq "), ("qsub -l wallt", "qsub -l walltime=")):
            screen.text = ""
            screen.type(typed + "\t")
            screen.expect(re.escape(written))
            self.assertNotIn(written + "'", screen.text)
            screen.type("\x15")     # forget the line


if __name__ == "__main__":
    unittest.main(verbosity=2)
