// Why a host is down, where no lost connection says it. These words are in events and in the comments of vnodes.
#pragma once

#include <string_view>

namespace annals::model::down_reasons {

inline constexpr std::string_view server_stopped = "the server has stopped";
inline constexpr std::string_view never_came = "no contact since the server's start";
// Its MoM is there and must be rid of runs first: of those that may be of a lost part of the log, which go on, or of those that it
// was told to end.
inline constexpr std::string_view has_unknown_runs = "it runs jobs of which the log knows nothing";
inline constexpr std::string_view has_unwanted_runs = "it has yet to end runs that nobody wants";

// Such a reason ends by itself, with the next start of the server or with these runs.
constexpr bool passes(std::string_view reason) {
  constexpr std::string_view of_earlier_releases = "shutting down";  // the server has stopped
  return reason == server_stopped || reason == has_unknown_runs || reason == has_unwanted_runs || reason == of_earlier_releases;
}

}  // namespace annals::model::down_reasons
