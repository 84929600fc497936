"""Which failed tests .ci/second_try runs once more, and what it makes of them: with a ctest of made-up tests."""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


class SecondTry(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.build = directory.name
        self.lines = []

    def add(self, name, label, command):
        """A made-up test; its command runs in the build directory, and what it prints is kept there in a file of its name."""
        self.lines.append(f'add_test([=[{name}]=] /bin/sh -c "cd {self.build} && {command}")\n'
                          f'set_tests_properties([=[{name}]=] PROPERTIES LABELS "{label}")\n')

    def second_try(self, *failed):
        with open(f"{self.build}/CTestTestfile.cmake", "w", encoding="utf-8") as file:
            file.writelines(self.lines)
        log = f"{self.build}/LastTestsFailed.log"
        with open(log, "w", encoding="utf-8") as file:
            file.writelines(f"{number}:{name}\n" for number, name in enumerate(failed, 1))
        return subprocess.run([f"{ROOT}/.ci/second_try", self.build, log], capture_output=True, text=True, check=False)

    def ran(self, name):
        return os.path.exists(f"{self.build}/{name}")

    def test_a_test_of_daemons_that_passes_now_is_named_and_fails_nothing(self):
        self.add("system/a", "system", "touch a")
        self.add("system/a_longer_name", "system", "touch b")
        tried = self.second_try("system/a")
        self.assertEqual(tried.returncode, 0, tried.stdout)
        self.assertIn("passed at the second try: system/a\n", tried.stdout)
        self.assertTrue(self.ran("a"))
        self.assertFalse(self.ran("b"), "only the test that failed runs again")

    def test_one_that_fails_again_fails_the_run_and_the_others_are_tried_all_the_same(self):
        self.add("system/a", "system", "false")
        self.add("golden/b", "conformance", "touch b")
        tried = self.second_try("system/a", "golden/b")
        self.assertEqual(tried.returncode, 1)
        self.assertIn("failed twice: system/a\n", tried.stdout)
        self.assertIn("passed at the second try: golden/b\n", tried.stdout)

    def test_a_test_of_rules_gets_no_second_try_and_nothing_beside_it(self):
        for label in ("unit", "fuzz", "sim", "style", "scripts"):
            self.lines.clear()
            self.add("rules/a", label, "touch a")
            self.add("system/b", "system", "touch b")
            tried = self.second_try("rules/a", "system/b")
            self.assertEqual(tried.returncode, 1, label)
            self.assertIn("not a test of real daemons: rules/a", tried.stdout)
            self.assertFalse(self.ran("a") or self.ran("b"))

    def test_more_than_three_that_failed_get_none(self):
        names = [f"system/{letter}" for letter in "abcd"]
        for name in names:
            self.add(name, "system", "touch " + name[-1])
        tried = self.second_try(*names)
        self.assertEqual(tried.returncode, 1)
        self.assertIn("4 tests failed, more than 3", tried.stdout)
        self.assertFalse(self.ran("a"))
        self.assertEqual(self.second_try(*names[:3]).returncode, 0)

    def test_a_list_without_names_is_no_success(self):
        self.add("system/a", "system", "true")
        self.assertEqual(self.second_try().returncode, 1)


if __name__ == "__main__":
    unittest.main()
