#!/usr/bin/env python3
"""Where programs and libraries look for libraries: where the system has them or beside themselves, and never in the directory in which somebody
started them."""
import os
import re
import subprocess
import unittest

STAGE = os.environ["ANNALS_STAGE"]


def run_paths(path):
    """nothing: it is no program, or needs no library."""
    said = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
    return re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", said) if "(NEEDED)" in said else None


class run_paths_of_the_stage(unittest.TestCase):
    def test_there_is_none_but_beside_themselves(self):
        seen = 0
        for folder in ("bin", "sbin", "libexec", "lib"):
            for name in sorted(os.listdir(os.path.join(STAGE, folder))):
                path = os.path.join(STAGE, folder, name)
                paths = run_paths(path)
                seen += paths is not None
                self.assertIn(paths, (None, [], ["$ORIGIN"]), f"{folder}/{name}")
        self.assertGreater(seen, 0)


if __name__ == "__main__":
    unittest.main()
