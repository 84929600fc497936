#include "actors/mom/parts/part_usage.hpp"

#include <algorithm>

#include "events/model/limits.hpp"
#include "events/model/run/task_limits.hpp"

namespace annals::actors {

model::host_usage part_usage::now() {
  ports::run_usage alive;
  for (const auto number : state().active)
    if (state().tasks.at(number).phase == model::task_phase::started)
      if (const auto u = part_.parts.processes->usage(state().task_key(number))) alive.add(*u);
  highest_.mem_kb = std::max(highest_.mem_kb, alive.mem_kb);
  highest_.vmem_kb = std::max(highest_.vmem_kb, alive.vmem_kb);
  alive = part_.parts.settings->config.factors.of(alive);
  auto used = model::with_hooks(model::tasks_usage(state().ended_usage, alive, highest_), state().hook_usage);
  return {part_.parts.settings->host, std::move(used), part_.parts.base.clock->now_ns()};
}

void part_usage::tell_server() {
  part_.self->send(part_.mom, to_server{schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                     auto u = m.initRunUsage();
                     part_.fill_ref(u.initRef());
                     model::write_host_usage(now(), u.initHosts(1)[0]);
                   })});
}

void part_usage::poll(std::uint32_t report_interval_s) {
  ++polls_;
  if (!part_.local() && polls_ % static_cast<unsigned>(limits::part_word_s) == 0) tell_server();
  if (state().phase != model::part_phase::ready) return;
  if (!part_.local() && hooks_.wanted_by_the_clock()) hooks_.tell_periodic(part_.key, now().usage);
  if (state().tasks.empty() && state().hook_usage.empty()) return;
  const auto used = now();
  const std::uint32_t asked = state().request.get().getJoin().getUsageIntervalSeconds();
  const auto interval = std::int64_t{asked == 0 ? report_interval_s : asked} * 1'000'000'000;
  if (used.usage == told_ || (told_ns_ != 0 && used.measured_ns - told_ns_ < interval)) return;
  tell_primary(used, 0);
}

void part_usage::tell_anew() {
  told_ = {};
  told_ns_ = 0;
}

void part_usage::tell_primary(const model::host_usage& now, std::uint64_t question) {
  told_ns_ = now.measured_ns;
  told_ = now.usage;
  part_.tell_primary([&](auto m) {
    auto u = m.initUsage();
    part_.fill_ref(u.initRef());
    model::write_host_usage(now, u.initUsage());
    u.setQuestion(question);
  });
}

}  // namespace annals::actors
