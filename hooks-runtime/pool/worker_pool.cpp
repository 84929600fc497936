#include "hooks-runtime/pool/worker_pool.hpp"

#include <utility>

#include "hooks-runtime/pool/pool_server.hpp"

namespace annals::hooks {

worker_pool::worker_pool(pool_settings settings) : server_(std::make_unique<pool_server>(std::move(settings))) {}
worker_pool::~worker_pool() = default;

void worker_pool::run(hook_run order, run_done done) {
  pool_server::pending work{std::move(order), std::move(done), {}, {}};
  if (server_->begin_at_once(work)) return;
  server_->post([s = server_.get(), work = std::move(work)]() mutable { s->take(std::move(work)); });
}

void worker_pool::compile(std::shared_ptr<const hook_code> code, std::function<void(std::string)> done) {
  server_->post([s = server_.get(), code = std::move(code), done = std::move(done)]() mutable {
    hook_run order;
    order.code = std::move(code);
    s->take({std::move(order), {}, std::move(done), {}});
  });
}

void worker_pool::know_resources(std::vector<resource_type> custom) {
  server_->post([s = server_.get(), custom = std::move(custom)]() mutable { s->know_resources(std::move(custom)); });
}

void worker_pool::know_hooks(std::set<known_hook> hooks) {
  server_->post([s = server_.get(), hooks = std::move(hooks)]() mutable { s->know_hooks(std::move(hooks)); });
}

pool_figures worker_pool::figures() const { return server_->figures(); }

}  // namespace annals::hooks
