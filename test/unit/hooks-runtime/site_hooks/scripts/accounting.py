# A periodic hook that measures what jobs use, as one that reads cgroups does.
import pbs

e = pbs.event()
for job_id in e.job_list.keys():
    used = e.job_list[job_id].resources_used
    cpus = e.job_list[job_id].Resource_List["ncpus"] or 1
    used["cpupercent"] = 100 * cpus
    used["mem"] = (used["mem"] or pbs.size("0kb")) + pbs.size("1024kb")
    used["cput"] = (used["cput"] or pbs.duration(0)) + 60 * cpus
    if used["mem"] > pbs.size("3mb"):
        pbs.logjobmsg(job_id, "uses %s" % used["mem"])
vnode = e.vnode_list[pbs.get_local_nodename()]
vnode.resources_available["mem"] = vnode.resources_available["mem"] - "512mb"
