#include "actors/mom/hooks/hook_usage.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "events/model/limits.hpp"

namespace annals::actors {

namespace {

// Of the actor's own command: it must not keep the actor alive.
class tells_when_settled final : public reply_to {
 public:
  tells_when_settled(const caf::actor& who, hook_point point) : who_(caf::actor_cast<caf::actor_addr>(who)), point_(point) {}
  void done(std::uint64_t, const std::string&) override { tell({}); }
  void refused(std::uint64_t, const model::rejection& why) override { tell(why.text); }

 private:
  void tell(const std::string& refused) {
    if (const auto to = caf::actor_cast<caf::actor>(who_)) caf::anon_send(to, closing_usage_settled{point_, refused});
  }
  caf::actor_addr who_;
  hook_point point_;
};

}  // namespace

std::shared_ptr<const attributes::resource_catalogue> mom_parts::resources() const {
  static const auto builtin = std::make_shared<const attributes::resource_catalogue>();
  const auto known = hooks ? hooks->resources.load() : nullptr;
  return known ? known : builtin;
}

std::vector<model::usage_change> usage_to_keep(const mom_parts& parts, const std::string& job, const model::usage_set& set_so_far,
                                               std::vector<model::usage_change> wanted) {
  auto changes = model::changes_to_keep(set_so_far, std::move(wanted), *parts.resources());
  for (const auto& resource : changes.refused)
    parts.note(log_event::error, job,
               "what a hook has set of resources_used." + resource +
                   " is not kept: it is no value of that resource, or words of more than " + std::to_string(limits::hook_words_bytes_max) +
                   " bytes");
  return std::move(changes.kept);
}

reply_ptr tell_when_settled(const caf::actor& who, hook_point point) { return std::make_shared<tells_when_settled>(who, point); }

void note_not_kept(const mom_parts& parts, const std::string& job, const closing_usage_settled& s) {
  if (!s.refused.empty())
    parts.note(log_event::error, job, "what the last hooks have set of resources_used is not kept: " + s.refused);
}

}  // namespace annals::actors
