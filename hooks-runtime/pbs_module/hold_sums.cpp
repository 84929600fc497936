// pbs.hold_types: "+" sets holds, "-" takes them away.
#include "hooks-runtime/pbs_module/value_types.hpp"

namespace annals::hooks::py {
namespace {

constexpr std::string_view letters = "uosp";
constexpr std::string_view no_hold = "n";

// The holds that an operand names; nothing: it is a text of another kind.
std::optional<std::string> holds_in(PyObject* object) {
  if (!PyUnicode_Check(object)) return std::nullopt;
  const auto text = view_of(object);
  if (text.empty()) return std::nullopt;
  if (text == no_hold) return std::string();
  if (text.find_first_not_of(letters) != std::string_view::npos) return std::nullopt;
  return std::string(text);
}

template <class Op>
PyObject* combine(PyObject* a, PyObject* b, Op op) {
  const auto* type = text_type_of("hold_types");
  const auto x = is_text(type, a) ? holds_in(a) : std::nullopt, y = holds_in(b);
  if (PyErr_Occurred()) return nullptr;
  if (!x || !y) Py_RETURN_NOTIMPLEMENTED;
  const std::string holds = op(*x, *y);
  return make_text(type, holds.empty() ? no_hold : std::string_view(holds));
}

}  // namespace

PyObject* add_holds(PyObject* a, PyObject* b) {
  return combine(a, b, [](std::string x, const std::string& y) {
    for (const char c : y)
      if (x.find(c) == std::string::npos) x += c;
    return x;
  });
}

PyObject* subtract_holds(PyObject* a, PyObject* b) {
  return combine(a, b, [](std::string x, const std::string& y) {
    std::erase_if(x, [&](char c) { return y.find(c) != std::string::npos; });
    return x;
  });
}

}  // namespace annals::hooks::py
