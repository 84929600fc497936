#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "actors/link/wire/accepting.hpp"
#include "actors/link/wire/dialer.hpp"
#include "actors/link/wire/tls_listener.hpp"
#include "actors/link/wire/unix_listener.hpp"

namespace annals::wire {

std::size_t descriptors_of_process() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

struct io_pool::impl {
  impl(std::size_t descriptors, in_hand_bounds bounds) : places(descriptors, bounds) {}
  const rooms places;
  std::vector<std::shared_ptr<worker>> workers;
  std::atomic<unsigned> turn{0};

  std::shared_ptr<worker> next() { return workers[turn++ % workers.size()]; }
  std::shared_ptr<worker> emptiest(const std::shared_ptr<worker>& accepts) const {
    const auto at =
        std::min_element(workers.begin(), workers.end(), [](const auto& a, const auto& b) { return a->connections < b->connections; });
    return (*at)->connections < accepts->connections ? *at : accepts;
  }

  // OpenSSL takes a millisecond to make one, and a job's primary dials hundreds of hosts.
  std::shared_ptr<tls_context> context(const credentials& c) {
    const std::lock_guard held(contexts_guard);
    auto& made = contexts[c];
    if (!made) made = std::make_shared<tls_context>(c);
    return made;
  }
  std::mutex contexts_guard;
  std::map<credentials, std::shared_ptr<tls_context>> contexts;
};

io_pool::io_pool(unsigned threads, io_options options)
    : impl_(std::make_unique<impl>(options.descriptors ? options.descriptors : descriptors_of_process(), options.in_hand)) {
  for (unsigned i = 0; i < std::max(threads, 1u); ++i) impl_->workers.push_back(std::make_shared<worker>(options));
  for (const auto& w : impl_->workers) w->start();
}

io_pool::~io_pool() {
  for (const auto& w : impl_->workers) w->begin_stop();
  for (const auto& w : impl_->workers) w->join();
}

std::unique_ptr<listener> io_pool::listen_unix(const std::string& path, unsigned mode, handler h) {
  return make_unix_listener(
      impl_->next(), [p = impl_.get()](const auto& accepts) { return p->emptiest(accepts); }, impl_->places, path, mode, std::move(h));
}

std::unique_ptr<listener> io_pool::listen_tls(const std::string& address, std::uint16_t port, const credentials& c, handler h) {
  return make_tls_listener(
      impl_->next(), [p = impl_.get()](const auto& accepts) { return p->emptiest(accepts); }, impl_->places, address, port,
      impl_->context(c), std::move(h));
}

std::unique_ptr<io_pool::dialer> io_pool::dial_tls(const std::string& host, std::uint16_t port, const credentials& c,
                                                   identity::kind expected, handler h, const std::string& expected_name) {
  return make_tls_dialer(impl_->next(), {host, port, expected, expected_name}, impl_->context(c), std::move(h));
}

}  // namespace annals::wire
