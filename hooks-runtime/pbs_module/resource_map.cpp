// pbs.pbs_resource. Bound to an attribute of an object it reads and writes through; free (vchunk,
// pbs.pbs_resource(...)) it keeps its own values. An unset resource reads as None, as in PBS.
#include "hooks-runtime/pbs_module/resource_map.hpp"

#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/object.hpp"
#include "hooks-runtime/pbs_module/run_state.hpp"

namespace annals::hooks::py {
namespace {

PyObject* resource_class;

struct contents {
  ref owner;  // null: free
  std::string attribute;
  values::resource_list own;
  std::vector<std::string> names() const;
  std::optional<std::string_view> text(std::string_view name) const;
};

struct map_object {
  PyObject_HEAD contents* held;
};

contents& held_by(PyObject* self) { return *reinterpret_cast<map_object*>(self)->held; }

std::vector<std::string> contents::names() const {
  if (owner) return state_of(owner.get())->resources_of(attribute);
  std::vector<std::string> out;
  for (const auto& [name, value] : own) out.push_back(name);
  return out;
}

std::optional<std::string_view> contents::text(std::string_view name) const {
  if (owner) return state_of(owner.get())->text(attribute, name);
  const auto found = own.find(name);
  return found == own.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

PyObject* allocate(PyTypeObject* type, contents what) {
  auto* made = reinterpret_cast<map_object*>(type->tp_alloc(type, 0));
  if (made) made->held = new contents(std::move(what));
  return reinterpret_cast<PyObject*>(made);
}

PyObject* new_map(PyTypeObject* type, PyObject* args, PyObject*) {
  const char* attribute = "";
  if (!PyArg_ParseTuple(args, "|s", &attribute)) return nullptr;
  contents what;
  what.attribute = attribute;
  return allocate(type, std::move(what));
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<map_object*>(self)->held;
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* get_item(PyObject* self, PyObject* key) {
  if (!PyUnicode_Check(key)) return raise(PyExc_TypeError, "a resource is named by a str");
  const std::string_view name = view_of(key);
  const auto text = held_by(self).text(name);
  return text ? resource_value(name, *text) : none();
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  if (!PyUnicode_Check(key)) return raise(PyExc_TypeError, "a resource is named by a str"), -1;
  const std::string_view name = view_of(key);
  contents& map = held_by(self);
  if (map.owner) return write_attribute(*state_of(map.owner.get()), map.attribute, name, value ? value : Py_None);
  if (!value || value == Py_None) {
    map.own.erase(std::string(name));
    return 0;
  }
  const auto text = text_of(value);
  if (!text) return -1;
  map.own.insert_or_assign(std::string(name), *text);
  return 0;
}

Py_ssize_t length(PyObject* self) { return static_cast<Py_ssize_t>(held_by(self).names().size()); }

int contains(PyObject* self, PyObject* key) {
  return PyUnicode_Check(key) && held_by(self).text(view_of(key)).has_value() ? 1 : 0;
}

PyObject* keys(PyObject* self, PyObject*) {
  ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const auto& name : held_by(self).names()) {
    ref item(str(name));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* items(PyObject* self, PyObject*) {
  ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const auto& name : held_by(self).names()) {
    ref key(str(name));
    ref value(resource_value(name, *held_by(self).text(name)));
    ref pair(key && value ? PyTuple_Pack(2, key.get(), value.get()) : nullptr);
    if (!pair || PyList_Append(list.get(), pair.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* values_of(PyObject* self, PyObject*) {
  ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const auto& name : held_by(self).names()) {
    ref value(resource_value(name, *held_by(self).text(name)));
    if (!value || PyList_Append(list.get(), value.get()) < 0) return nullptr;
  }
  return list.release();
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

PyObject* print(PyObject* self) {
  values::resource_list all;
  for (const auto& name : held_by(self).names()) all.emplace(name, *held_by(self).text(name));
  std::string out;  // without quotes, as PBS prints it
  for (const auto& [name, value] : all) out += (out.empty() ? "" : ",") + name + "=" + value;
  return str(out);
}

// For copy and pickle: a copy belongs to no object.
PyObject* reduce(PyObject* self, PyObject*) {
  ref pairs(items(self, nullptr));
  ref each(pairs ? PyObject_GetIter(pairs.get()) : nullptr);
  return each ? Py_BuildValue("(O()OOO)", Py_TYPE(self), Py_None, Py_None, each.get()) : nullptr;
}

// `Resource_List.walltime` is `Resource_List["walltime"]`, of every resource there is.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* own = PyObject_GenericGetAttr(self, name);
  if (own || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
  const bool is_resource = current() && current()->home().resources.find(view_of(name)) != nullptr;
  if (!is_resource && !held_by(self).text(view_of(name))) return nullptr;
  PyErr_Clear();
  return get_item(self, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  // A method, which is no resource, can't be assigned to.
  if (PyObject_HasAttr(reinterpret_cast<PyObject*>(Py_TYPE(self)), name)) return PyObject_GenericSetAttr(self, name, value);
  return set_item(self, name, value);
}

int is_true(PyObject* self) { return !held_by(self).names().empty(); }

PyMethodDef methods[] = {{"keys", method(keys), METH_NOARGS, "names of the resources that are set"},
                         {"items", method(items), METH_NOARGS, "pairs of name and value"},
                         {"values", method(values_of), METH_NOARGS, "the values"},
                         {"get", method(get), METH_VARARGS, "a value, or what is given for none"},
                         {"__reduce__", method(reduce), METH_NOARGS, "how to copy it"},
                         {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* make_resources(PyObject* owner, std::string_view attribute) {
  contents what;
  what.owner = ref::share(owner);
  what.attribute = attribute;
  return allocate(reinterpret_cast<PyTypeObject*>(resource_class), std::move(what));
}

PyObject* make_free_resources(const std::vector<values::named_value>& from) {
  contents what;
  for (const auto& [name, value] : from) what.own.insert_or_assign(name, value);
  return allocate(reinterpret_cast<PyTypeObject*>(resource_class), std::move(what));
}

namespace {

// Every resource there is, as PBS's maps have it.
PyObject* resource_names(PyObject*, void*) {
  std::vector<std::string_view> names;
  for (const auto& resource : attributes::builtin_resources()) names.emplace_back(resource.name);
  for (const auto& [name, resource] : current()->home().resources.custom()) names.emplace_back(name);
  return dict_of(names);
}

PyGetSetDef fields[] = {{"attributes", resource_names, nullptr, "names of all resources", nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

bool add_environment_type(PyObject* module);

bool add_maps(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_new, slot(new_map)},
      {Py_tp_dealloc, slot(deallocate)},
      {Py_tp_str, slot(print)},
      {Py_tp_repr, slot(print)},
      {Py_tp_iter, slot(iterate)},
      {Py_tp_methods, methods},
      {Py_tp_getset, fields},
      {Py_tp_getattro, slot(get_attribute)},
      {Py_tp_setattro, slot(set_attribute)},
      {Py_mp_subscript, slot(get_item)},
      {Py_mp_ass_subscript, slot(set_item)},
      {Py_mp_length, slot(length)},
      {Py_sq_contains, slot(contains)},
      {Py_nb_bool, slot(is_true)},
      {0, nullptr},
  };
  PyType_Spec spec = {"pbs.v1._base_types.pbs_resource", sizeof(map_object), 0, Py_TPFLAGS_DEFAULT, slots};
  resource_class = PyType_FromSpec(&spec);
  if (!resource_class || PyModule_AddObjectRef(module, "pbs_resource", resource_class) < 0) return false;
  return add_environment_type(module) &&
         PyModule_AddObjectRef(module, "vchunk", reinterpret_cast<PyObject*>(vchunk_type())) == 0;
}

}  // namespace annals::hooks::py
