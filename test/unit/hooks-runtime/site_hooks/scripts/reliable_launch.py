# The second: hosts that failed go offline, and of the others only as many are kept as the user asked for.
import pbs

e = pbs.event()
if "PBS_NODEFILE" not in e.env:
    e.accept()
for vn in e.vnode_list_fail:
    v = e.vnode_list_fail[vn]
    pbs.logmsg(pbs.LOG_DEBUG, "offlining %s" % (vn,))
    v.state = pbs.ND_OFFLINE
pj = e.job.release_nodes(keep_select=e.job.Resource_List["site"])
if pj is None:
    e.job.Hold_Types = pbs.hold_types("s")
    e.job.rerun()
    e.reject("unsuccessful at LAUNCH")
pbs.logmsg(pbs.LOG_DEBUG, "pj.exec_vnode=%s" % (pj.exec_vnode,))
