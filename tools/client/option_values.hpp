// What single option values of qsub, qalter and qselect may look like (pbs guide: qsub, job attributes). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::client {

bool is_checkpoint(std::string_view text);       // n s c w c=<minutes> w=<minutes>
bool is_keep_files(std::string_view text);       // n, or o and e, perhaps with d
bool is_mail_points(std::string_view text);      // n, or letters of a b e j, repeated or not
bool is_priority(std::string_view text);         // -1024 ... 1023
bool is_count(std::string_view text);            // digits
bool is_staging_list(std::string_view text);     // local@host:remote,...
bool is_dependency_list(std::string_view text);  // type:job[:job],...; on:count, where only the server judges the count
bool is_sandbox(std::string_view text);          // PRIVATE, HOME or O_WORKDIR, in any case
bool is_true_or_false(std::string_view text);    // a boolean that is no yes and no no
bool is_boolean_attribute(std::string_view name);
// -J "X-Y[:Z][%n]": X < Y, Z >= 1. What stands after '%' is judged apart.
bool is_array_range(std::string_view text);
// -F of qstat and pbsnodes: json or dsv, in any case.
enum class object_format : std::uint8_t { text,
                                          json,
                                          dsv };
std::optional<object_format> parse_object_format(std::string_view text);
std::string without_leading_zeros(std::string_view digits);

}  // namespace annals::client
