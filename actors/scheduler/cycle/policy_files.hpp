// The files that a site's policy is made of, as one text: so it is kept in the log beside the cycles that used it.
#pragma once

#include <string>
#include <string_view>

namespace annals::cycle {

struct policy_files {
  std::string_view sched_config;
  std::string_view resource_group = {};
  std::string_view holidays = {};
  std::string_view dedicated_time = {};
  std::string_view time_zone = {};  // no file: when the site's clock is put forward and back (time_zone.hpp)
};

constexpr const char* resource_group_line = "### resource_group ###";
constexpr const char* holidays_line = "### holidays ###";
constexpr const char* dedicated_time_line = "### dedicated_time ###";
constexpr const char* time_zone_line = "### time_zone ###";

// sched_config, and behind a line of its own each other file that says something (more than comments).
std::string policy_text(const policy_files& files);
// The files again; they live as long as the text. Any text has some: one without such lines is sched_config alone.
policy_files split_policy_text(std::string_view text);

}  // namespace annals::cycle
