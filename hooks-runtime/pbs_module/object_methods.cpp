// Methods of jobs, vnodes, queues and the server. What they want done is noted in the run; what they want to know is
// asked.
#include "events/values/node_state.hpp"
#include "events/values/select.hpp"
#include "events/values/string_list.hpp"
#include "events/values/tolerance.hpp"
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/object.hpp"
#include "hooks-runtime/pbs_module/run_state.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"
#include "hooks-runtime/protocol/log_levels.hpp"

namespace annals::hooks::py {
namespace {

using protocol::ObjectKind;

template <class Fill>
schema::sealed<protocol::Answer> ask(Fill fill) {
  return current()->ask(schema::make<protocol::Question>(std::move(fill)));
}

// -- jobs -----------------------------------------------------------------------------------------------------------

PyObject* end_of_run(run_state::act what, const char* name, PyObject* job) {
  if (!is_on_mom(current()->event())) return raise(PyExc_NotImplementedError, std::string(name) + ": only for mom hooks");
  current()->action(what, state_of(job)->name);
  Py_RETURN_NONE;
}
PyObject* rerun(PyObject* self, PyObject*) { return end_of_run(run_state::act::rerun, "rerun()", self); }
PyObject* remove(PyObject* self, PyObject*) { return end_of_run(run_state::act::remove, "delete()", self); }

PyObject* in_ms_mom(PyObject*, PyObject*) { return PyBool_FromLong(current()->request().getPrimary()); }

PyObject* is_checkpointed(PyObject* self, PyObject*) {
  const auto text = state_of(self)->text("Checkpoint");
  return PyBool_FromLong(text && (text->starts_with('c') || text->starts_with('w')));
}

// Where the program's output goes on this host: without the host in front.
PyObject* output_file(PyObject* self, const char* attribute) {
  const auto path = state_of(self)->text(attribute);
  if (!path) Py_RETURN_NONE;
  const auto colon = path->find(':');
  return str(colon == std::string::npos ? *path : path->substr(colon + 1));
}
PyObject* stdout_file(PyObject* self, PyObject*) { return output_file(self, "Output_Path"); }
PyObject* stderr_file(PyObject* self, PyObject*) { return output_file(self, "Error_Path"); }

// A launch on another host is a later task's: a hook that does not look where it runs must not keep that from starting (RS-111).
enum class release_right : std::uint8_t { none,
                                          keeps_all,
                                          may };
release_right release_right_of(const run_state& run) {  // RS-86, RS-87
  const std::string_view event = run.event().name;
  if (event == "execjob_launch") return run.request().getPrimary() ? release_right::may : release_right::keeps_all;
  return event == "execjob_prologue" && run.request().getPrimary() ? release_right::may : release_right::none;
}

// A dict of vnodes, as vnode_list_fail is. Nothing: it is none.
std::optional<std::vector<std::string>> vnodes_in(PyObject* value) {
  if (!PyDict_Check(value)) return std::nullopt;
  std::vector<std::string> names;
  PyObject *key, *item;
  for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item);) {
    const auto name = text_of(key);
    if (!name) return std::nullopt;
    names.push_back(*name);
  }
  return names;
}

PyObject* released_vnodes(PyObject* given, const std::vector<std::string>& names) {
  ref out(PyDict_New());
  for (const auto& name : names) {
    ref key(str(name));
    PyObject* vnode = key ? PyDict_GetItemWithError(given, key.get()) : nullptr;
    if (!out || (vnode && PyDict_SetItem(out.get(), key.get(), vnode) < 0)) return nullptr;
  }
  return out.release();
}

bool bears_failures(object_state& job) {
  values::tolerance_words words;
  for (const auto& [attribute, resource] : values::tolerance_words::names)
    words.take(attribute, resource, job.text(attribute, resource).value_or(""));
  return words.bears() != values::tolerance::none;
}

// RS-84 to RS-94. The daemon plans the release and answers with the job as it will be; the release itself is an action
// of the reply, because nothing that a script does happens before its verdict.
PyObject* release_nodes(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject *what = nullptr, *node_list = nullptr, *nodes_list = nullptr, *keep_select = nullptr;
  static const char* names[] = {"node_list", "keep_select", "nodes_list", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOO:release_nodes", const_cast<char**>(names), &node_list,
                                   &keep_select, &nodes_list))
    return nullptr;
  what = keep_select && keep_select != Py_None ? keep_select
         : node_list && node_list != Py_None   ? node_list
                                               : nodes_list;
  const auto right = release_right_of(*current());
  if (!what || what == Py_None || right == release_right::none) Py_RETURN_NONE;
  if (right == release_right::keeps_all) return Py_NewRef(self);
  const object_state& job = *state_of(self);
  const auto vnodes = vnodes_in(what);
  const auto select = vnodes ? std::nullopt : PyUnicode_Check(what) ? text_of(what)
                                                                    : std::nullopt;
  if (PyErr_Occurred()) return nullptr;
  if (!vnodes && (!select || !values::parse_select(*select))) Py_RETURN_NONE;
  if (!bears_failures(*state_of(self))) {  // RS-94
    current()->log(log_level::debug, job.name, "no nodes released as job does not tolerate node failures");
    return Py_NewRef(self);
  }
  const auto answer = ask([&](protocol::Question::Builder q) {
    auto r = q.initReleaseNodes();
    r.setJob(job.name);
    if (select) r.setKeepSelect(*select);
    auto list = r.initVnodes(static_cast<unsigned>(vnodes ? vnodes->size() : 0));
    for (unsigned i = 0; i < list.size(); ++i) list.set(i, (*vnodes)[i]);
  });
  if (!answer || answer.get().isNone()) Py_RETURN_NONE;
  current()->released(job.name, select.value_or(""), vnodes.value_or(std::vector<std::string>{}));
  return vnodes ? released_vnodes(what, *vnodes) : make_answered(answer);
}

// -- vnodes ---------------------------------------------------------------------------------------------------------

// By pbs.REVERSE_NODE_STATE, as PBS does it: a mask that has one of the bits is named too.
PyObject* state_parts(PyObject* self, bool names) {
  const auto state = state_of(self)->text("state");
  if (PyErr_Occurred()) return nullptr;
  const auto bits = values::parse_node_state(state.value_or("free")).value_or(0);
  ref module(PyImport_ImportModule("pbs"));
  ref table(module ? PyObject_GetAttrString(module.get(), "REVERSE_NODE_STATE") : nullptr);
  ref list(table ? PyList_New(0) : nullptr);
  if (!list) return nullptr;
  PyObject *number, *name;
  for (Py_ssize_t at = 0; PyDict_Check(table.get()) && PyDict_Next(table.get(), &at, &number, &name);) {
    const auto mask = PyLong_Check(number) ? static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(number)) : 0;
    const bool fits = bits == 0 ? mask == 0 : (bits & mask) != 0;
    if (fits && PyList_Append(list.get(), names ? name : number) < 0) return nullptr;
  }
  return list.release();
}
PyObject* state_strs(PyObject* self, PyObject*) { return state_parts(self, true); }
PyObject* state_ints(PyObject* self, PyObject*) { return state_parts(self, false); }

// -- the server and queues ------------------------------------------------------------------------------------------

PyObject* one_of(ObjectKind kind, PyObject* args) {
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(args, "O", &name)) return nullptr;
  const auto text = text_of(name);
  if (!text) return nullptr;
  return make_answered(ask([&](protocol::Question::Builder q) {
    auto named = q.initObject();
    named.setKind(kind);
    named.setName(*text);
  }));
}

PyObject* iterator_of(ObjectKind kind, const schema::sealed<protocol::Answer>& answer) {
  if (!is_answered(answer)) return nullptr;
  ref list(PyList_New(0));
  if (list && answer && answer.get().isNames())
    for (const auto name : answer.get().getNames()) {
      ref item(make_named(kind, schema::text(name)));
      if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
    }
  return list ? PyObject_GetIter(list.get()) : nullptr;
}

PyObject* all_of(ObjectKind kind) {
  return iterator_of(kind, ask([&](protocol::Question::Builder q) { q.setNames(kind); }));
}

PyObject* server_queue(PyObject*, PyObject* args) { return one_of(ObjectKind::QUEUE, args); }
PyObject* server_job(PyObject*, PyObject* args) { return one_of(ObjectKind::JOB, args); }
PyObject* server_vnode(PyObject*, PyObject* args) { return one_of(ObjectKind::VNODE, args); }
PyObject* server_resv(PyObject*, PyObject* args) { return one_of(ObjectKind::RESERVATION, args); }
PyObject* server_queues(PyObject*, PyObject*) { return all_of(ObjectKind::QUEUE); }
PyObject* server_jobs(PyObject*, PyObject*) { return all_of(ObjectKind::JOB); }
PyObject* server_vnodes(PyObject*, PyObject*) { return all_of(ObjectKind::VNODE); }
PyObject* server_scheduler(PyObject*, PyObject* args) { return one_of(ObjectKind::SCHEDULER, args); }
PyObject* server_schedulers(PyObject*, PyObject*) { return all_of(ObjectKind::SCHEDULER); }
PyObject* server_resvs(PyObject*, PyObject*) { return all_of(ObjectKind::RESERVATION); }

PyObject* restart_cycle(PyObject*, PyObject*) {
  current()->action(run_state::act::restart_cycle, {});
  Py_RETURN_NONE;
}

PyObject* queue_jobs(PyObject* self, PyObject*) {
  const std::string& name = state_of(self)->name;
  return iterator_of(ObjectKind::JOB, ask([&](protocol::Question::Builder q) { q.setJobsOf(name); }));
}

PyObject* queue_job(PyObject* self, PyObject* args) {
  ref job(one_of(ObjectKind::JOB, args));
  if (!job || job.get() == Py_None) return job.release();
  if (state_of(job.get())->text("queue") != state_of(self)->name) Py_RETURN_NONE;
  return job.release();
}

}  // namespace

PyMethodDef job_methods[] = {
    {"rerun", method(rerun), METH_NOARGS, "requeue the job"},
    {"delete", method(remove), METH_NOARGS, "delete the job"},
    {"in_ms_mom", method(in_ms_mom), METH_NOARGS, "whether this host is the job's primary one"},
    {"is_checkpointed", method(is_checkpointed), METH_NOARGS, "whether the job is checkpointed"},
    {"stdout_file", method(stdout_file), METH_NOARGS, "path of the job's standard output"},
    {"stderr_file", method(stderr_file), METH_NOARGS, "path of the job's standard error"},
    {"release_nodes", method(release_nodes), METH_VARARGS | METH_KEYWORDS, "give vnodes of the job back"},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef vnode_methods[] = {
    {"extract_state_strs", method(state_strs), METH_NOARGS, "names of the state's constants"},
    {"extract_state_ints", method(state_ints), METH_NOARGS, "the state's constants"},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef queue_methods[] = {{"job", method(queue_job), METH_VARARGS, "a job of the queue, or None"},
                               {"jobs", method(queue_jobs), METH_NOARGS, "iterator over the queue's jobs"},
                               {nullptr, nullptr, 0, nullptr}};

PyMethodDef server_methods[] = {
    {"queue", method(server_queue), METH_VARARGS, "a queue by name, or None"},
    {"job", method(server_job), METH_VARARGS, "a job by id, or None"},
    {"vnode", method(server_vnode), METH_VARARGS, "a vnode by name, or None"},
    {"resv", method(server_resv), METH_VARARGS, "a reservation by id, or None"},
    {"queues", method(server_queues), METH_NOARGS, "iterator over the queues"},
    {"jobs", method(server_jobs), METH_NOARGS, "iterator over the jobs"},
    {"vnodes", method(server_vnodes), METH_NOARGS, "iterator over the vnodes"},
    {"resvs", method(server_resvs), METH_NOARGS, "iterator over the reservations"},
    {"scheduler", method(server_scheduler), METH_VARARGS, "a scheduler object by name, or None"},
    {"schedulers", method(server_schedulers), METH_NOARGS, "iterator over the scheduler objects"},
    {"scheduler_restart_cycle", method(restart_cycle), METH_NOARGS, "ask for a new scheduling cycle"},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef object_getters[] = {{"get_job", method(server_job), METH_VARARGS, "a job by id, or None"},
                                {"get_queue", method(server_queue), METH_VARARGS, "a queue by name, or None"},
                                {"get_resv", method(server_resv), METH_VARARGS, "a reservation by id, or None"},
                                {"get_vnode", method(server_vnode), METH_VARARGS, "a vnode by name, or None"},
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace annals::hooks::py
