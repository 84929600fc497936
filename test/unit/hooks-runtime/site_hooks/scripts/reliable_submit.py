# The first of the reliable-startup pair: the job asks for spare hosts and tolerates failures until it runs.
import pbs

e = pbs.event()
j = e.job
select = j.Resource_List["select"]
if select is None:
    e.accept()
j.tolerate_node_failures = "job_start"
j.Resource_List["site"] = str(select)
j.Resource_List["select"] = select.increment_chunks(1)
