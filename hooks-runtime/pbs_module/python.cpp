#include "hooks-runtime/pbs_module/python.hpp"

namespace annals::hooks::py {

std::optional<std::string> text_of(PyObject* object) {
  ref printed = PyUnicode_Check(object) ? ref::share(object) : ref(PyObject_Str(object));
  if (!printed) return std::nullopt;
  Py_ssize_t size = 0;
  if (const char* data = PyUnicode_AsUTF8AndSize(printed.get(), &size))
    return std::string(data, static_cast<std::size_t>(size));
  PyErr_Clear();
  // Bytes that are no UTF-8 came in with surrogateescape (py::str) and must go out the same way.
  ref bytes(PyUnicode_AsEncodedString(printed.get(), "utf-8", "surrogateescape"));
  if (!bytes) return std::nullopt;
  return std::string(PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
}

PyObject* raise(PyObject* type, std::string_view text) {
  if (ref message(str(text)); message) PyErr_SetObject(type, message.get());
  return nullptr;
}

PyObject* dict_of(const std::vector<std::string_view>& keys) {
  ref dict(PyDict_New());
  for (const auto key : keys) {
    ref text(str(key));
    if (!dict || !text || PyDict_SetItem(dict.get(), text.get(), Py_None) < 0) return nullptr;
  }
  return dict.release();
}

}  // namespace annals::hooks::py
