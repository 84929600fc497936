// pbs.duration, pbs.pbs_int, pbs.pbs_float, pbs.pbs_bool, pbs.priority: numbers that know how PBS prints them.
#include <cmath>
#include <iterator>

#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"

namespace annals::hooks::py {
namespace {

PyObject *duration_class, *bool_class;

PyTypeObject* as_type(PyObject* c) { return reinterpret_cast<PyTypeObject*>(c); }

PyObject* int_of_type(PyTypeObject* type, std::int64_t number) {
  ref value(PyLong_FromLongLong(number));
  if (!value) return nullptr;
  ref args(PyTuple_Pack(1, value.get()));
  return args ? PyLong_Type.tp_new(type, args.get(), nullptr) : nullptr;
}

// -- duration: an int of seconds ------------------------------------------------------------------------------------

PyObject* duration_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "O:duration", &value)) return nullptr;
  const auto seconds = duration_of(value);
  return seconds && *seconds >= 0 ? int_of_type(type, *seconds) : refuse_duration(value);
}

PyObject* duration_str(PyObject* self) {
  const long long seconds = PyLong_AsLongLong(self);
  if (seconds == -1 && PyErr_Occurred()) return nullptr;
  return str(values::print_duration(seconds));
}

PyObject* compare_durations(PyObject* a, PyObject* b, int op) {
  const auto x = duration_of(a), y = duration_of(b);
  PyErr_Clear();
  if (!x || !y) Py_RETURN_NOTIMPLEMENTED;
  Py_RETURN_RICHCOMPARE(*x, *y, op);
}

Py_hash_t duration_hash(PyObject* self) { return PyLong_Type.tp_hash(self); }

template <class Op>
PyObject* combine(PyObject* a, PyObject* b, Op op) {
  const auto x = duration_of(a), y = duration_of(b);
  PyErr_Clear();
  if (!x || !y) Py_RETURN_NOTIMPLEMENTED;
  std::int64_t result = 0;
  if (op(*x, *y, &result)) return raise(PyExc_OverflowError, "a duration of more than 64 bits");
  return make_duration(result);
}
PyObject* duration_add(PyObject* a, PyObject* b) {
  return combine(a, b, [](auto x, auto y, auto* r) { return __builtin_add_overflow(x, y, r); });
}
PyObject* duration_subtract(PyObject* a, PyObject* b) {
  return combine(a, b, [](auto x, auto y, auto* r) { return __builtin_sub_overflow(x, y, r); });
}

// -- the plain numbers ----------------------------------------------------------------------------------------------

PyObject* int_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "O", &value)) return nullptr;
  if (PyUnicode_Check(value)) {
    const auto number = values::parse_integer(view_of(value));
    return number ? int_of_type(type, *number) : raise(error::bad_attribute_value, "not an integer");
  }
  ref wrapped(PyTuple_Pack(1, value));
  return wrapped ? PyLong_Type.tp_new(type, wrapped.get(), nullptr) : nullptr;
}

PyObject* priority_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  ref made(int_new(type, args, kwargs));
  if (!made) return nullptr;
  int over = 0;
  const long long number = PyLong_AsLongLongAndOverflow(made.get(), &over);
  if (over == 0 && number >= -1024 && number <= 1023) return made.release();
  ref text(PyLong_Type.tp_repr(made.get()));
  return text ? raise(error::bad_attribute_value, "input value " + std::string(view_of(text.get())) +
                                                      " not of the right format for 'Priority'")
              : nullptr;
}

PyObject* bool_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "O", &value)) return nullptr;
  if (PyUnicode_Check(value)) {
    const auto truth = values::parse_boolean(view_of(value));
    return truth ? int_of_type(type, *truth) : raise(error::bad_attribute_value, "not a boolean");
  }
  const int truth = PyObject_IsTrue(value);
  return truth < 0 ? nullptr : int_of_type(type, truth);
}

PyObject* bool_str(PyObject* self) { return str(PyObject_IsTrue(self) == 1 ? "1" : "0"); }

PyObject* add_class(PyObject* module, const char* name, const char* full_name, PyTypeObject* base, PyType_Slot* slots) {
  PyType_Spec spec = {full_name, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  ref bases(PyTuple_Pack(1, reinterpret_cast<PyObject*>(base)));
  PyObject* made = bases ? PyType_FromSpecWithBases(&spec, bases.get()) : nullptr;
  return made && PyModule_AddObjectRef(module, name, made) == 0 ? made : nullptr;
}

}  // namespace

PyObject* make_bool(bool truth) { return int_of_type(as_type(bool_class), truth); }

PyObject* make_duration(std::int64_t seconds) { return int_of_type(as_type(duration_class), seconds); }
bool is_duration(PyObject* object) { return PyObject_TypeCheck(object, as_type(duration_class)); }

PyObject* refuse_duration(PyObject* value) {
  PyErr_Clear();
  ref printed(PyLong_Check(value) ? PyLong_Type.tp_repr(value) : PyObject_Str(value));
  if (!printed) return nullptr;
  return raise(error::bad_resource_value,
               "input value " + std::string(view_of(printed.get())) + " not of the right format for 'walltime'");
}

std::optional<std::int64_t> duration_of(PyObject* object) {
  if (PyBool_Check(object)) return std::nullopt;
  if (PyLong_Check(object)) {
    const long long seconds = PyLong_AsLongLong(object);
    if (seconds == -1 && PyErr_Occurred()) return std::nullopt;
    return seconds;
  }
  if (PyFloat_Check(object)) {
    const double seconds = std::round(PyFloat_AS_DOUBLE(object));
    if (!(std::abs(seconds) < 9e18)) return std::nullopt;
    return static_cast<std::int64_t>(seconds);
  }
  return PyUnicode_Check(object) ? values::parse_duration(view_of(object)) : std::nullopt;
}

bool add_number_types(PyObject* module) {
  PyType_Slot duration_slots[] = {
      {Py_tp_new, slot(duration_new)},
      {Py_tp_str, slot(duration_str)},
      {Py_tp_richcompare, slot(compare_durations)},
      {Py_tp_hash, slot(duration_hash)},
      {Py_nb_add, slot(duration_add)},
      {Py_nb_subtract, slot(duration_subtract)},
      {0, nullptr},
  };
  duration_class = add_class(module, "duration", "pbs.v1._base_types.duration", &PyLong_Type, duration_slots);
  PyType_Slot int_slots[] = {{Py_tp_new, slot(int_new)}, {0, nullptr}};
  PyType_Slot priority_slots[] = {{Py_tp_new, slot(priority_new)}, {0, nullptr}};
  PyType_Slot bool_slots[] = {
      {Py_tp_new, slot(bool_new)}, {Py_tp_str, slot(bool_str)}, {Py_tp_repr, slot(bool_str)}, {0, nullptr}};
  PyType_Slot float_slots[] = {{0, nullptr}};
  bool_class = add_class(module, "pbs_bool", "pbs.v1._base_types.pbs_bool", &PyLong_Type, bool_slots);
  return duration_class && bool_class &&
         add_class(module, "pbs_int", "pbs.v1._base_types.pbs_int", &PyLong_Type, int_slots) &&
         add_class(module, "priority", "pbs.v1._base_types.priority", &PyLong_Type, priority_slots) &&
         add_class(module, "pbs_float", "pbs.v1._base_types.pbs_float", &PyFloat_Type, float_slots);
}

}  // namespace annals::hooks::py
