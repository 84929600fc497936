// Hooks that look on at what has happened (postqueuejob, jobobit, modifyvnode, resv_confirm, resv_begin, resv_end:
// events/model/hook/hook_look.hpp). A run is owed from the event on, for each hook that is on at it, until HookRan, whose cause is the
// event. A hook that is turned off meanwhile owes nothing. Governed by docs/design/0023-hooks.md.
#include <map>
#include <set>

#include "actors/server/reactions/all.hpp"
#include "actors/server/reactions/hook_table.hpp"
#include "events/model/hook/hook_look.hpp"
#include "events/model/job_names.hpp"

namespace annals::reactions {

namespace {

class looking final : public stored_reaction<looking> {
 public:
  bool fold(const log::record& record) override {
    learn_names(record);
    if (record.event().isHook()) return fold_hook(record);
    const auto look = hooks_.events() == 0 ? std::nullopt : model::look_at(record.event());
    const auto* event = look ? hooks::find_event(look->event) : nullptr;
    if (!event || (hooks_.events() & event->bit) == 0) return false;
    for (const auto& subject : subjects_of(*look, record.get().getStream())) owe(*event, record, subject);
    return true;
  }

  std::vector<order_ptr> owed(const moment&) override {
    std::vector<order_ptr> orders;
    orders.reserve(looks_.size());
    for (const auto& [key, look] : looks_) orders.push_back(look.what);
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.hooks_, self.looks_, self.server_, self.jobs_, self.vnodes_, self.reservations_);
  }
  void restored() {
    for (auto& look : looks_) put_order(look);
  }

 private:
  struct look {
    const hooks::hook_event* event;
    model::requester by;
    std::map<std::uint64_t, std::string> hooks{};  // that have not run yet: name by stream
    order_ptr what{};                              // made of the others
    void store(stored::writer& to) const {
      to.bytes(event->name);
      to(by, hooks);
    }
    void restore(stored::reader& from) {
      event = hooks::find_event(from.bytes());
      if (!event) throw stored::state_unreadable("a state names a hook event that is not known");
      from(by, hooks);
    }
  };
  using looks = std::map<std::pair<std::uint64_t, std::string>, look>;  // by the event's sequence and the subject

  void owe(const hooks::hook_event& event, const log::record& record, const std::string& subject) {
    const auto who = record.get().getWho();
    look l{&event, {schema::str(who.getUser()), schema::str(who.getHost()), who.getRole()}};
    for (const auto& [stream, hook] : hooks_.hooks())
      if (hook.runs_at(event.name)) l.hooks[stream] = hook.name;
    put_order(*looks_.emplace(std::pair(record.sequence(), subject), std::move(l)).first);
  }

  static void put_order(looks::value_type& at) {
    auto& [key, l] = at;
    run_looking_hooks run{l.event, key.first, key.second, l.by, {}};
    for (const auto& [stream, name] : l.hooks) run.hooks.push_back(name);
    l.what = make_order(
        {.cause = key.first, .target = key.second, .what = std::move(run), .given = order::repeat::until_accepted, .again_ns = second_ns});
  }

  bool fold_hook(const log::record& record) {
    const auto stream = record.get().getStream();
    if (hooks_.fold(record)) {
      const auto hook = hooks_.hooks().find(stream);
      const auto is_off = [&](const look& l) { return hook == hooks_.hooks().end() || !hook->second.runs_at(l.event->name); };
      for (auto at = looks_.begin(); at != looks_.end();) at = is_off(at->second) ? without(at, stream) : std::next(at);
    } else {
      const auto at = looks_.find({record.get().getCause(), schema::str(record.event().getHook().getRan().getSubject())});
      if (at == looks_.end()) return false;
      without(at, stream);
    }
    return true;
  }

  // Of a look the hook owes nothing any more.
  looks::iterator without(looks::iterator at, std::uint64_t hook) {
    if (at->second.hooks.erase(hook) == 0) return std::next(at);
    if (at->second.hooks.empty()) return looks_.erase(at);
    put_order(*at);
    return std::next(at);
  }

  void learn_names(const log::record& record) {
    const auto event = record.event();
    const auto stream = record.get().getStream();
    if (event.isJob()) {
      jobs_.fold(stream, event.getJob());
    } else if (event.isHost()) {
      const auto e = event.getHost();
      if (e.isVnodeCreated()) vnodes_[stream].insert(schema::str(e.getVnodeCreated().getName()));
      if (e.isVnodeDeleted()) vnodes_[stream].erase(schema::str(e.getVnodeDeleted().getName()));
      if (e.isRemoved()) vnodes_.erase(stream);
    } else if (event.isReservation()) {
      learn_reservation(stream, event.getReservation());
    } else if (schema::is(event, schema::ServerEvent::STARTED)) {
      server_ = schema::str(event.getServer().getStarted().getServerName());
    }
  }

  void learn_reservation(std::uint64_t stream, schema::ReservationEvent::Reader event) {
    if (event.isSubmitted()) reservations_[stream].id = schema::str(event.getSubmitted().getId());
    if (event.isConfirmed()) reservations_[stream].confirmed = true;
    if (event.isDenied() || event.isEnded()) reservations_.erase(stream);
  }

  std::vector<std::string> subjects_of(const model::look& look, std::uint64_t stream) const {
    std::vector<std::string> subjects;
    switch (look.of) {
      case model::look::kind::job:
        if (auto id = jobs_.id(stream)) subjects.push_back(std::move(*id));
        break;
      case model::look::kind::vnodes:
        if (const auto of = vnodes_.find(stream); of != vnodes_.end())
          for (const auto& vnode : of->second)
            if (look.vnode.empty() || look.vnode == vnode) subjects.push_back(vnode);
        break;
      case model::look::kind::reservation:
        if (const auto r = reservations_.find(stream); r != reservations_.end() && (r->second.confirmed || !look.confirmed_only))
          subjects.push_back(r->second.id + "." + server_);
        break;
    }
    return subjects;
  }

  struct reserved {
    std::string id;
    bool confirmed = false;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.id, self.confirmed);
    }
  };

  hook_table hooks_;
  looks looks_;
  std::string server_;  // the part of ids after the dot
  model::job_names jobs_;
  std::map<std::uint64_t, std::set<std::string>> vnodes_;  // by the host's stream
  std::map<std::uint64_t, reserved> reservations_;         // by stream
};

}  // namespace

std::unique_ptr<reaction> looking_hooks() { return std::make_unique<looking>(); }

}  // namespace annals::reactions
