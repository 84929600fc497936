#include "hooks-runtime/pbs_module/object.hpp"

#include <set>

#include "events/attributes/table.hpp"
#include "hooks-runtime/catalog/texts.hpp"
#include "hooks-runtime/pbs_module/attribute_rows.hpp"
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/qsub_words.hpp"
#include "hooks-runtime/pbs_module/run_state.hpp"
#include "hooks-runtime/protocol/log_levels.hpp"

namespace annals::hooks::py {
namespace {

using protocol::ObjectKind;

struct py_object {
  PyObject_HEAD object_state* state;
};

PyTypeObject* classes[static_cast<unsigned>(ObjectKind::SCHEDULER) + 1];  // by ObjectKind

object_state& state_in(PyObject* self) { return *reinterpret_cast<py_object*>(self)->state; }

PyTypeObject* class_of(ObjectKind kind) { return classes[static_cast<unsigned>(kind)]; }

PyObject* allocate(object_state state) {
  PyTypeObject* type = class_of(state.kind);
  auto* made = reinterpret_cast<py_object*>(type->tp_alloc(type, 0));
  state.run = current()->serial();
  if (made) made->state = new object_state(std::move(state));
  return reinterpret_cast<PyObject*>(made);
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete &state_in(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// What the names of a job stand for beside its attributes (RS-33, RS-128).
const char* resource_alias(ObjectKind kind, std::string_view name) {
  if (kind != ObjectKind::JOB) return nullptr;
  return name == "select" ? "select" : name == "select_requested" ? "select_requested"
                                                                  : nullptr;
}

bool is_name(ObjectKind kind, std::string_view name) {
  switch (kind) {
    case ObjectKind::JOB:
      return name == "id" || name == "name";
    case ObjectKind::RESERVATION:
      return name == "resvid" || name == "id" || name == "name";
    case ObjectKind::VNODE:
    case ObjectKind::QUEUE:
    case ObjectKind::SERVER:
    case ObjectKind::SCHEDULER:
      return name == "name";
    case ObjectKind::MANAGEMENT:
    case ObjectKind::SERVER_ATTRIBUTE:
      break;
  }
  return false;
}

// management.attribs: attributes of the message whose names begin with "attribs." (hook.capnp: Object).
PyObject* management_attributes(object_state& object) {
  ref list(PyList_New(0));
  if (!list || !object.given || object.is_stale()) return list.release();
  constexpr std::string_view mark = "attribs.";
  for (const auto a : object.given->getAttributes()) {
    const auto name = schema::text(a.getName());
    if (!name.starts_with(mark)) continue;
    object_state one;
    one.kind = ObjectKind::SERVER_ATTRIBUTE;
    one.name = name.substr(mark.size());
    one.where = object.where;
    one.written[{"name", ""}] = one.name;
    one.written[{"resource", ""}] = schema::str(a.getResource());
    one.written[{"value", ""}] = schema::str(a.getValue());
    one.written[{"op", ""}] = std::to_string(static_cast<int>(a.getOp()));
    ref made(allocate(std::move(one)));
    if (!made || PyList_Append(list.get(), made.get()) < 0) return nullptr;
  }
  return list.release();
}

// Its attributes are here if there are any. False: nobody can say, and an exception is pending.
bool is_asked(object_state& object) { return object.known() || !PyErr_Occurred(); }

PyObject* named(object_state& object) {
  if (!object.name.empty() || !object.asked || is_asked(object)) return str(object.name);
  // pbs.server().name on a host that the server is not in reach of: pbs.conf has it.
  const auto name = object.kind == ObjectKind::SERVER ? current()->home().server_name() : std::string_view();
  if (name.empty() || !PyErr_ExceptionMatches(PyExc_RuntimeError)) return nullptr;
  PyErr_Clear();
  return str(name);
}

PyObject* get_attribute(PyObject* self, PyObject* key) {
  object_state& object = state_in(self);
  const std::string_view name = view_of(key);
  if (name.empty()) return nullptr;
  if (name.front() == '_') return PyObject_GenericGetAttr(self, key);
  if (is_name(object.kind, name)) {
    return named(object);
  }
  if (const char* resource = resource_alias(object.kind, name)) {
    if (!is_asked(object)) return nullptr;
    const auto text = object.text("Resource_List", resource);
    return text ? resource_value(resource, *text) : none();
  }
  if (object.kind == ObjectKind::MANAGEMENT && name == "attribs") return management_attributes(object);
  if (const auto* row = attribute_row_of(object.kind, name)) return is_asked(object) ? attribute_value(self, object, name, *row) : nullptr;
  if (name == "attributes") return dict_of(attribute_names(object.kind));
  if (PyObject* found = PyObject_GenericGetAttr(self, key)) return found;
  PyErr_Clear();
  if (!is_asked(object)) return nullptr;
  if (!object.known()) Py_RETURN_NONE;  // it went away since it was named
  return raise(error::unset_attribute_name, std::string(kind_word(object.kind)) + " attribute '" + std::string(name) + "' not found");
}

int set_attribute(PyObject* self, PyObject* key, PyObject* value) {
  const std::string_view name = view_of(key);
  if (name.empty()) return -1;
  object_state& object = state_in(self);
  if (const char* resource = resource_alias(object.kind, name))
    return write_attribute(object, "Resource_List", resource, value ? value : Py_None);
  return write_attribute(object, name, {}, value ? value : Py_None);
}

PyObject* print(PyObject* self) { return named(state_in(self)); }

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  const object_state *x = state_of(a), *y = state_of(b);
  if (!x) Py_RETURN_NOTIMPLEMENTED;
  bool same = false;
  if (y)
    same = x->kind == y->kind && x->name == y->name;
  else if (PyUnicode_Check(b))  // job.queue == "workq"
    same = view_of(b) == x->name;
  return PyBool_FromLong(same == (op == Py_EQ));
}

Py_hash_t hash(PyObject* self) {
  ref name(str(state_in(self).name));
  return name ? PyObject_Hash(name.get()) : -1;
}

// pbs.vnode("name"): an exechost_startup hook puts it into vnode_list to make a vnode. Elsewhere it can only be read.
PyObject* new_vnode(PyTypeObject*, PyObject* args, PyObject*) {
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "s:vnode", &name)) return nullptr;
  object_state state;
  state.kind = ObjectKind::VNODE;
  state.name = name;
  if (std::string_view(current()->event().name) == "exechost_startup")
    state.where = find_parameter(current()->event(), "vnode_list");
  return allocate(std::move(state));
}

// Replaces all resources of a map by those of a mapping: job.Resource_List = {...}; None takes them all away.
int write_map(object_state& object, std::string_view attribute, PyObject* value) {
  if (value != Py_None && !PyMapping_Check(value)) {
    raise(error::bad_attribute_value_type, std::string(attribute) + " value should be a pbs_resource");
    return -1;
  }
  for (const auto& resource : object.resources_of(attribute))
    if (write_attribute(object, attribute, resource, Py_None) < 0) return -1;
  if (value == Py_None) return 0;
  ref items(PyMapping_Items(value));
  if (!items) return -1;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject* pair = PyList_GET_ITEM(items.get(), i);
    const auto name = text_of(PyTuple_GET_ITEM(pair, 0));
    if (!name || write_attribute(object, attribute, *name, PyTuple_GET_ITEM(pair, 1)) < 0) return -1;
  }
  return 0;
}

}  // namespace

bool object_state::is_stale() const { return run != current()->serial(); }

bool object_state::known() {
  if (is_stale()) return false;
  if (!asked || given) return given.has_value() || !asked;
  if (held) return false;  // asked before, and there is none
  held = current()->ask(schema::make<protocol::Question>([&](protocol::Question::Builder q) {
    auto named = q.initObject();
    named.setKind(kind);
    named.setName(name);
  }));
  if (!is_answered(held)) {
    held = {};  // who reads it again asks again
    return false;
  }
  if (!held.get().isObject()) return false;
  given = held.get().getObject();
  if (name.empty()) name = schema::str(given->getName());
  return true;
}

std::optional<std::string_view> object_state::text(std::string_view attribute, std::string_view resource) {
  if (const auto found = written.find(written_name::view{attribute, resource}); found != written.end())
    return found->second;
  if (!known() || !given) return std::nullopt;
  if (values.empty()) {
    const auto all = given->getAttributes();
    values.reserve(all.size());
    for (const auto a : all)
      values.push_back({schema::text(a.getName()), schema::text(a.getResource()), schema::text(a.getValue())});
  }
  for (const auto& v : values)
    if (v.attribute == attribute && v.resource == resource) return v.value;
  if (kind == ObjectKind::JOB && attribute == "Resource_List" && resource == "select_requested") return select_requested();
  if (!is_new_job() || !resource.empty()) return std::nullopt;
  if (attribute == "Rerunable" && text("interactive")) return "False";  // qsub says so of an interactive job
  return said_by_qsub(attribute);
}

bool object_state::is_new_job() const {
  return kind == ObjectKind::JOB && where && std::string_view(current()->event().name) == "queuejob";
}

// Of a job without spare chunks (RS-32): what it asked for, completed, is its schedselect before anything of it was released.
std::optional<std::string_view> object_state::select_requested() {
  const auto orig = text("schedselect_orig", {});
  return orig ? orig : text("schedselect", {});
}

std::vector<std::string> object_state::resources_of(std::string_view attribute) {
  std::set<std::string> names;
  if (known() && given)
    for (const auto a : given->getAttributes())
      if (schema::text(a.getName()) == attribute && a.getResource().size() > 0)
        names.insert(schema::str(a.getResource()));
  for (const auto& [key, value] : written)
    if (key.attribute == attribute && !key.resource.empty()) {
      if (value)
        names.insert(key.resource);
      else
        names.erase(key.resource);
    }
  return {names.begin(), names.end()};
}

object_state* state_of(PyObject* object) {
  return Py_TYPE(object)->tp_dealloc == deallocate ? &state_in(object) : nullptr;  // no class can be derived from ours
}

PyObject* make_object(ObjectKind kind, protocol::Object::Reader given, const parameter* where) {
  object_state state;
  state.kind = kind;
  state.name = schema::str(given.getName());
  state.given = given;
  state.where = where;
  return allocate(std::move(state));
}

namespace {

// A vnode that pbs.server() gave: what may be set in vnode_list may be set there too (pbs guide: runjob, periodic).
const parameter* asked_where(ObjectKind kind) {
  const hook_event& event = current()->event();
  return kind == ObjectKind::VNODE && !is_on_mom(event) ? find_parameter(event, "vnode_list") : nullptr;
}

}  // namespace

bool is_answered(const schema::sealed<protocol::Answer>& answer) {
  if (!answer || !answer.get().isUnknown()) return true;
  raise(PyExc_RuntimeError, schema::str(answer.get().getUnknown()));
  return false;
}

PyObject* make_answered(schema::sealed<protocol::Answer> answer) {
  if (!is_answered(answer)) return nullptr;
  if (!answer || !answer.get().isObject()) Py_RETURN_NONE;
  object_state state;
  state.given = answer.get().getObject();
  state.kind = state.given->getKind();
  if (static_cast<unsigned>(state.kind) >= std::size(classes)) Py_RETURN_NONE;
  state.name = schema::str(state.given->getName());
  state.held = std::move(answer);
  state.where = asked_where(state.kind);
  state.asked = true;
  return allocate(std::move(state));
}

PyObject* make_named(ObjectKind kind, std::string_view name) {
  object_state state;
  state.kind = kind;
  state.name = name;
  state.where = asked_where(kind);
  state.asked = true;
  return allocate(std::move(state));
}

int refuse_write(const object_state& object, std::string_view attribute) {
  if (std::string_view(current()->event().name) == "execjob_launch") {  // RS-73
    current()->log(log_level::debug2, {}, launch_may_only_set);
    raise(error::bad_attribute_value, launch_may_only_set);
  } else if (!object.where || object.where->set == may_set::nothing) {
    raise(error::bad_attribute_value, "attribute '" + std::string(attribute) + "' is part of a readonly object");
  } else {
    raise(error::bad_attribute_value,
          std::string(kind_word(object.kind)) + " attribute '" + std::string(attribute) + "' is readonly");
  }
  return -1;
}

int write_attribute(object_state& object, std::string_view attribute, std::string_view resource, PyObject* value) {
  const auto* row = attribute_row_of(object.kind, attribute);
  if (!row && !is_name(object.kind, attribute)) {
    raise(error::unset_attribute_name, std::string(kind_word(object.kind)) + " attribute '" + std::string(attribute) + "' not found");
    return -1;
  }
  if (!row || !object.where || object.is_stale()) return refuse_write(object, attribute);
  const set_answer answer = may_write(*object.where, attribute, true);
  if (answer == set_answer::read_only_attribute || answer == set_answer::read_only_object)
    return refuse_write(object, attribute);
  if (row->is_map && resource.empty()) return write_map(object, attribute, value);
  std::optional<std::string> after;
  if (value != Py_None) {
    after = resource.empty() ? canonical_attribute(object, attribute, *row, value)
                             : canonical_resource(object, attribute, resource, value);
    if (!after) return -1;
  }
  made_change change;
  change.parameter = object.where->name;
  change.object = object.name;
  change.kind = object.kind;
  change.attribute = attribute;
  change.resource = resource;
  change.before = std::optional<std::string>(object.text(attribute, resource));
  change.after = after;
  change.only_on_reject = object.where->when == may_set_when::on_reject &&
                          may_write(*object.where, attribute, false) == set_answer::only_on_reject;
  current()->change(std::move(change));
  object.written.insert_or_assign({std::string(attribute), std::string(resource)}, std::move(after));
  return 0;
}

bool add_objects(PyObject* module) {
  struct row {
    ObjectKind kind;
    const char* name;
    const char* full_name;
    PyMethodDef* methods;
  };
  static PyMethodDef no_methods[] = {{nullptr, nullptr, 0, nullptr}};
  const row rows[] = {
      {ObjectKind::JOB, "job", "pbs.v1._svr_types._job", job_methods},
      {ObjectKind::VNODE, "vnode", "pbs.v1._svr_types._vnode", vnode_methods},
      {ObjectKind::QUEUE, "queue", "pbs.v1._svr_types._queue", queue_methods},
      {ObjectKind::SERVER, "_server", "pbs.v1._svr_types._server", server_methods},
      {ObjectKind::RESERVATION, "resv", "pbs.v1._svr_types._resv", no_methods},
      {ObjectKind::MANAGEMENT, "management", "pbs.v1._svr_types._management", no_methods},
      {ObjectKind::SERVER_ATTRIBUTE, "server_attribute", "pbs.v1._svr_types._server_attribute", no_methods},
      {ObjectKind::SCHEDULER, "scheduler", "pbs.v1._svr_types._scheduler", no_methods},
  };
  for (const row& r : rows) {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(deallocate)},
                           {Py_tp_getattro, slot(get_attribute)},
                           {Py_tp_setattro, slot(set_attribute)},
                           {Py_tp_str, slot(print)},
                           {Py_tp_richcompare, slot(compare)},
                           {Py_tp_hash, slot(hash)},
                           {Py_tp_methods, r.methods},
                           {0, nullptr},
                           {0, nullptr}};
    const bool can_be_made = r.kind == ObjectKind::VNODE;
    if (can_be_made) slots[std::size(slots) - 2] = {Py_tp_new, slot(new_vnode)};
    const unsigned long flags =
        can_be_made ? Py_TPFLAGS_DEFAULT : Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    PyType_Spec spec = {r.full_name, sizeof(py_object), 0, static_cast<unsigned>(flags), slots};
    PyObject* made = PyType_FromSpec(&spec);
    if (!made || PyModule_AddObjectRef(module, r.name, made) < 0) return false;
    classes[static_cast<unsigned>(r.kind)] = reinterpret_cast<PyTypeObject*>(made);
  }
  return true;
}

}  // namespace annals::hooks::py
