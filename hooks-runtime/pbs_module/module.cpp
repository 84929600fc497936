// pbs: its functions, and the list of its parts.
#include "hooks-runtime/pbs_module/module.hpp"

#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/object.hpp"
#include "hooks-runtime/pbs_module/resource_map.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"
#include "hooks-runtime/protocol/log_levels.hpp"

namespace annals::hooks::py {
namespace {

PyObject* the_event;  // of this run; null between runs

PyObject* event(PyObject*, PyObject*) {
  if (!the_event) return raise(PyExc_RuntimeError, "no hook event is going on");
  return Py_NewRef(the_event);
}

PyObject* server(PyObject*, PyObject*) { return make_named(protocol::ObjectKind::SERVER, ""); }

PyObject* logmsg(PyObject*, PyObject* args) {
  unsigned level = 0;
  PyObject* message = nullptr;
  if (!PyArg_ParseTuple(args, "IO:logmsg", &level, &message)) return nullptr;
  const auto text = text_of(message);
  if (!text) return nullptr;
  current()->log(log_level::bits_of(level), {}, *text);
  Py_RETURN_NONE;
}

PyObject* logjobmsg(PyObject*, PyObject* args) {
  PyObject *job = nullptr, *message = nullptr;
  if (!PyArg_ParseTuple(args, "OO:logjobmsg", &job, &message)) return nullptr;
  const auto id = text_of(job), text = id ? text_of(message) : std::nullopt;
  if (!text) return nullptr;
  current()->log(log_level::debug, *id, *text);
  Py_RETURN_NONE;
}

PyObject* local_node(PyObject*, PyObject*) { return str(current()->home().local_node); }

PyObject* configuration_file(PyObject*, PyObject*) {
  const std::string& path = current()->home().configuration_file;
  return path.empty() ? none() : str(path);
}

PyObject* pbs_conf(PyObject*, PyObject*) {
  ref dict(PyDict_New());
  for (const auto& [name, value] : current()->home().pbs_conf) {
    ref text(str(value));
    if (!dict || !text || PyDict_SetItemString(dict.get(), name.c_str(), text.get()) < 0) return nullptr;
  }
  return dict.release();
}

PyObject* reboot(PyObject*, PyObject* args) {
  const char* command = "";
  if (!PyArg_ParseTuple(args, "|s:reboot", &command)) return nullptr;
  if (!is_on_mom(current()->event())) return raise(PyExc_RuntimeError, "reboot is for hooks on hosts");
  current()->action(run_state::act::reboot, command);
  PyErr_SetNone(PyExc_SystemExit);  // nothing after it is done
  return nullptr;
}

PyMethodDef functions[] = {
    {"event", method(event), METH_NOARGS, "what happened"},
    {"server", method(server), METH_NOARGS, "the server"},
    {"logmsg", method(logmsg), METH_VARARGS, "a line in the daemon's log"},
    {"logjobmsg", method(logjobmsg), METH_VARARGS, "a line about a job in the daemon's log"},
    {"get_local_nodename", method(local_node), METH_NOARGS, "name of this host's natural vnode"},
    {"get_hook_config_file", method(configuration_file), METH_NOARGS, "path of the hook's configuration, or None"},
    {"get_pbs_conf", method(pbs_conf), METH_NOARGS, "the keys of pbs.conf"},
    {"reboot", method(reboot), METH_VARARGS, "reboot this host after the hook"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "pbs", "PBS hooks", -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyObject* make_module() {
  ref module(PyModule_Create(&definition));
  if (!module || !add_exceptions(module.get()) || !add_value_types(module.get()) || !add_maps(module.get()) ||
      !add_objects(module.get()) || !add_event(module.get()) || !add_constants(module.get()) ||
      !add_helpers(module.get()) || !add_exported_types(module.get()))
    return nullptr;
  return module.release();
}

namespace {
// What stays the same for all runs of a worker.
bool describe_home(PyObject* module) {
  ref file(configuration_file(nullptr, nullptr)), conf(pbs_conf(nullptr, nullptr));
  return file && conf && PyModule_AddObjectRef(module, "hook_config_filename", file.get()) == 0 &&
         PyModule_AddObjectRef(module, "pbs_conf", conf.get()) == 0;
}
}  // namespace

bool begin_run() {
  if (current()->serial() == 1) {
    ref module(PyImport_ImportModule("pbs"));
    if (!module || !describe_home(module.get())) return false;
  }
  the_event = make_event();
  return the_event != nullptr;
}

bool end_run() {
  ref event(std::exchange(the_event, nullptr));
  return !event || note_argument_changes(event.get());
}

}  // namespace annals::hooks::py
