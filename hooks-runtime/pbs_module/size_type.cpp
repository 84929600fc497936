// pbs.size: an amount with its unit. Sums have the smaller unit, but no less than kb, and round each amount up to it,
// as PBS's do; it compares with texts and with numbers of bytes.
#include <cmath>

#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"

namespace annals::hooks::py {
namespace {

PyObject* size_class;

struct size_object {
  PyObject_HEAD values::size_value value;
};

const values::size_value& value_of(PyObject* self) { return reinterpret_cast<size_object*>(self)->value; }

PyObject* allocate(PyTypeObject* type, const values::size_value& value) {
  auto* made = reinterpret_cast<size_object*>(type->tp_alloc(type, 0));
  if (made) made->value = value;
  return reinterpret_cast<PyObject*>(made);
}

PyObject* size_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* value = nullptr;
  if (!PyArg_ParseTuple(args, "O:size", &value)) return nullptr;
  const auto size = size_of(value);
  return size ? allocate(type, *size) : refuse_size(value);
}

PyObject* size_str(PyObject* self) { return str(values::print_size(value_of(self))); }

unsigned __int128 bytes_of(const values::size_value& v) {
  return (static_cast<unsigned __int128>(v.number) << v.shift) * (v.words ? 8 : 1);
}

PyObject* compare_sizes(PyObject* a, PyObject* b, int op) {
  const auto x = size_of(a), y = size_of(b);
  PyErr_Clear();
  if (!x || !y) Py_RETURN_NOTIMPLEMENTED;
  Py_RETURN_RICHCOMPARE(bytes_of(*x), bytes_of(*y), op);
}

Py_hash_t size_hash(PyObject* self) {
  // Equal amounts are equal whatever their unit.
  const auto hash = static_cast<Py_hash_t>(bytes_of(value_of(self)) % 0x1fffffffffffffff);
  return hash == -1 ? -2 : hash;
}

// As an operand of a sum.
values::size_value summand(const values::size_value& v) { return v.shift < 10 ? values::in_kb(v) : v; }

template <class Op>
PyObject* combine(PyObject* a, PyObject* b, Op op) {
  const auto x = size_of(a), y = size_of(b);
  PyErr_Clear();
  if (!x || !y) Py_RETURN_NOTIMPLEMENTED;
  return make_size(op(summand(*x), summand(*y)));
}
PyObject* size_add(PyObject* a, PyObject* b) {
  return combine(a, b, [](const auto& x, const auto& y) { return values::add(x, y); });
}
PyObject* size_subtract(PyObject* a, PyObject* b) {
  if (const auto x = size_of(a), y = size_of(b); x && y && bytes_of(*x) < bytes_of(*y))
    return raise(PyExc_ArithmeticError, "expression evaluates to negative _size value");
  PyErr_Clear();
  return combine(a, b, [](const auto& x, const auto& y) { return values::subtract(x, y); });
}
PyObject* size_multiply(PyObject* a, PyObject* b) {
  if (!is_size(a)) std::swap(a, b);
  if (!is_size(a) || !PyLong_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  const unsigned long long factor = PyLong_AsUnsignedLongLong(b);
  if (PyErr_Occurred()) return nullptr;
  return make_size(values::multiply(value_of(a), factor));
}

PyObject* size_int(PyObject* self) {
  const unsigned __int128 bytes = bytes_of(value_of(self));
  if (bytes >> 64) return raise(PyExc_OverflowError, "a size of more than 64 bits");
  return PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(bytes));
}
// For copy.deepcopy and pickle.
PyObject* size_reduce(PyObject* self, PyObject*) {
  ref text(size_str(self));
  return text ? Py_BuildValue("(O(O))", Py_TYPE(self), text.get()) : nullptr;
}
int size_bool(PyObject* self) { return value_of(self).number != 0; }

PyMethodDef size_methods[] = {{"__reduce__", method(size_reduce), METH_NOARGS, "how to copy it"},
                              {nullptr, nullptr, 0, nullptr}};

void size_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace

PyObject* make_size(const values::size_value& value) {
  return allocate(reinterpret_cast<PyTypeObject*>(size_class), value);
}
bool is_size(PyObject* object) { return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(size_class)); }

PyObject* refuse_size(PyObject* value) {
  const bool is_number = PyLong_Check(value) && !PyBool_Check(value);
  const int negative = is_number ? PyObject_RichCompareBool(value, ref(PyLong_FromLong(0)).get(), Py_LT) : 0;
  if (negative == 1) return raise(PyExc_TypeError, "_size instance cannot be negative");
  if (!PyUnicode_Check(value)) return raise(PyExc_TypeError, "Bad _size value");
  const auto text = text_of(value);
  return text ? raise(PyExc_TypeError, *text + ": bad value for _size") : nullptr;
}

std::optional<values::size_value> size_of(PyObject* object) {
  if (is_size(object)) return value_of(object);
  if (PyBool_Check(object)) return std::nullopt;
  if (PyLong_Check(object)) {
    const unsigned long long bytes = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred()) return std::nullopt;
    return values::size_value{bytes, 0, false};
  }
  return PyUnicode_Check(object) ? values::parse_size(view_of(object)) : std::nullopt;
}

bool add_size_type(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_new, slot(size_new)},
                         {Py_tp_dealloc, slot(size_dealloc)},
                         {Py_tp_str, slot(size_str)},
                         {Py_tp_repr, slot(size_str)},
                         {Py_tp_richcompare, slot(compare_sizes)},
                         {Py_tp_hash, slot(size_hash)},
                         {Py_nb_add, slot(size_add)},
                         {Py_nb_subtract, slot(size_subtract)},
                         {Py_nb_multiply, slot(size_multiply)},
                         {Py_nb_int, slot(size_int)},
                         {Py_nb_index, slot(size_int)},
                         {Py_nb_bool, slot(size_bool)},
                         {Py_tp_methods, size_methods},
                         {0, nullptr}};
  PyType_Spec spec = {"pbs.v1._base_types.size", sizeof(size_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                      slots};
  size_class = PyType_FromSpec(&spec);
  return size_class && PyModule_AddObjectRef(module, "size", size_class) == 0;
}

}  // namespace annals::hooks::py
