#include "actors/mom/host/host_news.hpp"

namespace annals::mom {

void host_news::listen(events e) {
  const std::lock_guard held(mutex_);
  events_ = std::move(e);
}

void host_news::guarded(const event_loop::task& t) {
  std::vector<telling> tellings;
  events listener;
  {
    const std::lock_guard held(mutex_);
    t();
    tellings.swap(tellings_);
    if (!tellings.empty()) listener = events_;
  }
  for (const auto& one : tellings) one(listener);
}

void host_news::failed(const values::program_key& key, int code, const std::string& text) {
  tell([key, f = ports::start_failed{code, text}](const events& e) {
    if (e.failed) e.failed(key, f);
  });
}

void host_news::acted(const values::run_key& key) {
  tell([key](const events& e) {
    if (e.acted) e.acted(key);
  });
}

void host_news::appended(const values::run_key& key) {
  tell([key](const events& e) {
    if (e.appended) e.appended(key);
  });
}

}  // namespace annals::mom
