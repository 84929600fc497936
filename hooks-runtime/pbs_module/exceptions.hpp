// The exceptions of the pbs module. Source: pbs guide, "hooks: the pbs module".
#pragma once

#include "hooks-runtime/pbs_module/python.hpp"

namespace annals::hooks::py {

namespace error {
extern PyObject *event_incompatible,  // pbs.event() has no such parameter in this event
    *unset_attribute_name,            // no attribute of that name
    *bad_attribute_value_type, *bad_attribute_value,
    *unset_resource_name,  // no resource of that name
    *bad_resource_value_type, *bad_resource_value;
}

bool add_exceptions(PyObject* module);  // false: an exception is pending

}  // namespace annals::hooks::py
