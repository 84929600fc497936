# Before a job starts: full scratch disks and missing mounts take the host out of service and send the job back.
import os
import pbs
import subprocess

e = pbs.event()
node = pbs.get_local_nodename()
try:
    with open(pbs.hook_config_filename) as f:
        command = f.read().split()
    done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    if done.returncode != 0:
        v = e.vnode_list[node]
        v.state = pbs.ND_OFFLINE
        v.comment = "offlined by health check: %s" % done.stdout.strip()
        pbs.logjobmsg(e.job.id, "health check failed on %s" % node)
        e.job.rerun()
        e.reject("health check failed on %s" % node)
except SystemExit:
    raise
except Exception as x:
    pbs.logmsg(pbs.LOG_ERROR, "health check did not run: %s" % x)
e.accept()
