#include "actors/sessions/mirror_waits.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "actors/server/reactions/mirrored.hpp"
#include "events/model/settings.hpp"

namespace annals::actors {

namespace {

using reactions::mirrored_attributes;

bool are_alike(const projections::status& now) {
  const auto& schedulers = now.schedulers();
  const auto at = schedulers.find(model::default_scheduler);
  if (at == schedulers.end()) return true;
  return std::ranges::all_of(mirrored_attributes, [&](const auto& m) {
    return now.server().attributes.get(m.on_server).value_or(m.at_first) == at->second.attributes.get(m.on_scheduler).value_or(m.at_first);
  });
}

bool sets_mirrored(schema::Manage::Reader request) {
  if (request.getKind() != schema::ObjectKind::SERVER &&
      (request.getKind() != schema::ObjectKind::SCHEDULER || schema::text(request.getName()) != model::default_scheduler))
    return false;
  for (auto c : request.getChanges())
    if (std::ranges::any_of(mirrored_attributes, [&](const auto& m) { return schema::text(c.getName()) == m.name; }))
      return true;
  return false;
}

class mirrored_reply final : public reply_to {
 public:
  mirrored_reply(caf::actor status, reply_ptr to) : status_(std::move(status)), to_(std::move(to)) {}
  void done(std::uint64_t sequence, const std::string& text) override { caf::anon_send(status_, mirror_wait{text, to_, sequence}); }
  void refused(std::uint64_t sequence, const model::rejection& why) override { to_->refused(sequence, why); }

 private:
  const caf::actor status_;
  const reply_ptr to_;
};

}  // namespace

std::uint64_t mirror_waits::add(mirror_wait wait, const projections::status& now) {
  waits_.emplace(++last_, std::move(wait));
  look(now);
  return last_;
}

void mirror_waits::look(const projections::status& now) {
  if (!are_alike(now)) return;
  std::erase_if(waits_, [&](const auto& entry) {
    const auto& wait = entry.second;
    if (now.sequence() < wait.min_sequence) return false;
    wait.to->done(now.sequence(), wait.text);
    return true;
  });
}

void mirror_waits::over(std::uint64_t number, const projections::status& now) {
  const auto at = waits_.find(number);
  if (at == waits_.end()) return;
  at->second.to->done(std::max(at->second.min_sequence, now.sequence()), at->second.text);
  waits_.erase(at);
}

reply_ptr reply_when_mirrored(caf::actor status, schema::Manage::Reader request, reply_ptr to) {
  return sets_mirrored(request) ? std::make_shared<mirrored_reply>(std::move(status), std::move(to)) : std::move(to);
}

}  // namespace annals::actors
