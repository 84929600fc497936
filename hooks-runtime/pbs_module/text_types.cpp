// Texts with rules. Each is a str, so that scripts compare, split and format them as ever; making one checks it.
#include <algorithm>
#include <iterator>

#include "events/attributes/check.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/job_indices.hpp"
#include "events/values/place.hpp"
#include "events/values/select.hpp"
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"

namespace annals::hooks::py {

struct text_type {
  const char* name;
  bool (*good)(std::string_view text);  // null: the attribute's rule, or any text
  const char* job_attribute;            // "": none
  PyMethodDef* methods = nullptr;
  PyGetSetDef* fields = nullptr;
  binaryfunc add = nullptr, subtract = nullptr;
};

namespace {

bool good_select(std::string_view t) { return static_cast<bool>(values::parse_select(t)); }
bool good_place(std::string_view t) { return values::parse_place(t).has_value(); }
bool good_exec_vnode(std::string_view t) { return values::parse_exec_vnode(t).has_value(); }
bool good_exec_host(std::string_view t) { return values::parse_exec_host(t).has_value(); }
bool good_range(std::string_view t) {
  const auto range = values::parse_index_range(t);
  return range && range->first < range->last;
}

const text_type text_types[] = {
    {"acl", nullptr, ""},
    {"args", nullptr, ""},
    {"checkpoint", nullptr, "Checkpoint"},
    {"depend", nullptr, ""},
    {"email_list", nullptr, "Mail_Users"},
    {"exec_host", good_exec_host, ""},
    {"exec_vnode", good_exec_vnode, "", nullptr, exec_vnode_fields},
    {"group_list", nullptr, "group_list"},
    {"hold_types", nullptr, "Hold_Types", nullptr, nullptr, add_holds, subtract_holds},
    {"job_sort_formula", nullptr, ""},
    {"join_path", nullptr, "Join_Path"},
    {"keep_files", nullptr, "Keep_Files"},
    {"license_count", nullptr, ""},
    {"mail_points", nullptr, "Mail_Points"},
    {"name", nullptr, "Job_Name"},
    {"node_group_key", nullptr, ""},
    {"path", nullptr, ""},
    {"path_list", nullptr, "Shell_Path_List"},
    {"pbs_list", nullptr, ""},
    {"pbs_str", nullptr, ""},
    {"place", good_place, ""},
    {"project", nullptr, "project"},
    {"range", good_range, "array_indices_submitted"},
    {"route_destinations", nullptr, ""},
    {"sandbox", nullptr, ""},
    {"select", good_select, "", select_methods},
    {"software", nullptr, ""},
    {"staging_list", nullptr, ""},
    {"state_count", nullptr, ""},
    {"user_list", nullptr, "User_List"},
    {"version", nullptr, ""},
};
PyObject* classes[std::size(text_types)];
const attributes::attribute* rules[std::size(text_types)];  // of the job's attribute; null: none

const text_type* row_of(PyTypeObject* type) {
  const auto exact = std::ranges::find(classes, reinterpret_cast<PyObject*>(type));
  if (exact != std::end(classes)) return &text_types[exact - classes];
  for (std::size_t i = 0; i < std::size(text_types); ++i)
    if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(classes[i]))) return &text_types[i];
  return nullptr;
}

PyObject* plain_text(PyTypeObject* type, std::string_view text) {
  ref value(str(text));
  if (!value) return nullptr;
  ref args(PyTuple_Pack(1, value.get()));
  return args ? PyUnicode_Type.tp_new(type, args.get(), nullptr) : nullptr;
}

PyObject* new_text(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "|O", &value)) return nullptr;
  if (!value) return plain_text(type, "");
  const text_type* row = row_of(type);
  if (value == Py_None) return raise(error::bad_attribute_value_type, std::string(row->name) + " value should be a str");
  if (PyBool_Check(value) || PyDict_Check(value) || PyList_Check(value))
    return raise(error::bad_attribute_value_type, std::string(row->name) + " value should be a str");
  const auto text = text_of(value);
  if (!text || !check_text(row, *text)) return nullptr;
  return plain_text(type, *text);
}

// Without quotes, but for what is a str in PBS too.
PyObject* text_repr(PyObject* self) { return PyUnicode_FromObject(self); }

}  // namespace

const text_type* text_type_of(std::string_view name) {
  for (const text_type& row : text_types)
    if (name == row.name) return &row;
  return nullptr;
}

PyObject* make_text(const text_type* type, std::string_view text) {
  return plain_text(reinterpret_cast<PyTypeObject*>(classes[type - text_types]), text);
}

bool is_text(const text_type* type, PyObject* object) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(classes[type - text_types]));
}

bool check_text(const text_type* type, std::string_view text) {
  bool good = true;
  if (type->good)
    good = type->good(text);
  else if (const auto* rule = rules[type - text_types]; rule && !text.empty())
    good = static_cast<bool>(attributes::check_value(*rule, {}, text, {}));
  if (!good) {
    const std::string what = *type->job_attribute ? type->job_attribute : type->name;
    const bool of_resource = type->good == good_select || type->good == good_place;
    raise(of_resource ? error::bad_resource_value : error::bad_attribute_value,
          "input value " + std::string(text) + " not of the right format for '" + what + "'");
  }
  return good;
}

bool add_text_types(PyObject* module) {
  for (std::size_t i = 0; i < std::size(text_types); ++i) {
    const text_type& row = text_types[i];
    rules[i] = attributes::find(schema::ObjectKind::JOB, row.job_attribute);
    PyType_Slot slots[7] = {{Py_tp_new, slot(new_text)}};
    int used = 1;
    if (row.methods) slots[used++] = {Py_tp_methods, row.methods};
    if (row.fields) slots[used++] = {Py_tp_getset, row.fields};
    if (row.add) slots[used++] = {Py_nb_add, slot(row.add)};
    if (row.subtract) slots[used++] = {Py_nb_subtract, slot(row.subtract)};
    if (std::string_view(row.name) != "pbs_str") slots[used++] = {Py_tp_repr, slot(text_repr)};
    slots[used] = {0, nullptr};
    // PBS's own place for these classes: scripts print their types.
    static std::string names[std::size(text_types)];
    names[i] = std::string("pbs.v1._base_types.") + row.name;
    PyType_Spec spec = {names[i].c_str(), 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    ref bases(PyTuple_Pack(1, reinterpret_cast<PyObject*>(&PyUnicode_Type)));
    classes[i] = bases ? PyType_FromSpecWithBases(&spec, bases.get()) : nullptr;
    if (!classes[i] || PyModule_AddObjectRef(module, row.name, classes[i]) < 0) return false;
  }
  return true;
}

bool add_value_types(PyObject* module) {
  return add_text_types(module) && add_number_types(module) && add_size_type(module) &&
         add_vnode_types(module);
}

}  // namespace annals::hooks::py
