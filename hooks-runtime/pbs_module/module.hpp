// The `pbs` module that hook authors import, as a builtin module of the embedding program.
#pragma once

#include "hooks-runtime/pbs_module/python.hpp"
#include "hooks-runtime/pbs_module/run_state.hpp"

namespace annals::hooks::py {

// For PyImport_AppendInittab("pbs", make_module), before the interpreter starts.
PyObject* make_module();

// For each run: pbs.event() begins anew; false: an exception is pending.
bool begin_run();
// After the script: what it changed in place is noted. The event and all that hangs on it are let go.
bool end_run();

// Pieces of the module.
bool add_event(PyObject* module);
bool add_constants(PyObject* module);
bool add_helpers(PyObject* module);
bool add_exported_types(PyObject* module);  // after the types
PyObject* make_event();
bool note_argument_changes(PyObject* event);

}  // namespace annals::hooks::py
