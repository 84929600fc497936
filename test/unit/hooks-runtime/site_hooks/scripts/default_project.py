# Jobs without a project get the one of their owner's first group, from the configuration.
import json
import pbs

e = pbs.event()
j = e.job
with open(pbs.hook_config_filename) as f:
    projects = json.load(f)["projects"]
if j.project is None or j.project == "_pbs_project_default":
    groups = str(j.group_list).split(",") if j.group_list else ["users"]
    project = projects.get(groups[0].split("@")[0])
    if project is None:
        e.reject("no project for group %s; use -P" % groups[0])
    j.project = project
e.accept()
