#include "hooks-runtime/pbs_module/exceptions.hpp"

namespace annals::hooks::py {

namespace error {
PyObject *event_incompatible, *unset_attribute_name, *bad_attribute_value_type, *bad_attribute_value,
    *unset_resource_name, *bad_resource_value_type, *bad_resource_value;
// Nothing of ours raises these two: scripts name them in `except`.
PyObject *backend, *internal;
}  // namespace error

bool add_exceptions(PyObject* module) {
  // Each derives from what Python itself raises in such a case, so that getattr(x, name, default) works.
  struct row {
    PyObject** where;
    const char* name;
    PyObject* base;
  };
  const row rows[] = {
      {&error::event_incompatible, "EventIncompatibleError", PyExc_AttributeError},
      {&error::unset_attribute_name, "UnsetAttributeNameError", PyExc_AttributeError},
      {&error::bad_attribute_value_type, "BadAttributeValueTypeError", PyExc_TypeError},
      {&error::bad_attribute_value, "BadAttributeValueError", PyExc_ValueError},
      {&error::unset_resource_name, "UnsetResourceNameError", PyExc_KeyError},
      {&error::bad_resource_value_type, "BadResourceValueTypeError", PyExc_TypeError},
      {&error::bad_resource_value, "BadResourceValueError", PyExc_ValueError},
      {&error::backend, "BackendError", PyExc_Exception},
      {&error::internal, "InternalError", PyExc_Exception},
  };
  for (const row& r : rows) {
    *r.where = PyErr_NewException((std::string("pbs.v1._exc_types.") + r.name).c_str(), r.base, nullptr);
    if (!*r.where || PyModule_AddObjectRef(module, r.name, *r.where) < 0) return false;
  }
  return true;
}

}  // namespace annals::hooks::py
