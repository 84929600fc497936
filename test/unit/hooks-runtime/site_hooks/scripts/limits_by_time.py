# In office hours no job may be longer than an hour or ask for more than 8 cpus; large ones go to the queue "night".
import pbs
import time

e = pbs.event()
j = e.job
hour = int(j.Variable_List.get("TEST_HOUR", time.localtime().tm_hour))
office = 8 <= hour < 18
walltime = j.Resource_List["walltime"]
if walltime is None:
    j.Resource_List["walltime"] = walltime = pbs.duration("00:30:00")
if office and walltime > pbs.duration("01:00:00"):
    if j.queue and j.queue.name == "interactive":     # without -q it is empty
        e.reject("at most one hour between 8 and 18")
    j.queue = pbs.server().queue("night")
    pbs.logmsg(pbs.LOG_DEBUG, "%s moved to night: %s" % (e.requestor, walltime))
