// The arrays behind table_of(), one per kind of object and file. Only this library includes it; others ask table.hpp.
#pragma once

#include <cstddef>
#include <iterator>

#include "events/attributes/attribute.hpp"

namespace annals::attributes {

extern const attribute job_attributes[];
extern const std::size_t job_attribute_count;
extern const attribute queue_attributes[];
extern const std::size_t queue_attribute_count;
extern const attribute server_attributes[];
extern const std::size_t server_attribute_count;
extern const attribute node_attributes[];
extern const std::size_t node_attribute_count;
extern const attribute scheduler_attributes[];
extern const std::size_t scheduler_attribute_count;
extern const attribute hook_attributes[];
extern const std::size_t hook_attribute_count;
extern const attribute reservation_attributes[];
extern const std::size_t reservation_attribute_count;

}  // namespace annals::attributes
