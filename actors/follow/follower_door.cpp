#include "actors/follow/follower_door.hpp"

#include <exception>
#include <utility>

#include "actors/gateway/callers/authorise.hpp"
#include "actors/link/peer_messages.hpp"
#include "actors/runtime/messages.hpp"
#include "actors/server/messages.hpp"
#include "actors/server/replies.hpp"
#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "events/log/place.hpp"
#include "events/model/access.hpp"
#include "events/schema/client.capnp.h"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

// Puts into the server's row how far it is behind.
class standing_sink final : public reply_sink {
 public:
  standing_sink(sink_ptr to, std::shared_ptr<const follow_standing> standing) : to_(std::move(to)), standing_(std::move(standing)) {}

  void send(const schema::sealed<schema::Reply>& reply) override {
    to_->send(reply.get().isObjects() ? with_standing(reply.get()) : reply);
  }
  std::optional<std::size_t> unread_bytes() const override { return to_->unread_bytes(); }
  void give_up(const std::string& why) override { to_->give_up(why); }

 private:
  schema::sealed<schema::Reply> with_standing(schema::Reply::Reader reply) const {
    capnp::MallocMessageBuilder builder;
    builder.setRoot(reply);
    for (auto object : builder.getRoot<schema::Reply>().getObjects().getObjects()) {
      const auto packed = schema::bytes_of(object.getAttributes().asReader());
      auto row = attributes::attribute_set::from_packed({reinterpret_cast<const char*>(packed.data()), packed.size()});
      if (!row) continue;
      row->set(attributes::server::follower, standing_->text(std::chrono::steady_clock::now()));
      const auto bytes = row->packed();
      object.setAttributes({reinterpret_cast<const capnp::byte*>(bytes.data()), bytes.size()});
    }
    return schema::sealed<schema::Reply>(schema::sealed_message::from_builder(builder));
  }

  const sink_ptr to_;
  const std::shared_ptr<const follow_standing> standing_;
};

bool wants_standing(schema::Stat::Reader asked) {
  if (asked.getKind() != schema::ObjectKind::SERVER || !asked.getAt().isNow()) return false;
  for (const auto id : asked.getWanted())
    if (id == attributes::server::follower) return true;
  return asked.getWanted().size() == 0;
}

class door {
 public:
  door(caf::event_based_actor* self, follower_door_parts parts) : self_(self), parts_(std::move(parts)) {}

  void on_frame(peer_frame& f) {
    for_peer(f.peer, [&] { on_request(f.peer, schema::sealed<schema::Request>(std::move(f.message))); });
  }

  void on_committed(const committed& c) {
    for (const auto& r : *c.records) (void)parts_.settings.fold(log::place_of(*r), r->event());
  }

 private:
  // His number says nothing where the log comes from.
  wire::identity as_known_to_server(const wire::identity& user) const {
    auto remote = user;
    remote.what = wire::identity::kind::remote;
    remote.uid = remote.gid = wire::identity::nobody;
    remote.host = parts_.host;
    return remote;
  }

  void on_request(const wire::connection_ptr& peer, schema::sealed<schema::Request> request) {
    const auto r = request.get();
    const auto to = sink_to(peer);
    const auto refuse = [&](const model::rejection& why) { to->send(refusal_reply(r.getId(), 0, why)); };
    const auto& settings = *parts_.settings.settings();
    if (!parts_.settings.server().exists)
      return refuse({pbs_error::system_error, "The follower has nothing of the log yet: " + standing()});
    const auto by = requester_of(as_known_to_server(peer->peer()), settings, wire::identity::nobody);
    if (const auto why = model::server_refusal(by, settings)) return refuse(*why);
    switch (r.which()) {
      case schema::Request::STAT:
        return ask(wants_standing(r.getStat()) ? std::make_shared<standing_sink>(to, parts_.standing) : to, request, by);
      case schema::Request::SELECT_JOBS: return ask(to, request, by);
      case schema::Request::FAIRSHARE:
        if (r.getFairshare().isShow() || r.getFairshare().isWhy()) return ask(to, request, by);
        break;
      case schema::Request::HELLO: return to->send(done_reply(r.getId(), 0, settings.server_name));
      case schema::Request::EXPORT_HOOK:
        return refuse({pbs_error::no_support, "A follower has no files of hooks: ask server " + parts_.server + " (PBS_READ_FROM=server)"});
      default: break;
    }
    refuse({pbs_error::no_support, "This is a follower, which changes nothing and waits for nothing: ask server " + parts_.server +
                                       " (PBS_READ_FROM=server)"});
  }

  void ask(sink_ptr to, const schema::sealed<schema::Request>& request, const model::requester& by) {
    self_->send(parts_.queries, query{std::move(to), request, by});
  }

  std::string standing() const { return parts_.standing->text(std::chrono::steady_clock::now()); }

  caf::event_based_actor* self_;
  follower_door_parts parts_;
};

}  // namespace

caf::behavior follower_door(caf::event_based_actor* self, follower_door_parts parts) {
  self->set_exception_handler([stop = parts.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      stop(std::string("the follower's door failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  const auto d = std::make_shared<door>(self, std::move(parts));
  return {
      [](const peer_opened&) {},
      [d](peer_frame& f) { d->on_frame(f); },
      [](const peer_closed&) {},
      [d](const committed& c) { d->on_committed(c); },
  };
}

}  // namespace annals::actors
