# What the figures of hooks are measured with: reads ten attributes of the job and sets ten.
import pbs

e = pbs.event()
j = e.job
r = j.Resource_List
if r["ncpus"] is not None and r["ncpus"] > 128:
    e.reject("too large")
seen = (j.Job_Name, j.Priority, j.Hold_Types, j.Rerunable, j.Mail_Points, j.Output_Path, j.queue, r["mem"], r["walltime"])
j.Priority = 0
j.Account_Name = "acme"
j.project = "weather"
j.Rerunable = False
j.Mail_Points = pbs.mail_points("abe")
j.Join_Path = pbs.join_path("oe")
r["ncpus"] = 8
r["mem"] = pbs.size("16gb")
r["walltime"] = pbs.duration("02:00:00")
j.Variable_List["SITE"] = "north"
e.accept()
