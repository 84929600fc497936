// pbs.event(): what happened, and the verdict. Its parameters are made once per run and kept, so that each use sees
// what an earlier one wrote.
#include <algorithm>
#include <vector>

#include "events/values/resource_list.hpp"
#include "hooks-runtime/catalog/texts.hpp"
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/login_shell.hpp"
#include "hooks-runtime/pbs_module/module.hpp"
#include "hooks-runtime/pbs_module/object.hpp"
#include "hooks-runtime/pbs_module/resource_map.hpp"
#include "hooks-runtime/pbs_module/run_state.hpp"
#include "hooks-runtime/protocol/log_levels.hpp"

namespace annals::hooks::py {
namespace {

using protocol::ObjectKind;

PyObject* event_class;

struct kept_parameter {
  std::string_view name;
  ref value;
};
struct event_object {
  PyObject_HEAD std::vector<kept_parameter>* parameters;  // those that were asked for
};

// Null when it was not asked for yet.
ref& kept_value(PyObject* self, std::string_view name) {
  auto& all = *reinterpret_cast<event_object*>(self)->parameters;
  const auto found = std::ranges::find(all, name, &kept_parameter::name);
  return found != all.end() ? found->value : all.emplace_back(kept_parameter{name, {}}).value;
}

ObjectKind kind_of(parameter_kind kind) {
  switch (kind) {
    case parameter_kind::vnode:
    case parameter_kind::vnodes:
      return ObjectKind::VNODE;
    case parameter_kind::reservation:
    case parameter_kind::reservations:
      return ObjectKind::RESERVATION;
    case parameter_kind::management:
      return ObjectKind::MANAGEMENT;
    case parameter_kind::job:
    case parameter_kind::jobs:
    case parameter_kind::queue:
    case parameter_kind::text:
    case parameter_kind::number:
    case parameter_kind::texts:
    case parameter_kind::pairs:
      break;
  }
  return ObjectKind::JOB;
}

PyObject* objects_by_name(const parameter& what, capnp::List<protocol::Object>::Reader given) {
  ref dict(PyDict_New());
  for (const auto one : given) {
    ref made(make_object(kind_of(what.kind), one, &what));
    ref name(str(schema::text(one.getName())));
    if (!dict || !made || !name || PyDict_SetItem(dict.get(), name.get(), made.get()) < 0) return nullptr;
  }
  return dict.release();
}

PyObject* texts_of(capnp::List<capnp::Text>::Reader given) {
  ref list(PyList_New(0));
  for (const auto one : given) {
    ref item(str(schema::text(one)));
    if (!list || !item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* made_from(const parameter& what, protocol::Parameter::Reader given) {
  switch (given.which()) {
    case protocol::Parameter::OBJECT:
      return make_object(kind_of(what.kind), given.getObject(), &what);
    case protocol::Parameter::OBJECTS:
      return objects_by_name(what, given.getObjects());
    case protocol::Parameter::TEXT:
      if (what.name == std::string_view("progname")) return str(program_of(current()->request()));
      if (what.kind == parameter_kind::queue) return make_named(ObjectKind::QUEUE, schema::text(given.getText()));
      return str(schema::text(given.getText()));
    case protocol::Parameter::NUMBER:
      return PyLong_FromLongLong(given.getNumber());
    case protocol::Parameter::TEXTS:
      if (what.name == std::string_view("argv") && given.getTexts().size() == 0)
        return Py_BuildValue("[N]", str(login_name_of(program_of(current()->request()))));
      return texts_of(given.getTexts());
    case protocol::Parameter::PAIRS: {
      std::vector<values::named_value> pairs;
      for (const auto pair : given.getPairs())
        pairs.push_back({schema::str(pair.getName()), schema::str(pair.getValue())});
      return make_environment(std::move(pairs));
    }
  }
  Py_RETURN_NONE;
}

// A parameter that the daemon had nothing for: an empty dict where a dict is due (RS-65), else None.
PyObject* made_empty(const parameter& what) {
  switch (what.kind) {
    case parameter_kind::vnodes:
    case parameter_kind::jobs:
    case parameter_kind::reservations:
      return PyDict_New();
    case parameter_kind::texts:
      return PyList_New(0);
    case parameter_kind::pairs:
      return make_environment({});
    case parameter_kind::job:
    case parameter_kind::vnode:
    case parameter_kind::reservation:
    case parameter_kind::management:
    case parameter_kind::queue:
    case parameter_kind::text:
    case parameter_kind::number:
      break;
  }
  Py_RETURN_NONE;
}

PyObject* parameter_value(PyObject* self, const parameter& what) {
  if (const ref& kept = kept_value(self, what.name)) return Py_NewRef(kept.get());
  ref value;
  for (const auto given : current()->request().getParameters())
    if (schema::text(given.getName()) == what.name) value = ref(made_from(what, given));
  if (!value && !PyErr_Occurred()) value = ref(made_empty(what));
  kept_value(self, what.name) = value;
  return value.release();
}

// The hook's own settings; nullptr without an exception: no such field.
PyObject* setting(std::string_view name) {
  const auto request = current()->request();
  const auto hook = request.getHook();
  if (name == "type") return PyLong_FromUnsignedLong(request.getEvent());
  if (name == "hook_name") return str(schema::text(request.getHookName()));
  if (name == "hook_type") return str(schema::text(hook.getType()));
  if (name == "hook_euser") return str(schema::text(hook.getEuser()));
  if (name == "requestor") return str(schema::text(request.getRequestor()));
  if (name == "requestor_host") return str(schema::text(request.getRequestorHost()));
  if (name == "freq") return PyLong_FromUnsignedLong(hook.getFreq());
  if (name == "user") return str(schema::text(hook.getUser()));
  if (name == "alarm") return PyLong_FromUnsignedLong(hook.getAlarm());
  if (name == "debug") return PyBool_FromLong(hook.getDebug());
  if (name == "enabled") return PyBool_FromLong(1);  // or it would not run
  if (name == "fail_action") return str(schema::text(hook.getFailAction()));
  if (name == "order") return PyLong_FromLong(hook.getOrder());
  return nullptr;
}

// `_param` of PBS's event: what it carries, by name.
PyObject* all_parameters(PyObject* self) {
  ref dict(PyDict_New());
  for (const parameter& what : current()->event().parameters) {
    ref value(parameter_value(self, what));
    if (!dict || !value || PyDict_SetItemString(dict.get(), what.name, value.get()) < 0) return nullptr;
  }
  return dict.release();
}

PyObject* get_attribute(PyObject* self, PyObject* key) {
  const std::string_view name = view_of(key);
  if (name.empty()) return nullptr;
  if (const parameter* what = find_parameter(current()->event(), name)) return parameter_value(self, *what);
  if (PyObject* value = setting(name); value || PyErr_Occurred()) return value;
  if (name == "_param") return all_parameters(self);
  if (name == "attributes")
    return dict_of({"_param", "freq", "hook_name", "hook_type", "requestor", "requestor_host", "type"});
  if (PyObject* found = PyObject_GenericGetAttr(self, key)) return found;
  PyErr_Clear();
  return raise(error::event_incompatible, '"' + std::string(name) + "\" not found in self._param");
}

// progname, argv and env of an execjob_launch hook.
int set_whole(PyObject* self, const parameter& what, PyObject* value) {
  made_change change;
  change.parameter = what.name;
  ref kept = ref::share(value);
  if (what.kind == parameter_kind::texts) {
    ref list(PySequence_List(value));
    if (!list || PyUnicode_Check(value))
      return raise(error::bad_attribute_value_type, "argv should be a list of str"), -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
      const auto text = text_of(PyList_GET_ITEM(list.get(), i));
      if (!text) return -1;
      change.after_texts.push_back(*text);
    }
    change.after = "";
    kept = list;
  } else if (what.kind == parameter_kind::pairs) {
    // Variables are changed one by one, so that the record says which.
    ref old(parameter_value(self, what));
    ref names(old ? PyMapping_Keys(old.get()) : nullptr);
    ref items(PyMapping_Check(value) ? PyMapping_Items(value) : nullptr);
    if (!names || !items) return raise(error::bad_attribute_value_type, "env should be a dict"), -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); ++i)
      if (!PyMapping_HasKey(value, PyList_GET_ITEM(names.get(), i)) &&
          PyObject_DelItem(old.get(), PyList_GET_ITEM(names.get(), i)) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
      PyObject* pair = PyList_GET_ITEM(items.get(), i);
      if (PyObject_SetItem(old.get(), PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)) < 0) return -1;
    }
    return 0;
  } else {
    const auto text = PyUnicode_Check(value) ? text_of(value) : std::nullopt;
    if (!text) return raise(error::bad_attribute_value_type, std::string(what.name) + " should be a str"), -1;
    change.after = *text;
    ref before(parameter_value(self, what));
    if (before && PyUnicode_Check(before.get())) change.before = text_of(before.get());
  }
  current()->change(std::move(change));
  kept_value(self, what.name) = std::move(kept);
  return 0;
}

int set_attribute(PyObject* self, PyObject* key, PyObject* value) {
  const std::string_view name = view_of(key);
  const parameter* what = find_parameter(current()->event(), name);
  if (value && what && what->set == may_set::whole) return set_whole(self, *what, value);
  if (std::string_view(current()->event().name) == "execjob_launch") {
    current()->log(log_level::debug2, {}, launch_may_only_set);
    return raise(error::bad_attribute_value, launch_may_only_set), -1;
  }
  if (!what && !ref(setting(name)))
    return raise(error::unset_attribute_name, "event attribute '" + std::string(name) + "' not found"), -1;
  return raise(error::bad_attribute_value, "event attribute '" + std::string(name) + "' is readonly"), -1;
}

// -- the verdict ----------------------------------------------------------------------------------------------------

// Both end the script with SystemExit, which `except Exception` does not swallow (pbs guide: "accept", "reject").
PyObject* accept(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"ecode", nullptr};
  PyObject* code = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:accept", const_cast<char**>(names), &code)) return nullptr;
  if (code && PyUnicode_Check(code))
    return raise(PyExc_TypeError, "accept() takes no text: only reject() tells the user something"), nullptr;
  if (code && PyLong_AsLong(code) == -1 && PyErr_Occurred()) return nullptr;
  current()->accept();
  PyErr_SetNone(PyExc_SystemExit);
  return nullptr;
}

PyObject* reject(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"emsg", "ecode", nullptr};
  PyObject* message = nullptr;
  int code = 255;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Oi:reject", const_cast<char**>(names), &message, &code))
    return nullptr;
  const auto text = message && message != Py_None ? text_of(message) : std::string();
  if (!text) return nullptr;
  current()->reject(*text, code);
  PyErr_SetNone(PyExc_SystemExit);
  return nullptr;
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<event_object*>(self)->parameters;
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"accept", method(accept), METH_VARARGS | METH_KEYWORDS, "ends the script; what it changed holds"},
    {"reject", method(reject), METH_VARARGS | METH_KEYWORDS, "ends the script and refuses"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* make_event() {
  auto* type = reinterpret_cast<PyTypeObject*>(event_class);
  auto* made = reinterpret_cast<event_object*>(type->tp_alloc(type, 0));
  if (made) made->parameters = new std::vector<kept_parameter>();
  return reinterpret_cast<PyObject*>(made);
}

// argv is a plain list: what a script did to it in place is seen only at the end.
bool note_argument_changes(PyObject* event) {
  const parameter* argv = find_parameter(current()->event(), "argv");
  if (!argv) return true;
  const ref now = kept_value(event, argv->name);
  if (!now) return true;
  ref before(nullptr);
  for (const auto given : current()->request().getParameters())
    if (schema::text(given.getName()) == "argv" && given.isTexts()) before = ref(made_from(*argv, given));
  if (!before) before = ref(PyList_New(0));
  const int same = before ? PyObject_RichCompareBool(before.get(), now.get(), Py_EQ) : -1;
  if (same < 0) return false;
  return same == 1 || set_whole(event, *argv, now.get()) == 0;
}

bool add_event(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_dealloc, slot(deallocate)},
                         {Py_tp_getattro, slot(get_attribute)},
                         {Py_tp_setattro, slot(set_attribute)},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec = {"pbs.v1._svr_types._event", sizeof(event_object), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  event_class = PyType_FromSpec(&spec);
  return event_class && PyModule_AddObjectRef(module, "_event", event_class) == 0;
}

}  // namespace annals::hooks::py
