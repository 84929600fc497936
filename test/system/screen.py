"""Somebody who sits at a terminal, and at an interactive job: what tests of qsub -I share."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from private_cluster import DEADLINE_S, ClusterTest

TIOCGPTN = 0x80045430     # Python has no name for it


class Screen:
    """A process at a terminal of its own, and somebody who types."""

    def __init__(self, test, *command, rows=30, columns=100, environment=None):
        self.test, self.text = test, ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.chdir(test.work)
                os.execvpe(command[0], command, {**test.environment(), "TERM": "xterm", **(environment or {})})
            finally:
                os._exit(127)
        self.status = None
        test.addCleanup(self.leave)

    def leave(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.ended()
        os.close(self.fd)

    def type(self, text):
        os.write(self.fd, text.encode())

    def line(self, text):
        self.type(text + "\r")

    def read(self, deadline):
        """False: it is closed."""
        while not select.select([self.fd], [], [], 0.05)[0]:
            if time.monotonic() > deadline:
                self.test.fail(f"not after {DEADLINE_S} s; the screen: {self.text[-3000:]!r}")
            if self.gone():
                return False
        try:
            more = os.read(self.fd, 65536).decode(errors="replace")
        except OSError:      # nobody has the terminal open
            return False
        self.text += more
        return bool(more)

    def gone(self):
        """It has ended, and nothing more of it is there to be read."""
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return ended is not None and not select.select([self.fd], [], [], 0)[0]

    def expect(self, pattern, count=1):
        """Until the screen has it so often, and what it has."""
        deadline = time.monotonic() + DEADLINE_S
        while len(re.findall(pattern, self.text)) < count:
            if not self.read(deadline):
                self.test.fail(f"it ended without {pattern!r}; the screen: {self.text[-3000:]!r}")
        return re.findall(pattern, self.text)[count - 1]

    def ended(self):
        """All that is on the screen, and the exit status (-9: of a signal)."""
        deadline = time.monotonic() + DEADLINE_S
        while self.status is None:
            open_still = self.read(deadline)
            done, status = os.waitpid(self.pid, 0 if not open_still else os.WNOHANG)
            if done:
                self.status = os.waitstatus_to_exitcode(status)
                self.shown()
        return self.status

    def unread(self):
        """How much of what was typed the process has not read."""
        number = struct.unpack("i", fcntl.ioctl(self.fd, TIOCGPTN, bytes(4)))[0]
        slave = os.open(f"/dev/pts/{number}", os.O_RDONLY | os.O_NOCTTY)
        try:
            return struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, bytes(4)))[0]
        finally:
            os.close(slave)

    def shown(self):
        """What is on the screen by now."""
        try:
            while select.select([self.fd], [], [], 0)[0]:
                self.text += os.read(self.fd, 65536).decode(errors="replace")
        except OSError:      # nobody has the terminal open
            pass
        return self.text[-3000:]

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class InteractiveTest(ClusterTest):
    def sit(self, *arguments, host="a", begun=True, **how):
        """qsub -I; once its job is ready it answers to a prompt that tells it from its echo."""
        screen = Screen(self, "qsub", "-I", "-S", "/bin/sh", "-l", f"select=1:host={host}", *arguments, **how)
        screen.id = screen.expect(r"qsub: waiting for job (\S+) to start\r\n")
        if begun:
            screen.expect(r"qsub: job \S+ ready\r\n\r\n")
            self.ask(screen, "PS1='$ '; PS2=")
        return screen

    asked = 0

    def ask(self, screen, command):
        """What a command prints."""
        self.asked += 1
        begin, end = f"<{self.asked}", f"{self.asked}>"
        screen.line(f"echo '<'{self.asked}; {command}; echo {self.asked}'>'")
        return screen.expect(f"{begin}\r\n((?s:.*?)){end}\r\n").replace("\r\n", "\n")

    def finish(self, screen, exit_status="0"):
        self.assertEqual(screen.ended(), 0, screen.text)
        self.assertTrue(screen.text.endswith(f"\r\nqsub: job {screen.id} completed\r\n"), screen.text[-300:])
        self.assertEqual(self.ended_job(screen.id)["Exit_status"], exit_status)

    def ended_job(self, id):
        return self.until_state(id, "F")
