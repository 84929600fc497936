#include "actors/gateway/hosts/doubted_log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "actors/runtime/run_this.hpp"
#include "events/model/limits.hpp"

namespace annals::actors {

namespace {
const std::string patience = std::to_string(limits::copy_wait_s) + " s";
}

void doubted_log::begin() {
  if (!doubted_) return;
  const auto hosts = board_.where().hosts().size();
  if (hosts == 0) return trust(": there are no hosts");
  note("the log is a copy, or its mark is gone: jobs and changes wait for the word of " + std::to_string(hosts) +
       (hosts == 1 ? " host, " : " hosts, ") + patience + " at most");
  board_.self()->delayed_send(board_.self(), std::chrono::seconds(limits::copy_wait_s), run_this{[this] { wait_no_longer(); }});
}

void doubted_log::wait_no_longer() {
  if (doubted_) trust(" after " + patience + ": " + heard_text() + "; one that knows more stops the server when it comes");
}

void doubted_log::closed(const wire::connection_ptr& who) {
  std::erase_if(kept_, [&](const kept& k) { return k.from == who; });
}

void doubted_log::agreed(const std::string& host) {
  if (!doubted_) return;
  agreed_.insert(host);
  if (all_agreed()) trust(": " + heard_text());
}

bool doubted_log::all_agreed() const {
  return std::ranges::all_of(board_.where().hosts(), [&](const auto& host) { return agreed_.contains(host.first); });
}

std::string doubted_log::heard_text() const {
  return std::to_string(agreed_.size()) + " of " + std::to_string(board_.where().hosts().size()) + " hosts have said what they know";
}

void doubted_log::trust(const std::string& why) {
  note("the log is taken as whole" + why);
  doubted_ = false;
  if (board_.parts().witnesses.trusted) board_.parts().witnesses.trusted();
  for (auto waited = std::exchange(kept_, {}); const auto& k : waited) k.work();
}

void doubted_log::note(const std::string& text) const {
  board_.note(log_event::admin | log_event::force, "Svr", "Server@" + board_.settings()->server_name, text);
}

}  // namespace annals::actors
