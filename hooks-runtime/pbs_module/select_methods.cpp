// pbs.select.increment_chunks, pbs.exec_vnode.chunks and pbs.vchunk.
#include <utility>

#include "events/values/exec_vnode.hpp"
#include "hooks-runtime/pbs_module/exceptions.hpp"
#include "hooks-runtime/pbs_module/increment.hpp"
#include "hooks-runtime/pbs_module/resource_map.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"

namespace annals::hooks::py {
namespace {

constexpr const char* bad_increment = "bad increment specs";  // PBS's words

// An int or a text; a float is neither.
std::optional<increment> increment_of(PyObject* value) {
  if (PyLong_Check(value)) {
    const long long number = PyLong_AsLongLong(value);
    if (PyErr_Occurred())
      PyErr_Clear();
    else if (number >= 0)
      return increment{static_cast<std::uint64_t>(number), false};
    return std::nullopt;
  }
  if (!PyUnicode_Check(value)) return std::nullopt;
  const auto text = text_of(value);
  return text ? parse_increment(*text) : std::nullopt;
}

std::optional<increments> increments_of(PyObject* value) {
  if (!PyDict_Check(value)) {
    if (const auto one = increment_of(value)) return increments(*one);
    return std::nullopt;
  }
  std::map<std::int64_t, increment> some;
  PyObject *key, *item;
  for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item);) {
    const auto by = increment_of(item);
    const long long index = PyLong_Check(key) ? PyLong_AsLongLong(key) : -1;
    if (!by || index < 0) return std::nullopt;
    some.emplace(index, *by);
  }
  return increments(std::move(some));
}

PyObject* increment_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  // Both documents' names for the argument (RS-75, RS-82) are accepted.
  PyObject *by = nullptr, *by_spec = nullptr;
  int first_chunk = 0;
  static const char* names[] = {"increment", "first_chunk", "increment_spec", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OpO:increment_chunks", const_cast<char**>(names), &by, &first_chunk,
                                   &by_spec))
    return nullptr;
  if (!by) by = by_spec;
  if (!by)
    return raise(PyExc_TypeError, "select.increment_chunks() missing 1 required positional argument: 'increment_spec'");
  const auto text = text_of(self);
  if (!text) return nullptr;
  const auto parsed = values::parse_select(*text);
  const auto wanted = increments_of(by);
  PyErr_Clear();
  if (!parsed || !wanted) return raise(PyExc_ValueError, bad_increment);
  const auto grown = increment_chunks(*parsed, *wanted, first_chunk != 0);
  if (!grown) return raise(PyExc_ValueError, bad_increment);
  return make_text(text_type_of("select"), values::print_with_counts(*grown));
}

// -- vchunk ---------------------------------------------------------------------------------------------------------

PyStructSequence_Field vchunk_fields[] = {
    {"vnode_name", "name of the vnode"}, {"chunk_resources", "pbs_resource: what is used there"}, {nullptr, nullptr}};
PyStructSequence_Desc vchunk_desc = {"pbs.v1._base_types.vchunk", "one vnode of an exec_vnode", vchunk_fields, 2};

newfunc new_sequence;  // what the type was made with

PyObject* make_vchunk(const std::string& vnode, const std::vector<values::named_value>& resources) {
  ref made(PyStructSequence_New(vchunk_type()));
  if (!made) return nullptr;
  PyStructSequence_SetItem(made.get(), 0, str(vnode));
  PyStructSequence_SetItem(made.get(), 1, make_free_resources(resources));
  return PyErr_Occurred() ? nullptr : made.release();
}

// pbs.vchunk("n1:ncpus=2"); its copies are made of the two fields.
PyObject* new_vchunk(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* what = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (!what || !PyUnicode_Check(what)) return new_sequence(type, args, kwargs);
  const auto text = text_of(what);
  if (!text) return nullptr;
  if (text->empty()) return make_vchunk({}, {});
  const auto spec = values::parse_exec_vnode("(" + *text + ")");
  if (!spec || spec->chunks.size() != 1 || spec->chunks[0].parts.size() != 1)
    return raise(PyExc_ValueError, *text + " is not one vnode of an exec_vnode");
  return make_vchunk(spec->chunks[0].parts[0].vnode, spec->chunks[0].parts[0].resources);
}

PyObject* chunks_of(PyObject* self, void*) {
  const auto text = text_of(self);
  if (!text) return nullptr;
  ref list(PyList_New(0));
  const auto spec = values::parse_exec_vnode(*text);
  if (!spec || !list) return list.release();
  for (const auto& chunk : spec->chunks)
    for (const auto& part : chunk.parts) {
      ref made(make_vchunk(part.vnode, part.resources));
      if (!made || PyList_Append(list.get(), made.get()) < 0) return nullptr;
    }
  return list.release();
}

PyTypeObject* make_vchunk_type() {
  PyTypeObject* type = PyStructSequence_NewType(&vchunk_desc);
  if (type) new_sequence = std::exchange(type->tp_new, new_vchunk);
  return type;
}

}  // namespace

PyTypeObject* vchunk_type() {
  static PyTypeObject* type = make_vchunk_type();
  return type;
}

PyMethodDef select_methods[] = {
    {"increment_chunks", method(increment_method), METH_VARARGS | METH_KEYWORDS, "the same request with more chunks"},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef exec_vnode_fields[] = {{"chunks", chunks_of, nullptr, "list of vchunk", nullptr},
                                   {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace annals::hooks::py
