"""A cluster with hooks on its hosts that note where they ran, for tests of what they see, refuse and set."""
import os

from hooks_test import HookTest

WIDE = ["-l", "select=3:ncpus=1", "-l", "place=scatter"]
STARTED = "execjob_begin,execjob_prologue,execjob_launch"
ENDED = "execjob_epilogue,execjob_end,execjob_abort"


class Gate:
    """Whoever comes to it waits until it is opened, and does not wait after that."""

    def __init__(self, path):
        self.path = path
        self.is_open = False
        os.mkfifo(path)
        os.chmod(path, 0o666)

    def pass_it(self):
        """A line of Python that does not end while it is shut: nobody writes to what is opened for reading."""
        return f"open({self.path!r}).close()"

    def open(self):
        if not self.is_open:
            os.open(self.path, os.O_RDWR)      # until this process ends
        self.is_open = True


class MomHookTest(HookTest):
    hosts = ["a", "b", "c"]

    def setUp(self):
        super().setUp()
        self.said = os.path.join(self.work, "said")
        open(self.said, "w").close()
        os.chmod(self.said, 0o666)

    def script(self, then="", says="''"):
        """A script that notes that it ran, where, and whatever else, then goes on."""
        return ("import os, pbs\n"
                "e, host = pbs.event(), pbs.get_local_nodename()\n"
                "def note(text):\n"
                f"    with open({self.said!r}, 'a') as f:\n"
                "        f.write(text + '\\n')\n"
                "name = [n for n in dir(pbs) if n.startswith('HOOK_EVENT_') and getattr(pbs, n) == e.type][0][11:].lower()\n"
                f"note((name + ' ' + host + ' ' + str({says})).strip())\n" + then)

    def mom_hook(self, name, event, script, config=None, hosts=None, **settings):
        """On every host before it returns."""
        self.hook(name, event, script, config, **settings)
        for host in hosts or self.hosts:
            self.until_hooks_are_on(host, name + ".HK", name + ".PY")

    def lines(self):
        with open(self.said) as f:
            return f.read().splitlines()

    def until_said(self, *lines):
        self.until(lambda: set(lines) <= set(self.lines()), lambda: f"{lines}: {self.lines()}")

    def vnode(self, name):
        return self.run_command("pbsnodes", "-v", name).out

    def gate(self):
        gate = Gate(os.path.join(self.work, "gate"))
        self.addCleanup(gate.open)             # nobody is left waiting
        return gate
