// Functions of pbs that scripts call beside event() and server(): names of this place, and conversions.
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/module.hpp"
#include "hooks-runtime/pbs_module/object.hpp"
#include "hooks-runtime/pbs_module/run_state.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"

namespace annals::hooks::py {
namespace {

PyObject* local_host(PyObject*, PyObject*) { return str(current()->home().local_node); }
PyObject* pbs_server(PyObject*, PyObject*) { return str(current()->home().server_name()); }

// Who runs the script, as PBS says it.
PyObject* daemon(PyObject*, PyObject*) {
  return is_on_mom(current()->event()) ? str("pbs_python") : str("Server@" + std::string(current()->home().server_name()));
}

PyObject* in_site_hook(PyObject*, PyObject*) {
  return PyBool_FromLong(schema::text(current()->request().getHook().getType()) != "pbs");
}

PyObject* seconds(PyObject*, PyObject* value) {
  const auto number = duration_of(value);
  return number ? PyLong_FromLongLong(*number) : refuse_duration(value);
}

PyObject* kilobytes(PyObject*, PyObject* value) {
  const auto size = size_of(value);
  return size ? PyLong_FromUnsignedLongLong(values::in_kb(*size).number) : refuse_size(value);
}

PyMethodDef functions[] = {
    {"get_local_host_name", method(local_host), METH_NOARGS, "name of this host's natural vnode"},
    {"get_pbs_server_name", method(pbs_server), METH_NOARGS, "PBS_SERVER of pbs.conf"},
    {"get_python_daemon_name", method(daemon), METH_NOARGS, "who runs the script"},
    {"in_site_hook", method(in_site_hook), METH_NOARGS, "whether the hook is the site's own"},
    {"duration_to_secs", method(seconds), METH_O, "the seconds of a duration"},
    {"size_to_kbytes", method(kilobytes), METH_O, "the kilobytes of a size, rounded up"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_helpers(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0 && PyModule_AddFunctions(module, object_getters) == 0;
}

}  // namespace annals::hooks::py
