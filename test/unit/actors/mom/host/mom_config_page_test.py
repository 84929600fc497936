"""The manual page of mom_priv/config has every setting that the MoM's parser knows, with its default."""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, *[os.pardir] * 5))


class the_page(unittest.TestCase):
    def test_it_is_what_the_parser_and_the_texts_make(self):
        script = os.path.join(ROOT, "cluster-config", "defaults", "make_mom_config_page.py")
        done = subprocess.run([sys.executable, "-B", script, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
