// pbs.pbs_resource: Resource_List, resources_used and the like as a mapping from names to values; and pbs.pbs_env, the
// mapping behind Variable_List and an execjob_launch hook's env.
#pragma once

#include <string_view>
#include <vector>

#include "events/values/resource_list.hpp"
#include "hooks-runtime/pbs_module/python.hpp"

namespace annals::hooks::py {

bool add_maps(PyObject* module);

// The resources of an object's attribute; writes go through to it.
PyObject* make_resources(PyObject* owner, std::string_view attribute);
// Resources of no object, as in a vchunk.
PyObject* make_free_resources(const std::vector<values::named_value>& from);
// The variables of an object's Variable_List, or, without owner, of the event's env.
PyObject* make_variables(PyObject* owner, std::string_view attribute);
PyObject* make_environment(std::vector<values::named_value> from);
std::string list_of(const std::vector<values::named_value>& variables);  // "NAME=value,...", as Variable_List has it
// Whether it is a pbs_env, and its pairs.
const std::vector<values::named_value>* variables_in(PyObject* object);

PyTypeObject* vchunk_type();

}  // namespace annals::hooks::py
