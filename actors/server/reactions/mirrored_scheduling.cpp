// scheduling and scheduler_iteration stand on the server and on the default scheduler: what is set on one is set on the other (MS-26,
// MS-66). The server's count for the default scheduler.
#include <array>

#include "actors/server/reactions/all.hpp"

namespace annals::reactions {

namespace {

using value = std::optional<std::string>;  // nothing: unset

struct mirrored {
  const char* attribute;
  value on_server, on_scheduler;
  std::uint64_t cause = 0;  // the last change of one of them
  bool by_server = false;   // which one
};

class mirror final : public reaction {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    const auto r = record.get();
    if (schema::is(event, schema::ServerEvent::CHANGED)) return take(event.getServer().getChanged().getChanges(), true, r.getSequence());
    if (!event.isScheduler()) return false;
    if (event.getScheduler().isCreated() && event.getScheduler().getCreated().getName() == "default") scheduler_ = r.getStream();
    if (!event.getScheduler().isChanged() || r.getStream() != scheduler_) return false;
    return take(event.getScheduler().getChanged().getChanges(), false, r.getSequence());
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& m : all_)
      if (m.cause != 0 && m.on_server != m.on_scheduler) orders.push_back(to_other(m, at.settings));
    return orders;
  }

 private:
  bool take(capnp::List<schema::Attribute>::Reader changes, bool by_server, std::uint64_t sequence) {
    bool differs = false;
    for (auto& m : all_)
      for (auto c : changes) {
        if (schema::text(c.getName()) != m.attribute) continue;
        (by_server ? m.on_server : m.on_scheduler) =
            c.getOp() == schema::AttributeOp::UNSET ? std::nullopt : value(schema::str(c.getValue()));
        m.cause = sequence;
        m.by_server = by_server;
        differs = true;
      }
    return differs;
  }

  static order_ptr to_other(const mirrored& m, const model::settings& settings) {
    const auto& wanted = m.by_server ? m.on_server : m.on_scheduler;
    auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto manage = r.initManage();
      manage.setVerb(wanted ? schema::ManageVerb::SET : schema::ManageVerb::UNSET);
      manage.setKind(m.by_server ? schema::ObjectKind::SCHEDULER : schema::ObjectKind::SERVER);
      if (m.by_server) manage.setName("default");
      auto change = manage.initChanges(1)[0];
      change.setName(m.attribute);
      if (wanted) change.setValue(*wanted);
      else change.setOp(schema::AttributeOp::UNSET);
    });
    return make_order({.cause = m.cause,
                       .target = std::string(m.by_server ? "scheduler " : "server ") + m.attribute,
                       .what = manage_object{std::move(request), {"root", settings.host_name, schema::Role::SERVER}}});
  }

  std::uint64_t scheduler_ = 0;  // the default scheduler's stream; 0: there is none
  // A new server begins with these values.
  std::array<mirrored, 2> all_{{{"scheduling", "True", "True"}, {"scheduler_iteration", "600", "600"}}};
};

}  // namespace

std::unique_ptr<reaction> mirrored_scheduling() { return std::make_unique<mirror>(); }

}  // namespace annals::reactions
