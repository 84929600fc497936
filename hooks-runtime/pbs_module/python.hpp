// The door to CPython's headers, and the little that makes its C API bearable: an owning reference and conversions.
// Only the worker and this folder include it. Everything here needs the interpreter's lock, which a worker's only
// thread has.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annals::hooks::py {

// Owns one reference. Null: a Python exception is pending, where a function says so.
class ref {
 public:
  ref() = default;
  explicit ref(PyObject* owned) : p_(owned) {}  // takes over a new reference
  static ref share(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return ref(borrowed);
  }
  ref(const ref& o) : p_(o.p_) { Py_XINCREF(p_); }
  ref(ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  ref& operator=(ref o) {
    std::swap(p_, o.p_);
    return *this;
  }
  ~ref() { Py_XDECREF(p_); }
  PyObject* get() const { return p_; }
  PyObject* release() { return std::exchange(p_, nullptr); }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  PyObject* p_ = nullptr;
};

inline PyObject* none() { Py_RETURN_NONE; }
inline PyObject* str(std::string_view s) {
  return PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape");
}

// The text of a str, or of str(object). Nothing: an exception is pending.
std::optional<std::string> text_of(PyObject* object);
// A str's own text without a copy; the object must live on. Empty view with a pending exception: it can't be encoded.
inline std::string_view view_of(PyObject* unicode) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(unicode, &size);
  return data ? std::string_view(data, static_cast<std::size_t>(size)) : std::string_view();
}

// Sets the exception and returns null.
PyObject* raise(PyObject* type, std::string_view text);

// A new dict with these keys, each None: what `attributes` of a PBS object is. Null: an exception is pending.
PyObject* dict_of(const std::vector<std::string_view>& keys);

// A C function as a slot or method of the API.
template <class F>
void* slot(F f) {
  return reinterpret_cast<void*>(f);
}
template <class F>
PyCFunction method(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

}  // namespace annals::hooks::py
