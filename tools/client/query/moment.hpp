// The moment that --at names (qstat, pbsnodes): status commands answer for the past too (docs/design/0001-shape.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/schema/client.capnp.h"
#include "events/values/moment.hpp"

namespace annals::client {

struct moment {
  enum class kind : std::uint8_t { now,
                                   wall_time,
                                   sequence };
  kind what = kind::now;
  std::int64_t wall_ns = 0;    // since 1970
  std::uint64_t sequence = 0;  // of the event log
  void fill(schema::At::Builder at) const;
  std::int64_t seconds_or(std::int64_t now) const;  // the time to show; a sequence's is not known here: now
};

// As values::parse_moment, of the present. Nothing: it is no moment.
std::optional<moment> parse_moment(std::string_view text);

// Takes "NAME X" or "NAME=X" out of the arguments, wherever it stands before "--": the last one's value, empty if it has none. Nothing:
// there was none.
std::optional<std::string> take_long_option(std::vector<std::string>& arguments, std::string_view name);

// Takes "--at X" or "--at=X" out of the arguments. Nothing: there was one that is no moment (or no value); `bad` is it.
std::optional<moment> take_moment(std::vector<std::string>& arguments, std::string* bad);

// The lines of --help about it.
inline const std::string moment_help = std::string("  --at MOMENT          show what was then: ") + values::moment_forms + "\n";
// "qstat: illegal --at value: x (a moment is ...)", with its newline.
std::string moment_error(const char* command, const char* option, const std::string& value);
// The same of an option that takes no sequence.
std::string time_error(const char* command, const char* option, const std::string& value);

}  // namespace annals::client
