// pbs.pbs_env: variables of a job's Variable_List, or of the program an execjob_launch hook sees. A dict by use; it
// keeps the order of the variables and writes through.
#include <algorithm>

#include "events/values/string_list.hpp"
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/object.hpp"
#include "hooks-runtime/pbs_module/resource_map.hpp"
#include "hooks-runtime/pbs_module/run_state.hpp"

namespace annals::hooks::py {
namespace {

PyObject* environment_class;

enum class bound_to : std::uint8_t { nothing,
                                     attribute,
                                     event };

struct contents {
  bound_to where = bound_to::nothing;
  ref owner;
  std::string attribute;
  std::vector<values::named_value> pairs;
};

struct environment_object {
  PyObject_HEAD contents* held;
};

contents& held_by(PyObject* self) { return *reinterpret_cast<environment_object*>(self)->held; }

auto find(contents& in, std::string_view name) { return std::ranges::find(in.pairs, name, &values::named_value::name); }

// The value of that name; a new one at that place, or last.
void put(contents& in, std::ptrdiff_t place, const std::string& name, const std::string& value) {
  if (const auto known = find(in, name); known != in.pairs.end())
    known->value = value;
  else
    in.pairs.insert(in.pairs.begin() + std::min(place, std::ssize(in.pairs)), {name, value});
}

// Of a Variable_List as it is printed.
std::vector<values::named_value> pairs_in(std::string_view text) {
  std::vector<values::named_value> pairs;
  const auto elements = values::split_list(text);
  pairs.reserve(elements.size() + 1);  // most scripts add one
  for (const auto& element : elements) {
    const auto equals = std::min(element.find('='), element.size());
    pairs.push_back({element.substr(0, equals), element.substr(std::min(equals + 1, element.size()))});
  }
  return pairs;
}

PyObject* allocate(contents what) {
  auto* type = reinterpret_cast<PyTypeObject*>(environment_class);
  auto* made = reinterpret_cast<environment_object*>(type->tp_alloc(type, 0));
  if (made) made->held = new contents(std::move(what));
  return reinterpret_cast<PyObject*>(made);
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<environment_object*>(self)->held;
  type->tp_free(self);
  Py_DECREF(type);
}

// The change is made known; -1: it is not allowed.
int write_through(PyObject* self, std::string_view name, const std::optional<std::string>& before,
                  const std::optional<std::string>& after) {
  const contents& in = held_by(self);
  if (in.where == bound_to::attribute) return write_attribute(*state_of(in.owner.get()), in.attribute, {}, self);
  if (in.where == bound_to::event) {
    made_change change;
    change.parameter = "env";
    change.attribute = name;
    change.before = before;
    change.after = after;
    current()->change(std::move(change));
  }
  return 0;
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  contents& in = held_by(self);
  const auto name = text_of(key);
  if (!name) return -1;
  if (name->empty() || name->find('=') != std::string::npos)
    return raise(PyExc_ValueError, "not a name of a variable"), -1;
  const auto text = value && value != Py_None ? text_of(value) : std::nullopt;
  if (PyErr_Occurred()) return -1;
  const auto at = find(in, *name);
  const auto place = at - in.pairs.begin();
  std::optional<std::string> before;
  if (at != in.pairs.end()) before = at->value;
  if (!text && !before) return raise(PyExc_KeyError, *name), -1;
  if (text)
    put(in, place, *name, *text);
  else
    in.pairs.erase(at);
  if (write_through(self, *name, before, text) == 0) return 0;
  // The exception may have set off a script's __del__, and that may have set variables too: nothing has its place for sure.
  if (before)
    put(in, place, *name, *before);
  else
    std::erase_if(in.pairs, [&](const values::named_value& v) { return v.name == *name; });
  return -1;
}

PyObject* get_item(PyObject* self, PyObject* key) {
  contents& in = held_by(self);
  const auto at = PyUnicode_Check(key) ? find(in, view_of(key)) : in.pairs.end();
  if (at != in.pairs.end()) return str(at->value);
  PyErr_SetObject(PyExc_KeyError, key);
  return nullptr;
}

Py_ssize_t length(PyObject* self) { return static_cast<Py_ssize_t>(held_by(self).pairs.size()); }

int contains(PyObject* self, PyObject* key) {
  contents& in = held_by(self);
  return PyUnicode_Check(key) && find(in, view_of(key)) != in.pairs.end() ? 1 : 0;
}

PyObject* listed(PyObject* self, PyObject* (*one)(const values::named_value&)) {
  ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const auto& pair : held_by(self).pairs) {
    ref item(one(pair));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.release();
}
PyObject* keys(PyObject* self, PyObject*) {
  return listed(self, [](const auto& p) { return str(p.name); });
}
PyObject* values_of(PyObject* self, PyObject*) {
  return listed(self, [](const auto& p) { return str(p.value); });
}
PyObject* items(PyObject* self, PyObject*) {
  return listed(self, [](const auto& p) -> PyObject* {
    ref name(str(p.name)), value(str(p.value));
    return name && value ? PyTuple_Pack(2, name.get(), value.get()) : nullptr;
  });
}

PyObject* get(PyObject* self, PyObject* args) {
  PyObject *key = nullptr, *otherwise = Py_None;
  if (!PyArg_ParseTuple(args, "O|O", &key, &otherwise)) return nullptr;
  return contains(self, key) ? get_item(self, key) : Py_NewRef(otherwise);
}

PyObject* iterate(PyObject* self) {
  ref list(keys(self, nullptr));
  return list ? PyObject_GetIter(list.get()) : nullptr;
}

PyObject* as_dict(PyObject* self, PyObject*) {
  ref pairs(items(self, nullptr));
  ref dict(PyDict_New());
  if (!pairs || !dict || PyDict_MergeFromSeq2(dict.get(), pairs.get(), 1) < 0) return nullptr;
  return dict.release();
}

PyObject* print_as_dict(PyObject* self) {
  ref dict(as_dict(self, nullptr));
  return dict ? PyObject_Repr(dict.get()) : nullptr;
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || (!variables_in(b) && !PyDict_Check(b))) Py_RETURN_NOTIMPLEMENTED;
  ref x(as_dict(a, nullptr)), y(variables_in(b) ? as_dict(b, nullptr) : Py_NewRef(b));
  return x && y ? PyObject_RichCompare(x.get(), y.get(), op) : nullptr;
}

// For copy and pickle: a copy belongs to no job.
PyObject* reduce(PyObject* self, PyObject*) {
  ref dict(as_dict(self, nullptr));
  return dict ? Py_BuildValue("(O(O))", Py_TYPE(self), dict.get()) : nullptr;
}

int set_all(PyObject* self, PyObject* from) {
  ref pairs(PyMapping_Items(from));
  if (!pairs) return -1;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs.get()); ++i) {
    PyObject* pair = PyList_GET_ITEM(pairs.get(), i);
    if (set_item(self, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)) < 0) return -1;
  }
  return 0;
}

PyObject* update(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* from = nullptr;
  if (!PyArg_ParseTuple(args, "|O:update", &from)) return nullptr;
  if ((from && set_all(self, from) < 0) || (kwargs && set_all(self, kwargs) < 0)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* pop(PyObject* self, PyObject* args) {
  PyObject *key = nullptr, *otherwise = nullptr;
  if (!PyArg_ParseTuple(args, "O|O:pop", &key, &otherwise)) return nullptr;
  if (otherwise && !contains(self, key)) return Py_NewRef(otherwise);
  ref value(get_item(self, key));
  return value && set_item(self, key, nullptr) == 0 ? value.release() : nullptr;
}

PyObject* set_default(PyObject* self, PyObject* args) {
  PyObject *key = nullptr, *value = nullptr;
  if (!PyArg_ParseTuple(args, "OO:setdefault", &key, &value)) return nullptr;
  if (!contains(self, key) && set_item(self, key, value) < 0) return nullptr;
  return get_item(self, key);
}

PyObject* print(PyObject* self) { return str(list_of(held_by(self).pairs)); }

PyObject* new_environment(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* from = nullptr;
  if (!PyArg_ParseTuple(args, "|O", &from)) return nullptr;
  ref made(allocate({}));
  if (!made || !from || from == Py_None) return made.release();
  if (PyUnicode_Check(from)) {
    held_by(made.get()).pairs = pairs_in(view_of(from));
    return PyErr_Occurred() ? nullptr : made.release();
  }
  return set_all(made.get(), from) == 0 ? made.release() : nullptr;
}

PyMethodDef methods[] = {{"keys", method(keys), METH_NOARGS, "names of the variables"},
                         {"items", method(items), METH_NOARGS, "pairs of name and value"},
                         {"values", method(values_of), METH_NOARGS, "the values"},
                         {"get", method(get), METH_VARARGS, "a value, or what is given for none"},
                         {"copy", method(as_dict), METH_NOARGS, "a dict of the variables"},
                         {"update", method(update), METH_VARARGS | METH_KEYWORDS, "sets those of another"},
                         {"pop", method(pop), METH_VARARGS, "takes a variable away"},
                         {"setdefault", method(set_default), METH_VARARGS, "a value, set if there is none"},
                         {"__reduce__", method(reduce), METH_NOARGS, "how to copy it"},
                         {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::string list_of(const std::vector<values::named_value>& variables) {
  std::string out;
  for (const auto& [name, value] : variables) {
    if (!out.empty()) out += ',';
    values::append_escaped(out, name);
    out += '=';
    values::append_escaped(out, value);
  }
  return out;
}

PyObject* make_variables(PyObject* owner, std::string_view attribute) {
  contents what;
  what.where = bound_to::attribute;
  what.owner = ref::share(owner);
  what.attribute = attribute;
  what.pairs = pairs_in(state_of(owner)->text(attribute).value_or(""));
  return allocate(std::move(what));
}

PyObject* make_environment(std::vector<values::named_value> from) {
  contents what;
  what.where = bound_to::event;
  what.pairs = std::move(from);
  return allocate(std::move(what));
}

const std::vector<values::named_value>* variables_in(PyObject* object) {
  if (!PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(environment_class))) return nullptr;
  return &held_by(object).pairs;
}

bool add_environment_type(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_new, slot(new_environment)},
                         {Py_tp_dealloc, slot(deallocate)},
                         {Py_tp_str, slot(print)},
                         {Py_tp_repr, slot(print_as_dict)},
                         {Py_tp_richcompare, slot(compare)},
                         {Py_tp_hash, slot(PyObject_HashNotImplemented)},
                         {Py_tp_iter, slot(iterate)},
                         {Py_tp_methods, methods},
                         {Py_mp_subscript, slot(get_item)},
                         {Py_mp_ass_subscript, slot(set_item)},
                         {Py_mp_length, slot(length)},
                         {Py_sq_contains, slot(contains)},
                         {0, nullptr}};
  PyType_Spec spec = {"pbs.v1._base_types.pbs_env", sizeof(environment_object), 0, Py_TPFLAGS_DEFAULT, slots};
  environment_class = PyType_FromSpec(&spec);
  return environment_class && PyModule_AddObjectRef(module, "pbs_env", environment_class) == 0;
}

}  // namespace annals::hooks::py
