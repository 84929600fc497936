// scheduling and scheduler_iteration stand on the server and on the default scheduler: what is set on one is set on the other (MS-26,
// MS-66). The server's count for the default scheduler.
#include "actors/server/reactions/all.hpp"
#include "actors/server/reactions/mirrored.hpp"

namespace annals::reactions {

namespace {

using value = std::optional<std::string>;  // nothing: unset

struct mirrored {
  const char* attribute;
  value on_server, on_scheduler;
  value wanted{};           // what was asked for last, of either
  std::uint64_t cause = 0;  // the change that it was asked for with
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: attribute, because the program says which there are
    io(self.on_server, self.on_scheduler, self.wanted, self.cause);
  }
};

class mirror final : public stored_reaction<mirror> {
 public:
  mirror() {
    for (const auto& a : mirrored_attributes) all_.push_back({a.name, a.at_first, a.at_first});
  }
  bool fold(const log::record& record) override {
    const auto event = record.event();
    const auto r = record.get();
    if (schema::is(event, schema::ServerEvent::CHANGED)) return take(event.getServer().getChanged().getChanges(), true, r);
    if (!event.isScheduler()) return false;
    if (event.getScheduler().isCreated() && event.getScheduler().getCreated().getName() == "default") scheduler_ = r.getStream();
    if (!event.getScheduler().isChanged() || r.getStream() != scheduler_) return false;
    return take(event.getScheduler().getChanged().getChanges(), false, r);
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& m : all_) {
      if (m.cause == 0) continue;
      if (m.on_server != m.wanted) orders.push_back(to_be_set(m, true, at.settings));
      if (m.on_scheduler != m.wanted) orders.push_back(to_be_set(m, false, at.settings));
    }
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.scheduler_);
    for (auto& m : self.all_) io(m);
  }

 private:
  // A change that was ordered here (it has a cause) is what was asked for then, not now: others may have asked for more since.
  bool take(capnp::List<schema::Attribute>::Reader changes, bool by_server, schema::Record::Reader record) {
    bool differs = false;
    for (auto& m : all_)
      for (auto c : changes) {
        if (schema::text(c.getName()) != m.attribute) continue;
        const auto now = c.getOp() == schema::AttributeOp::UNSET ? std::nullopt : value(schema::str(c.getValue()));
        (by_server ? m.on_server : m.on_scheduler) = now;
        if (record.getCause() == 0) {
          m.wanted = now;
          m.cause = record.getSequence();
        }
        differs = true;
      }
    return differs;
  }

  static order_ptr to_be_set(const mirrored& m, bool on_server, const model::settings& settings) {
    auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto manage = r.initManage();
      manage.setVerb(m.wanted ? schema::ManageVerb::SET : schema::ManageVerb::UNSET);
      manage.setKind(on_server ? schema::ObjectKind::SERVER : schema::ObjectKind::SCHEDULER);
      if (!on_server) manage.setName("default");
      auto change = manage.initChanges(1)[0];
      change.setName(m.attribute);
      if (m.wanted) change.setValue(*m.wanted);
      else change.setOp(schema::AttributeOp::UNSET);
    });
    return make_order({.cause = m.cause,
                       .target = std::string(on_server ? "server " : "scheduler ") + m.attribute,
                       .what = manage_object{std::move(request), {"root", settings.host_name, schema::Role::SERVER}}});
  }

  std::uint64_t scheduler_ = 0;  // the default scheduler's stream; 0: there is none
  std::vector<mirrored> all_;
};

}  // namespace

std::unique_ptr<reaction> mirrored_scheduling() { return std::make_unique<mirror>(); }

}  // namespace annals::reactions
