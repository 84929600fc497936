// The value types of the pbs module: texts with rules (pbs.select, pbs.hold_types ...) are subclasses of str,
// pbs.duration of int, pbs.size is a type of its own. Source: pbs guide, "hooks: the pbs module".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/size.hpp"
#include "hooks-runtime/pbs_module/python.hpp"

namespace annals::hooks::py {

// Registers every value type; false: an exception is pending.
bool add_value_types(PyObject* module);

// -- texts ----------------------------------------------------------------------------------------------------------
struct text_type;                                      // one row: a name and what its text must be
const text_type* text_type_of(std::string_view name);  // "select"; nullptr: no such type
// What the server holds is not checked again.
PyObject* make_text(const text_type* type, std::string_view text);
bool is_text(const text_type* type, PyObject* object);
// Sets the exception when the text is not one of this type; then false.
bool check_text(const text_type* type, std::string_view text);

// -- numbers --------------------------------------------------------------------------------------------------------
PyObject* make_duration(std::int64_t seconds);
PyObject* make_bool(bool truth);  // a pbs.pbs_bool, an int that prints as 1 or 0
bool is_duration(PyObject* object);
// From a duration, a number of seconds (rounded up) or a text. Nothing: it is none of these.
std::optional<std::int64_t> duration_of(PyObject* object);
PyObject* refuse_duration(PyObject* value);  // BadResourceValueError

PyObject* make_size(const values::size_value& value);
bool is_size(PyObject* object);
PyObject* refuse_size(PyObject* value);  // TypeError, as PBS says it
// From a size, a number of bytes or a text. Nothing: it is none of these.
std::optional<values::size_value> size_of(PyObject* object);

PyObject* make_vnode_state(std::uint32_t bits);

// Pieces that the above is made of; each false: an exception is pending.
bool add_text_types(PyObject* module);
bool add_number_types(PyObject* module);
bool add_size_type(PyObject* module);
bool add_vnode_types(PyObject* module);

// pbs.hold_types: letters come and go by + and -.
PyObject* add_holds(PyObject* a, PyObject* b);
PyObject* subtract_holds(PyObject* a, PyObject* b);

// -- methods of two of the texts --------------------------------------------------------------------------------------
extern PyMethodDef select_methods[];
extern PyGetSetDef exec_vnode_fields[];

}  // namespace annals::hooks::py
