"""The process that holds a plain host together. usage: keeper.py READY-FD TITLE COMMAND...

When it is told to on its stdin it runs COMMAND (a daemon, which returns when it is ready), reports its exit status on READY-FD, then
stays as a `sleep` that adopts whatever is orphaned below it. So all that a host ever started, its jobs too, are descendants of its
keepers, and can be found without asking them.
"""
import ctypes
import os
import signal
import sys

PR_SET_CHILD_SUBREAPER = 36   # <linux/prctl.h>; kept across exec


def run(command, ready):
    """Its exit status, or minus the signal that ended it. Without the module subprocess, which takes longer to load than to start a daemon."""
    null = os.open("/dev/null", os.O_RDONLY)
    try:
        pid = os.posix_spawnp(command[0], command, os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],      # Python ignores these
                              file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_CLOSE, ready)])
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
        return 127
    os.close(null)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main():
    ready, title, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    os.setsid()
    if not os.read(0, 1):
        return      # who started us was interrupted and does not know us
    status = run(command, ready)
    try:
        os.write(ready, f"{status}\n".encode())
    except BrokenPipeError:
        pass        # who waited was interrupted; what runs must still be found
    os.close(ready)
    # An ignored SIGCHLD survives exec: the kernel collects the adopted processes itself.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.execvp("sleep", [title, "infinity"])


main()
