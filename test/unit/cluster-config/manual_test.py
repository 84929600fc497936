"""Manual pages that follow from tables are what the tables make; every page is installed and refers to pages that are there."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from unittest import mock

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3))
MAN = os.path.join(ROOT, "docs", "man")
MANUAL = os.path.join(ROOT, "cluster-config", "packaging", "manual")
STAGE = os.environ.get("ANNALS_STAGE") or os.path.join(ROOT, "build", "stage")
# Pages of the system that ours refer to.
OF_OTHERS = {"cp.1", "python3.1", "rsh.1", "scp.1", "ssh.1", "uptime.1", "xauth.1", "uname.2", "free.3", "glob.7"}

sys.dont_write_bytecode = True
sys.path.insert(0, MANUAL)
import attribute_pages  # noqa: E402  found by the path above
import conf_page  # noqa: E402
import environment_page  # noqa: E402
import make_manual  # noqa: E402
import mdoc  # noqa: E402
import module_page  # noqa: E402


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **how)


def generated():
    return [os.path.join(MAN, name) for name in make_manual.all_pages()]


class the_pages(unittest.TestCase):
    def test_they_are_what_the_tables_make(self):
        done = run(sys.executable, "-B", os.path.join(MANUAL, "make_manual.py"))
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_there_is_one_for_each_table_of_attributes(self):
        self.assertEqual({os.path.basename(page) for page in generated()},
                         {f"pbs_{kind}_attributes.7" for kind in ("job", "server", "queue", "node", "sched", "resv", "hook")}
                         | {"pbs_resources.7", "pbs_environment.7", "pbs_module.7", "pbs.conf.5"})

    def test_nothing_else_is_in_section_7(self):
        self.assertEqual({name for name in os.listdir(MAN) if name.endswith(".7")},
                         {os.path.basename(page) for page in generated() if page.endswith(".7")})

    def test_programs_that_show_manuals_have_nothing_to_say_of_them(self):
        if shutil.which("mandoc"):
            done = run("mandoc", "-Tlint", "-W", "warning", *generated())
        elif shutil.which("man") and shutil.which("groff"):
            done = run("man", "--warnings", "-l", *generated(), env={**os.environ, "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
            done.stdout = ""
        else:
            self.skipTest("neither mandoc nor man with groff is here")
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_a_text_with_marks_is_no_request(self):
        self.assertEqual(mdoc.text("It is so. 'Tis so. There"), "It is so. 'Tis so.\nThere\n")
        self.assertTrue(mdoc.text(".Sh").startswith("\\&."))
        self.assertTrue(mdoc.text("'br").startswith("\\&'"))
        self.assertEqual(mdoc.text("a\\b"), "a\\eb\n")

    def test_what_they_refer_to_is_there(self):
        for name in sorted(os.listdir(MAN)):
            with open(os.path.join(MAN, name), encoding="utf-8") as f:
                for page in re.findall(r"(?m)^\.Xr (\S+) (\d)", f.read()):
                    page = ".".join(page)
                    self.assertTrue(page in OF_OTHERS or os.path.exists(os.path.join(MAN, page)), f"{name} refers to {page}")

    def test_all_are_installed(self):
        if not os.path.isdir(os.path.join(STAGE, "share", "man")):
            self.skipTest("no installed tree is built")
        for name in sorted(os.listdir(MAN)):
            self.assertTrue(os.path.exists(os.path.join(STAGE, "share", "man", "man" + name[-1], name)), name)


class a_table_that_changed(unittest.TestCase):
    """What has no words, or no code, stops the maker."""

    def with_source(self, path, old, new, maker):
        real = mdoc.read
        self.assertIn(old, real(path))
        with mock.patch.object(mdoc, "read", lambda p: real(p).replace(old, new) if p == path else real(p)):
            with self.assertRaises(mdoc.Mismatch) as stopped:
                maker.pages()
        return str(stopped.exception)

    def test_a_new_key_of_pbs_conf(self):
        said = self.with_source("tools/client/pbs_conf.cpp", '{"PBS_EXEC", &pbs_conf::pbs_exec},',
                                '{"PBS_EXEC", &pbs_conf::pbs_exec}, {"PBS_NEW", &pbs_conf::pbs_new},', conf_page)
        self.assertIn("PBS_NEW", said)

    def test_a_key_that_a_script_asks_for(self):
        said = self.with_source(conf_page.SCRIPTS[0], "conf PBS_EXEC /opt/pbs", "conf PBS_OTHER /opt/pbs", conf_page)
        self.assertIn("PBS_OTHER", said)

    def test_a_key_that_has_no_effect_any_more(self):
        said = self.with_source("tools/client/output_path.cpp", "conf.pbs_output_host_name", "std::string()", conf_page)
        self.assertIn("PBS_OUTPUT_HOST_NAME", said)

    def test_a_new_variable_of_jobs(self):
        said = self.with_source("actors/mom/host/environment.cpp", 'put(env, "PBS_NODENUM=0");', 'put(env, "PBS_MORE=0");', environment_page)
        self.assertIn("PBS_MORE", said)

    def test_a_variable_that_a_command_reads(self):
        said = self.with_source("tools/commands/qsub.cpp", 'getenv("PBS_DPREFIX")', 'getenv("PBS_PREFIX")', environment_page)
        self.assertIn("PBS_PREFIX", said)

    def test_a_format_or_an_object_without_words(self):
        self.assertIn("tensor", self.with_source("docs/attributes.md", "| hold types |", "| tensor |", attribute_pages))
        self.assertIn("Clouds", self.with_source("docs/attributes.md", "## Hooks", "## Clouds", attribute_pages))

    def test_an_attribute_without_effect_that_is_none(self):
        self.with_source("events/attributes/without_effect.cpp", "server::default_node", "server::roundgid", attribute_pages)

    def test_a_fact_about_an_event_that_is_new(self):
        self.assertIn("colour", self.with_source("docs/hooks_reference.md", "| Sandbox | server |", "| colour | server |", module_page))


if __name__ == "__main__":
    unittest.main()
