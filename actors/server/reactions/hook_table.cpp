#include "actors/server/reactions/hook_table.hpp"

#include "events/log/place.hpp"

namespace annals::reactions {

bool hook_table::fold(const log::record& record) {
  const auto stream = record.get().getStream();
  auto& hook = hooks_[stream];
  model::apply(hook, log::place_of(record), record.event());
  if (!hook.exists) hooks_.erase(stream);
  if (schema::is(record.event(), schema::HookEvent::RAN)) return false;
  events_ = 0;
  for (const auto& [serial, h] : hooks_)
    for (const auto& e : hooks::hook_events())
      if (h.runs_at(e.name)) events_ |= e.bit;
  return true;
}

bool mom_hooks_fold::fold(const log::record& record) {
  const auto event = record.event();
  const bool of_hooks = event.isHook() && !event.getHook().isRan();
  const bool of_resources = schema::is(event, schema::ServerEvent::RESOURCE_CREATED) ||
                            schema::is(event, schema::ServerEvent::RESOURCE_CHANGED) ||
                            schema::is(event, schema::ServerEvent::RESOURCE_DELETED);
  const bool differs = of_hooks || (since_ != 0 && (of_resources || schema::is(event, schema::HostEvent::ADDED)));
  if (differs) since_ = record.sequence();
  return differs;
}

}  // namespace annals::reactions
