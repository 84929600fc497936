# Jobs without a project get the one of their group, from the configuration: of the group they ask for, else of their owner's.
import grp
import json
import pbs
import pwd

e = pbs.event()
j = e.job
with open(pbs.hook_config_filename) as f:
    projects = json.load(f)["projects"]
if j.project is None or j.project == "_pbs_project_default":
    if j.group_list:
        group = str(j.group_list).split(",")[0].split("@")[0]
    else:
        group = grp.getgrgid(pwd.getpwnam(e.requestor).pw_gid).gr_name
    project = projects.get(group)
    if project is None:
        e.reject("no project for group %s; use -P" % group)
    j.project = project
e.accept()
