"""pbs_ifl where PBS has it, in lib/python/altair: the module in lib/python, which takes this one's place."""
import importlib.util
import os
import sys

_package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pbs_ifl")
_spec = importlib.util.spec_from_file_location(__name__, os.path.join(_package, "__init__.py"), submodule_search_locations=[_package])
sys.modules[__name__] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules[__name__])
