"""What pbs_snapshot leaves out of every snapshot, and how it hides a site's names: on texts made for it."""
import base64
import io
import json
import os
import shutil
import stat
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "cluster-config", "support"))
sys.dont_write_bytecode = True
from support import collect, names, obfuscate, scrub, snapshot, tarball  # noqa: E402  found by the path above
from support.installation import Trouble  # noqa: E402

JOB = """Job Id: 12.batch
    Job_Name = quaggarun
    Job_Owner = zorilla@login7.zebra.example
    job_state = R
    queue = okapiq
    Account_Name = tapir lab
    exec_host = kudu01/0*2+kudu02/0
    exec_vnode = (kudu01[0]:ncpus=2)+(kudu02:ncpus=1)
    Output_Path = login7.zebra.example:/gpfs/zorilla/my results/quaggarun.o12
    Resource_List.select = 2:ncpus=2:bongolic=gnu
    Resource_List.bongolic = gnu,7
    Variable_List = PBS_O_HOME=/home/zorilla,KEY_OF=hyrax1,PBS_O_QUEUE=okapiq
    comment = Job run at Fri Nov 27 at 08:35 on (kudu01:ncpus=2)
    euser = zorilla
    egroup = ibexgrp
    project = serowproj
    Submit_arguments = -v KEY_OF=hyrax1 /gpfs/zorilla/run.sh

"""
LOG = """11/27/2026 08:35:47;0008;Server@batch;Job;12.batch;Job Queued by zorilla@login7, owner = zorilla@login7, job name = quaggarun, queue = okapiq
11/27/2026 08:35:47;0006;Server@batch;Hook;lemurhook;hello to Mister Indri
11/27/2026 08:35:48;0004;Server@batch;Node;kudu02;attributes set: comment = Mister Indri broke it
11/27/2026 08:35:48;0080;Server@batch;Req;Server@batch;connection from 172.16.4.9, 0a:1b:2c:3d:4e:5f to batch
11/27/2026 08:35:48;0080;Server@batch;Svr;PBS_Server;can't open /gpfs/zorilla/x.dat of batch jobs
11/27/2026 08:35:48;0080;Server@batch;Svr;PBS_Server;no /scratch/quokka/zorilla.log, no /pbs_civet/7.genet/core.takin
11/27/2026 08:35:48;0080;Server@batch;Svr;PBS_Server;see /var/spool/pbs/spool/12.batch.OU
"""
RECORD = ('11/27/2026 08:35:47;E;12.batch;user=zorilla group=ibexgrp account="tapir lab" project=serowproj jobname=quaggarun queue=okapiq '
          "exec_host=kudu01/0*2+kudu02/0 exec_vnode=(kudu01[0]:ncpus=2)+(kudu02:ncpus=1) Resource_List.bongolic=gnu,7 session=4\n")
CONF = "# ask Mister Indri\nPBS_SERVER=batch\n$usecp *.addax.example:/home /home\nPBS_EXEC=/opt/pbs\nPBS_HOME=/var/spool/pbs\n"
ORIGINALS = ("quagga", "zorilla", "login7", "zebra", "okapi", "tapir", "kudu", "gnu", "bongo", "ibex", "serow", "lemur", "hyrax", "Indri", "gpfs",
             "172.16.4.9", "0a:1b", "my results", "x.dat", "Server@batch", "12.batch",
             "quokka", "civet", "genet", "takin", "addax")


class a_folder(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="names")
        self.addCleanup(shutil.rmtree, self.top, True)
        self.folder = os.path.join(self.top, "snapshot")
        self.map = os.path.join(self.top, "map")

    def write(self, **files):
        for name, text in files.items():
            path = os.path.join(self.folder, name.replace("__", "/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                lines = text.splitlines(keepends=True)
                f.writelines(scrub.without_secrets(scrub.of_status(lines) if name.startswith("job") else lines))

    def texts(self):
        found = {}
        for where, _, inside in os.walk(self.folder):
            for name in inside:
                with open(os.path.join(where, name)) as f:
                    found[os.path.relpath(os.path.join(where, name), self.folder)] = f.read()
        return found

    def hide(self):
        table = names.Names(self.map)
        obfuscate.hide(self.folder, table)
        table.save()
        return table.words


class names_of_a_site(a_folder):
    def write_all(self):
        self.write(job__qstat_f=JOB, server_logs__20261127=LOG, server_priv__accounting__20261127=RECORD, sched_priv__sched_config=CONF,
                   sched_logs_okapisched__20261127="x\n",
                   kudu01_snapshot__mom_logs__20261127="11/27/2026 08:35:47;0008;pbs_mom;Job;12.batch;of zorilla\n")

    def test_none_is_left_in_any_file_or_file_name(self):
        self.write_all()
        self.hide()
        for name, text in self.texts().items():
            for original in ORIGINALS:
                self.assertNotIn(original, name + "\n" + text, name)

    def test_the_same_name_has_the_same_word_everywhere(self):
        self.write_all()
        words, texts = self.hide(), self.texts()
        user, job, host = words["zorilla"], words["quaggarun"], words["kudu01"]
        self.assertIn(f"Job_Owner = {user}@{words['login7']}.{words['zebra.example']}\n", texts["job/qstat_f"])
        self.assertIn(f"job name = {job}, queue = {words['okapiq']}\n", texts["server_logs/20261127"])
        self.assertIn(f"user={user} group={words['ibexgrp']} account=\"{words['tapir lab']}\" project={words['serowproj']} jobname={job} ",
                      texts["server_priv/accounting/20261127"])
        self.assertIn(f"exec_host = {host}/0*2+{words['kudu02']}/0\n", texts["job/qstat_f"])
        self.assertIn(f"exec_vnode=({host}[0]:ncpus=2)+", texts["server_priv/accounting/20261127"])
        self.assertIn(f"of {user}\n", texts[f"{host}_snapshot/mom_logs/20261127"])
        self.assertIn(f"sched_logs_{words['okapisched']}/20261127", texts)
        self.assertEqual(len(set(words.values())), len(words))

    def test_words_of_pbs_stay_where_they_are_no_names(self):
        self.write_all()
        words, texts = self.hide(), self.texts()
        self.assertIn(f"Job Id: 12.{words['batch']}\n", texts["job/qstat_f"])
        self.assertIn(" of batch jobs\n", texts["server_logs/20261127"])      # a host is called so
        self.assertIn("comment = Job run at Fri Nov 27 at 08:35 on (", texts["job/qstat_f"])
        self.assertIn("PBS_EXEC=/opt/pbs\nPBS_HOME=/var/spool/pbs\n", texts["sched_priv/sched_config"])

    def test_a_later_snapshot_goes_on_with_the_map(self):
        self.write_all()
        first = dict(self.hide())
        shutil.rmtree(self.folder)
        self.write(server_logs__20261128=LOG.replace("zorilla", "dikdik"))
        later = self.hide()
        self.assertEqual({name: later[name] for name in first}, first)
        self.assertIn("dikdik", later)
        self.assertEqual(stat.S_IMODE(os.stat(self.map).st_mode), 0o600)
        with open(self.map) as f:
            self.assertEqual(json.load(f)["user"]["zorilla"], first["zorilla"])

    def test_a_file_that_is_no_map_is_refused(self):
        with open(self.map, "w") as f:
            f.write("[1, 2]")
        self.assertRaises(Trouble, names.Names, self.map)


# What follows an empty value, and words of PBS where a name may stand.
PLAIN = """11/27/2026 08:35:47;0004;Server@batch;Svr;PBS_Server;attributes unset: resources_available.bongolic =
11/27/2026 08:35:48;0004;Server@batch;Svr;PBS_Server;attributes unset: resources_available.bongolic=
11/27/2026 08:35:48;0004;Server@batch;Svr;PBS_Server;attributes unset: managers =
11/27/2026 08:35:48;0008;Server@batch;Job;43.batch;Job Run at request of Scheduler@batch
11/27/2026 08:35:49;0004;Server@batch;Que;PBS_Server;attributes unset: default_queue =
11/27/2026 08:35:49;0100;Server@batch;Req;PBS_Server;user= sock=133
11/27/2026 08:35:49;E;43.batch;project= jobname= queue= ctime=1
11/27/2026 08:35:49;0004;Server@batch;Svr;PBS_Server;attributes set: max_run = [u:PBS_GENERIC=5]
11/27/2026 08:35:49;0004;Server@batch;Svr;PBS_Server;attributes set: max_run_res.bongolic = [o:PBS_ALL=5]
11/27/2026 08:35:49;0004;Server@batch;Svr;PBS_Server;attributes set: resources_available.bongolic = -5
11/27/2026 08:35:49;0008;Server@batch;Job;43.batch;Resource_List.place = scatter:group=host
"""


class what_is_no_name(a_folder):
    def setUp(self):
        super().setUp()
        self.write(server__qmgr="create resource bongolic\nset server max_run += [g:ibexgrp=5]\nset server max_run_res.bongolic = [u:zorilla=5]\n",
                   job__f="Job Id: 43.batch\n    Job_Name = 5\n    Priority = 5\n    Account_Name = 4711\n    Resource_List.ncpus = 4711\n\n")

    def test_it_stays_as_it_is(self):
        self.write(server_logs__20261127=PLAIN)
        words = self.hide()
        self.assertEqual({"bongolic", "ibexgrp", "zorilla", "batch", "5", "4711"}, words.keys() - {os.uname().nodename.partition(".")[0]})
        self.assertEqual(self.texts()["server_logs/20261127"], PLAIN.replace("bongolic", words["bongolic"]).replace("@batch", "@" + words["batch"])
                         .replace("43.batch", "43." + words["batch"]))

    def test_a_number_is_replaced_only_as_what_it_names(self):
        words = self.hide()
        self.assertEqual(self.texts()["job/f"], f"Job Id: 43.batch\n    Job_Name = {words['5']}\n    Priority = 5\n    "
                         f"Account_Name = {words['4711']}\n    Resource_List.ncpus = 4711\n\n")

    def test_it_is_left_out_of_a_map_that_has_it(self):
        with open(self.map, "w") as f:
            json.dump({"value": {"11/27/2026": "vlr3oalf"}, "resource": {"PBS_GENERIC": "r39ve5e8"}, "user": {"sock=133": "u0000000"}}, f)
        self.write(server_logs__20261127=PLAIN)
        self.hide()
        self.assertIn("11/27/2026 08:35:49;", self.texts()["server_logs/20261127"])
        self.assertIn(" = [u:PBS_GENERIC=5]\n", self.texts()["server_logs/20261127"])
        self.assertIn("user= sock=133\n", self.texts()["server_logs/20261127"])


class what_is_never_in_a_snapshot(a_folder):
    def test_values_of_jobs_variables(self):
        many = "KEY_OF=hyrax1\n    priority = hyrax\n\nand more hyrax,A=b,"
        self.write(job__f=JOB.replace("KEY_OF=hyrax1,", many).replace("-v KEY_OF=hyrax1 ", "-h -v " + many) + JOB.replace("12", "13"),
                   job__dsv="Job Id: 1|Variable_List=PBS_O_HOME=/h,K=hyrax\\|1|Submit_arguments=-h -v K=hyrax\\|1 x|a=b-v\n")
        text = self.texts()
        self.assertNotIn("hyrax", str(text))
        self.assertNotIn("and more", str(text))
        self.assertEqual(text["job/f"].count("    euser = zorilla\n"), 2)
        self.assertIn("    Submit_arguments = -h -v <left out>\n", text["job/f"])
        self.assertIn("PBS_O_HOME=/home/zorilla,KEY_OF=<left out>", text["job/f"])
        self.assertIn("Variable_List=PBS_O_HOME=/h,K=<left out>|Submit_arguments=-h -v <left out>|a=b-v\n", text["job/dsv"])

    def test_keys_and_passwords(self):
        self.write(a="x\n-----BEGIN PRIVATE KEY-----\nMIIhyrax\n-----END PRIVATE KEY-----\ny\n",
                   b='password = hyrax\n{"api_key": "hyrax z", "n": 1}\nTOKEN=hyrax, mode=3\n', c="    forward_x11_cookie = MIT:hyrax:0\n")
        self.assertNotIn("hyrax", str(self.texts()))
        self.assertEqual(self.texts()["a"], "x\n<left out>\ny\n")
        self.assertIn(", mode=3\n", self.texts()["b"])

    def test_configurations_of_hooks(self):
        script, secret = (base64.b64encode(text).decode() for text in (b"import pbs\npassword = 'hyrax'\n", b'{"k": "hyrax"}\n'))
        path = os.path.join(self.folder, "hook", "out")
        self.write(hook__out=f"create hook h\nimport hook h application/x-python base64 -\n{script}\n\n"
                             f"import hook h application/x-config base64 -\n{secret}\n\n")
        self.assertEqual(scrub.hook_files(path), [os.path.join(self.folder, "hook", "h.py")])
        self.assertNotIn(secret, str(self.texts()))
        self.assertEqual(self.texts()["hook/h.py"], "import pbs\npassword = <left out>\n")


class beside_others(a_folder):
    def test_two_snapshots_of_one_second_have_different_names(self):
        paths = {snapshot.free_name(self.folder) for _ in range(3)}
        self.assertEqual(len(paths), 3)
        self.assertIn(self.folder + ".tgz", paths)

    def test_a_file_of_the_log_that_goes_while_its_size_is_asked_for_counts_nothing(self):
        self.write(log="x" * (1 << 20))
        os.symlink("gone", os.path.join(self.folder, "removed"))
        self.assertEqual(collect.Collector.size_mb(None, self.folder), 1)
        self.assertIsNone(collect.Collector.size_mb(None, self.map))


class a_snapshot_of_another_host(a_folder):
    def test_it_can_not_reach_outside_of_its_directory(self):
        for name in "top/../../x", "top//x":
            file = io.BytesIO()
            with tarfile.open(fileobj=file, mode="w:gz") as tar:
                tar.addfile(tarfile.TarInfo(name), io.BytesIO())
            file.seek(0)
            self.assertRaises(Trouble, tarball.unpack, file, self.folder)
        self.assertFalse(os.path.exists(os.path.join(self.top, "x")))


if __name__ == "__main__":
    unittest.main()
