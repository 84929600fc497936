// pbs.vnode_state, pbs.vnode_sharing and pbs.vnode_ntype: ints. A state is a set of bits: adding one that is there
// already changes nothing, where a sum would make another state of it.
#include "hooks-runtime/pbs_module/value_types.hpp"

namespace annals::hooks::py {
namespace {

PyTypeObject* state_class;

template <class Op>
PyObject* combine(PyObject* a, PyObject* b, Op op) {
  if (!PyLong_Check(a) || !PyLong_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  const auto x = static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(a));
  const auto y = static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(b));
  return PyErr_Occurred() ? nullptr : make_vnode_state(op(x, y));
}
PyObject* state_add(PyObject* a, PyObject* b) {
  return combine(a, b, [](std::uint32_t x, std::uint32_t y) { return x | y; });
}
PyObject* state_subtract(PyObject* a, PyObject* b) {
  return combine(a, b, [](std::uint32_t x, std::uint32_t y) { return x & ~y; });
}

PyTypeObject* add_int_class(PyObject* module, const char* name, const char* full_name, PyType_Slot* slots) {
  PyType_Spec spec = {full_name, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  ref bases(PyTuple_Pack(1, reinterpret_cast<PyObject*>(&PyLong_Type)));
  PyObject* made = bases ? PyType_FromSpecWithBases(&spec, bases.get()) : nullptr;
  if (!made || PyModule_AddObjectRef(module, name, made) < 0) return nullptr;
  return reinterpret_cast<PyTypeObject*>(made);
}

}  // namespace

PyObject* make_vnode_state(std::uint32_t bits) {
  ref value(PyLong_FromUnsignedLong(bits));
  ref args(value ? PyTuple_Pack(1, value.get()) : nullptr);
  return args ? PyLong_Type.tp_new(state_class, args.get(), nullptr) : nullptr;
}

bool add_vnode_types(PyObject* module) {
  PyType_Slot state_slots[] = {
      {Py_nb_add, slot(state_add)}, {Py_nb_subtract, slot(state_subtract)}, {0, nullptr}};
  PyType_Slot no_slots[] = {{0, nullptr}};
  state_class = add_int_class(module, "vnode_state", "pbs.v1._base_types.vnode_state", state_slots);
  return state_class && add_int_class(module, "vnode_sharing", "pbs.v1._base_types.vnode_sharing", no_slots) &&
         add_int_class(module, "vnode_ntype", "pbs.v1._base_types.vnode_ntype", no_slots);
}

}  // namespace annals::hooks::py
