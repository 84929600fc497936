// What pbs_rstat prints (pbs guide: pbs_rstat): the table, whole reservations, or their ids alone. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/client/print/object_form.hpp"

namespace annals::client {

// "Today 00:42"; "Sat 01:18" less than a day away; "Sun Nov 22 03:18"; with the year when it is another.
std::string reservation_time(std::string_view seconds_since_1970, std::int64_t now);

object_form_ptr reservation_table_form(std::int64_t now);
object_form_ptr reservation_full_form();
object_form_ptr reservation_names_form();

}  // namespace annals::client
