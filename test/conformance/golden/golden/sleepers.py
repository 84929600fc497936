"""Jobs that sleep until they are let go (`asleep` in a scene): of a job that sleeps some seconds nobody can say whether it is still there when
the next command looks at it.

Their /bin/sleep opens a fifo with their job's id, which waits for somebody who opens it too. Who is no job sleeps as ever.
"""
import errno
import os

from .world import call, write

FIFOS = "/opt/sleepers"
SLEEP = "/usr/bin/sleep"
ITS_OWN = "/opt/sleep"
SCRIPT = f"""#!/bin/sh
[ "$PBS_JOBID" ] || exec {ITS_OWN} "$@"
[ -e "{FIFOS}/$PBS_JOBID" ] || mkfifo -m 666 "{FIFOS}/$PBS_JOBID" || exit
read nothing < "{FIFOS}/$PBS_JOBID"
:
"""


def put_in_place():
    os.mkdir(FIFOS)
    os.chmod(FIFOS, 0o1777)
    call("cp", SLEEP, ITS_OWN)
    write("/opt/sleeper", SCRIPT)
    os.chmod("/opt/sleeper", 0o755)
    call("mount", "--bind", "/opt/sleeper", SLEEP)


def wake(job):
    """False: it does not sleep, or not yet."""
    try:
        os.close(os.open(f"{FIFOS}/{job}", os.O_WRONLY | os.O_NONBLOCK))
        return True
    except OSError as why:
        if why.errno not in (errno.ENOENT, errno.ENXIO):   # there is no fifo, or nobody reads it
            raise
        return False
