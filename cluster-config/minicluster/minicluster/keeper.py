"""The process that holds a plain host together, a forked copy of who starts a daemon: a new Python takes ten times as long to begin.

When it is told to it runs a command (a daemon, which returns when it is ready), reports its exit status, then stays as a `sleep` that
adopts whatever is orphaned below it. So all that a host ever started, its jobs too, are descendants of its keepers, and can be found
without asking them.
"""
import ctypes
import fcntl
import os
import signal

PR_SET_CHILD_SUBREAPER = 36   # <linux/prctl.h>; kept across exec
LIBC = ctypes.CDLL(None, use_errno=True)      # loaded before the fork: a copy of one of several threads does little


def fork(title, command, environment, out, begin, ready):
    """Its pid. It runs the command when a byte comes from the descriptor `begin`, not at all when that ends without one, and writes the
    exit status on `ready`."""
    # The handlers of who calls are not for the copy: until it has none, signals wait.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            in_keeper(title, command, environment, out, begin, ready, mask)
        return pid
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def in_keeper(title, command, environment, out, begin, ready, mask):
    """Never returns: the copy must not go on as the caller."""
    try:
        handle_no_signals(mask)
        os.setsid()
        os.chdir("/")
        begin, ready = keep_only(out, begin, ready)
        if LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
        if not os.read(begin, 1):
            os._exit(0)      # who started us was interrupted and does not know us
        os.close(begin)
        tell(ready, run(command, environment))
        os.close(ready)
        # An ignored SIGCHLD survives exec: the kernel collects the adopted processes itself.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.execvpe("sleep", [title, "infinity"], environment)
    except BaseException as error:
        os.write(2, f"{title}: {error}\n".encode())
    finally:
        os._exit(1)


def handle_no_signals(mask):
    """As after exec: what was handled is not, what was ignored stays so."""
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def keep_only(out, *wanted):
    """Standard input is empty and output goes to `out`; all other descriptors are closed but the wanted, which are numbered anew.

    Whoever reads from another end of one of them would wait for us too."""
    out, null, *wanted = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (out, os.open("/dev/null", os.O_RDONLY), *wanted)]
    for fd, standard in ((null, 0), (out, 1), (out, 2)):
        os.dup2(fd, standard)
    first = 3
    for fd in wanted:      # each has the lowest number that was free: they ascend
        os.closerange(first, fd)
        first = fd + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
    return wanted


def run(command, environment):
    """Its exit status, or minus the signal that ended it."""
    os.environ["PATH"] = environment["PATH"]      # where the command is looked for
    try:
        pid = os.posix_spawnp(command[0], command, environment, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])      # Python ignores these
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        return 127
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def tell(ready, status):
    try:
        os.write(ready, f"{status}\n".encode())
    except BrokenPipeError:
        pass        # who waited was interrupted; what runs must still be found
