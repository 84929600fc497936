// From canonical text to Python values and back, by the rows of events/attributes. Dates and states are ints, texts
// with rules their pbs type, sizes and durations theirs. Source: pbs guide, "hooks: the pbs module".
#include <algorithm>
#include <iterator>

#include "events/attributes/canonical.hpp"
#include "events/attributes/check.hpp"
#include "events/values/duration.hpp"
#include "events/values/node_state.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"
#include "hooks-runtime/pbs_module/attribute_rows.hpp"
#include "hooks-runtime/pbs_module/command_texts.hpp"
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/object.hpp"
#include "hooks-runtime/pbs_module/resource_map.hpp"
#include "hooks-runtime/pbs_module/run_state.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"

namespace annals::hooks::py {
namespace {

using attributes::value_type;
using protocol::ObjectKind;

PyObject* number_or_text(std::string_view text) {
  if (const auto number = values::parse_integer(text)) return PyLong_FromLongLong(*number);
  return str(text);
}

PyObject* value_of_type(value_type type, std::string_view text) {
  switch (type) {
    case value_type::boolean:
      if (const auto truth = values::parse_boolean(text)) return make_bool(*truth);
      break;
    case value_type::integer:
    case value_type::date:
      return number_or_text(text);
    case value_type::real:
      if (const auto number = values::parse_real(text)) return PyFloat_FromDouble(*number);
      break;
    case value_type::size:
      if (const auto size = values::parse_size(text)) return make_size(*size);
      break;
    case value_type::duration:
      if (const auto seconds = values::parse_duration(text)) return make_duration(*seconds);
      break;
    case value_type::node_state:
      if (const auto bits = values::parse_node_state(text)) return make_vnode_state(*bits);
      break;
    case value_type::acl:
      return make_text(text_type_of("acl"), text);
    case value_type::hold_set:
      return make_text(text_type_of("hold_types"), text);
    case value_type::string:
    case value_type::character:
    case value_type::string_array:
    case value_type::resource_list:
    case value_type::limits:
      break;
  }
  return str(text);
}

enum class wrote : std::uint8_t { text,
                                  wrong_type,
                                  wrong_value,
                                  raised };
struct written_text {
  wrote how;
  std::string text;
};

written_text good(std::string text) { return {wrote::text, std::move(text)}; }

written_text whole_number(PyObject* value) {
  if (PyFloat_Check(value)) {
    const double number = PyFloat_AS_DOUBLE(value);
    if (!(number > -9e18 && number < 9e18)) return {wrote::wrong_value, {}};
    return good(std::to_string(static_cast<long long>(number)));
  }
  if (PyLong_Check(value)) {
    const long long number = PyLong_AsLongLong(value);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return {wrote::wrong_value, {}};
    }
    return good(std::to_string(number));
  }
  if (!PyUnicode_Check(value)) return {wrote::wrong_type, {}};
  const auto number = values::parse_integer(view_of(value));
  return number ? good(std::to_string(*number)) : written_text{wrote::wrong_value, {}};
}

PyObject* list_of_texts(std::string_view text) {
  ref list(PyList_New(0));
  for (const auto& one : values::split_list(text)) {
    ref item(str(one));
    if (!list || !item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.release();
}

// A str, one of our objects (by its name), or a list of them for attributes that are lists.
written_text words(PyObject* value, bool list) {
  if (const object_state* object = state_of(value)) return good(object->name);
  if (list && (PyList_Check(value) || PyTuple_Check(value))) {
    std::vector<std::string> elements;
    ref fast(PySequence_Fast(value, ""));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(fast.get(), i);
      const auto text = PyUnicode_Check(item) ? text_of(item) : std::nullopt;
      if (!text) return {wrote::wrong_type, {}};
      elements.push_back(*text);
    }
    return good(values::join_list(elements));
  }
  if (!PyUnicode_Check(value)) return {wrote::wrong_type, {}};
  const auto text = text_of(value);
  return text ? good(*text) : written_text{wrote::raised, {}};
}

written_text text_for_type(value_type type, PyObject* value) {
  switch (type) {
    case value_type::boolean: {
      if (PyLong_Check(value)) return good(values::print_boolean(PyObject_IsTrue(value) == 1));
      if (!PyUnicode_Check(value)) return {wrote::wrong_type, {}};
      const auto truth = values::parse_boolean(view_of(value));
      return truth ? good(values::print_boolean(*truth)) : written_text{wrote::wrong_value, {}};
    }
    case value_type::integer:
    case value_type::date:
      return whole_number(value);
    case value_type::real: {
      if (PyFloat_Check(value)) return good(values::print_real(PyFloat_AS_DOUBLE(value)));
      if (PyLong_Check(value)) return whole_number(value);
      if (!PyUnicode_Check(value)) return {wrote::wrong_type, {}};
      const auto number = values::parse_real(view_of(value));
      return number ? good(values::print_real(*number)) : written_text{wrote::wrong_value, {}};
    }
    case value_type::size: {
      const auto size = size_of(value);
      PyErr_Clear();
      if (size) return good(values::print_size(*size));
      return {PyUnicode_Check(value) || PyLong_Check(value) ? wrote::wrong_value : wrote::wrong_type, {}};
    }
    case value_type::duration: {
      const auto seconds = duration_of(value);
      PyErr_Clear();
      if (seconds) return good(values::print_duration(*seconds));
      return {PyUnicode_Check(value) || PyLong_Check(value) ? wrote::wrong_value : wrote::wrong_type, {}};
    }
    case value_type::node_state:
      if (PyLong_Check(value))
        return good(values::print_node_state(static_cast<std::uint32_t>(PyLong_AsUnsignedLongMask(value))));
      return words(value, false);
    case value_type::string_array:
    case value_type::acl:
      return words(value, true);
    case value_type::string:
    case value_type::character:
    case value_type::hold_set:
    case value_type::limits:
      return words(value, false);
    case value_type::resource_list:
      break;
  }
  return {wrote::wrong_type, {}};
}

// The type of a custom resource that an exechost_startup hook makes, from the value (RU-06).
const char* type_by_value(PyObject* value) {
  if (PyBool_Check(value)) return "boolean";
  if (is_size(value)) return "size";
  if (is_duration(value)) return "duration";
  if (PyLong_Check(value)) return "long";
  if (PyFloat_Check(value)) return "float";
  return PyUnicode_Check(value) ? "string" : nullptr;
}

bool makes_resources(const object_state& object, std::string_view attribute) {
  return object.kind == ObjectKind::VNODE && attribute == "resources_available" &&
         std::string_view(current()->event().name) == "exechost_startup";
}

}  // namespace

PyObject* resource_value(std::string_view resource, std::string_view text) {
  if (attributes::is_select(resource)) return make_text(text_type_of("select"), text);
  if (resource == "place") return make_text(text_type_of("place"), text);
  if (resource == "exec_vnode") return make_text(text_type_of("exec_vnode"), text);
  const auto* row = current()->home().resources.find(resource);
  return row ? value_of_type(row->type, text) : str(text);
}

PyObject* attribute_value(PyObject* owner, object_state& object, std::string_view name, const attribute_row& row) {
  if (row.is_map) return make_resources(owner, name);
  if (row.is_variables) return make_variables(owner, name);
  const auto text = object.text(name);
  if (!text) Py_RETURN_NONE;
  if (row.names_object) return text->empty() ? str("") : make_named(*row.names_object, *text);  // no queue was named
  if (const auto number = row.has_words ? number_of_word(object.kind, name, *text) : std::nullopt)
    return PyLong_FromLong(*number);
  if (row.is_list) return list_of_texts(*text);
  if (row.is_command) return str(shown_command(name, *text));
  if (row.text) return make_text(row.text, *text);
  return value_of_type(row.type, *text);
}

std::optional<std::string> canonical_attribute(const object_state& object, std::string_view name,
                                               const attribute_row& row, PyObject* value) {
  if (const auto* pairs = row.is_variables ? variables_in(value) : nullptr) return list_of(*pairs);
  const char* word =
      row.has_words && PyLong_Check(value) ? word_of_number(object.kind, name, PyLong_AsLong(value)) : nullptr;
  written_text made = word ? good(word) : text_for_type(row.type, value);
  PyErr_Clear();
  const auto of_what = [&] { return std::string(kind_word(object.kind)) + " attribute '" + std::string(name) + "'"; };
  if (made.how == wrote::wrong_type) raise(error::bad_attribute_value_type, of_what() + " has the wrong type");
  if (made.how == wrote::wrong_value) raise(error::bad_attribute_value, of_what() + " has a bad value");
  if (made.how != wrote::text) return std::nullopt;
  if (row.is_command) made.text = kept_command(name, made.text);
  if (row.text && !made.text.empty() && !check_text(row.text, made.text)) return std::nullopt;
  // What hooks may write beyond a person's rights (a vnode's state, dates) has no rule of its own here.
  if (!row.checked || row.type == value_type::node_state || made.text.empty()) return made.text;
  auto checked = attributes::check_value(*row.checked, {}, made.text, current()->home().resources);
  if (checked) return std::move(*checked);
  raise(error::bad_attribute_value, checked.error().text);
  return std::nullopt;
}

std::optional<std::string> canonical_resource(const object_state& object, std::string_view attribute,
                                              std::string_view resource, PyObject* value) {
  const auto* row = current()->home().resources.find(resource);
  if (!row) {
    const char* type = makes_resources(object, attribute) ? type_by_value(value) : nullptr;
    if (!type) {
      raise(error::unset_resource_name, "resource attribute '" + std::string(resource) + "' not found");
      return std::nullopt;
    }
    current()->custom_resource(std::string(resource), type);
    const auto made = text_for_type(*attributes::resource_type_of(type), value);
    return made.how == wrote::text ? std::optional(made.text) : std::nullopt;
  }
  auto made = text_for_type(row->type, value);
  PyErr_Clear();
  if (made.how == wrote::wrong_type)
    raise(error::bad_resource_value_type, std::string(attribute) + "." + std::string(resource) + " has the wrong type");
  const auto checked = made.how == wrote::text ? attributes::canonical(*row, made.text) : std::nullopt;
  if (!checked && made.how != wrote::wrong_type && made.how != wrote::raised)
    raise(error::bad_resource_value, "input value " + text_of(value).value_or("") + " not of the right format for '" +
                                         std::string(resource) + "'");
  return checked;
}

}  // namespace annals::hooks::py
