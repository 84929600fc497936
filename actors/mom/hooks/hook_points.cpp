#include "actors/mom/hooks/hook_points.hpp"

#include <array>
#include <iterator>

#include "events/model/exit_codes.hpp"
#include "hooks-runtime/catalog/events.hpp"

namespace annals::actors {

const std::vector<const char*>& events_at(hook_point point) {
  static const std::vector<const char*> of_point[] = {{"execjob_begin"},
                                                      {"execjob_prologue"},
                                                      {"execjob_launch"},
                                                      {"execjob_attach"},
                                                      {"execjob_preterm"},
                                                      {"execjob_postsuspend"},
                                                      {"execjob_preresume"},
                                                      {"execjob_resize"},
                                                      {"execjob_epilogue", "execjob_end"},
                                                      {"execjob_abort", "execjob_end"}};
  static_assert(std::size(of_point) == hook_point_count);
  return of_point[static_cast<std::size_t>(point)];
}

namespace {

std::uint32_t bits_of(hook_point point) {
  static const auto of_point = [] {
    std::array<std::uint32_t, hook_point_count> bits{};
    for (std::size_t p = 0; p < bits.size(); ++p)
      for (const char* name : events_at(static_cast<hook_point>(p))) bits[p] |= hooks::find_event(name)->bit;
    return bits;
  }();
  return of_point[static_cast<std::size_t>(point)];
}

}  // namespace

bool has_hooks(const hook_bits* bits, hook_point point) {
  if (!bits) return false;
  if (point == hook_point::begin && bits->catching_up) return true;
  return (bits->events & bits_of(point)) != 0;
}

bool has_epilogue_hooks(const hook_bits* bits) {
  static const std::uint32_t bit = hooks::find_event("execjob_epilogue")->bit;
  return bits && (bits->events & bit) != 0;
}

bool has_periodic_hooks(const hook_bits* bits) {
  static const std::uint32_t bit = hooks::find_event("exechost_periodic")->bit;
  return bits && (bits->events & bit) != 0;
}

// PBS's own words have the name: "execjob_launch request rejected by 'h'".
std::string hook_point_passed::words() const {
  if (!refused) return "hook " + hook + (deletes ? " deletes the job" : " wants it to be started again");
  return text.find("'" + hook + "'") == std::string::npos ? "hook " + hook + ": " + text : text;
}

ports::start_failed hook_point_passed::why() const {
  constexpr int rejected_delete = -17, wants_delete = -19;
  if (refused) return {deletes ? rejected_delete : model::exit_hook_rejected, words()};
  return {deletes ? wants_delete : model::exit_hook_wants_rerun, words()};
}

}  // namespace annals::actors
