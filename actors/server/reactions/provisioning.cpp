// Vnodes that runs wait for get their environment: at most max_concurrent_provision at once, each by the site's provision hook. What
// becomes of a vnode stands in its host's stream and what a run still waits for in the job's, so a start goes on where the log ends. Also
// tells the server that vnodes are provisioned (provision_enable): while a hook is on for it. Source: pbs guide, provisioning. Governed by
// docs/design/0052-provisioning.md.
#include <algorithm>
#include <map>

#include "actors/server/reactions/all.hpp"
#include "actors/server/reactions/hook_table.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/log/place.hpp"
#include "events/model/host/provisioning.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/string_list.hpp"

namespace annals::reactions {

namespace {

using step = model::provision_step;
using what = model::provision_vnode::what;

constexpr std::int64_t default_timeout_s = 600;
constexpr std::int64_t default_at_once = 5;

class provisioner final : public stored_reaction<provisioner> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    if (event.isJob()) return fold_job(record, event.getJob());
    if (event.isHost()) return fold_host(record, event.getHost());
    if (event.isHook()) return fold_hook(record);
    if (schema::is(event, schema::ServerEvent::CHANGED)) return fold_server(event.getServer().getChanged().getChanges());
    return false;
  }

  void clock_went_back(std::int64_t to_ns) override {
    for (auto& [vnode, t] : turns_) t.begun_ns = std::min(t.begun_ns, to_ns);
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    by_ = {"root", at.settings.host_name, schema::Role::SERVER};
    tell_server(orders);
    const auto hook = std::ranges::find_if(hooks_.hooks(), [](const auto& h) { return h.second.runs_at("provision"); });
    std::int64_t busy = 0;
    for (const auto& [name, t] : turns_) {
      busy += t.now.step != step::waits;
      if (t.now.step != step::waits) orders.push_back(next_of(name, t, hook == hooks_.hooks().end() ? "" : hook->second.name, at));
    }
    std::erase(orders, nullptr);
    begin_waiting(busy, at, orders);
    for (const auto& [serial, w] : waiting_) serve(serial, w, busy, at, orders);
    std::ranges::stable_sort(orders, {}, [](const order_ptr& o) { return o->cause; });
    return orders;
  }

  std::optional<std::int64_t> next_ns(const moment& at) const override {
    std::optional<std::int64_t> next;
    for (const auto& [name, t] : turns_)
      if (const auto end = end_ns(t, at); t.now.step != step::waits && at.now_ns < end) next = std::min(next.value_or(end), end);
    return next;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: by_, because it is of the last look
    io(self.hooks_, self.hosts_, self.host_of_, self.turns_, self.waiting_, self.failed_, self.hooks_changed_, self.enabled_);
  }

 private:
  // A vnode on its way.
  struct turn {
    model::provisioning now;
    std::uint64_t begun = 0;  // sequence of the record with which the hook's turn, or its wait for one, began
    std::int64_t begun_ns = 0;
    bool hook_ran = false;
    std::string failed;  // what the hook said that refused
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.now, self.begun, self.begun_ns, self.hook_ran, self.failed);
    }
  };
  struct waiting_run {
    std::uint32_t run;
    std::uint64_t since;  // sequence
    std::vector<model::vnode_aoe> vnodes;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.run, self.since, self.vnodes);
    }
  };
  struct failure {
    std::uint64_t sequence;
    std::string why;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.sequence, self.why);
    }
  };

  bool fold_job(const log::record& record, schema::JobEvent::Reader event) {
    const auto serial = record.get().getStream();
    if (event.isAssigned()) {
      auto vnodes = model::vnodes_to_provision(schema::text(event.getAssigned().getExecVnode()));
      if (vnodes.empty()) return false;
      waiting_[serial] = {event.getAssigned().getRun(), record.sequence(), std::move(vnodes)};
      return true;
    }
    const auto w = waiting_.find(serial);
    if (w == waiting_.end()) return false;
    if (event.isAltered()) {
      for (auto change : event.getAltered().getChanges()) {
        if (schema::text(change.getName()) != "prov_vnode") continue;
        const auto left = values::split_list(schema::text(change.getValue()));
        std::erase_if(w->second.vnodes, [&](const auto& v) { return std::ranges::find(left, v.vnode) == left.end(); });
      }
    } else if (event.isStarted() || event.isStartFailed() || event.isExited() || event.isEnded()) {
      w->second.vnodes.clear();
    }
    if (w->second.vnodes.empty()) waiting_.erase(w);
    return true;
  }

  bool fold_host(const log::record& record, schema::HostEvent::Reader event) {
    const auto at = log::place_of(record);
    auto& host = hosts_[at.stream];
    model::apply(host, at, event);
    if (event.isVnodeCreated()) host_of_[schema::str(event.getVnodeCreated().getName())] = at.stream;
    if (event.isVnodeDeleted()) host_of_.erase(schema::str(event.getVnodeDeleted().getName()));
    if (event.isRemoved()) hosts_.erase(at.stream);
    if (event.isCameUp()) std::erase_if(turns_, [&](const auto& t) { return t.second.now.step == step::booting && is_ready(t.first); });
    if (event.isVnodeChanged()) fold_step(record, event.getVnodeChanged());
    return !turns_.empty() || !waiting_.empty();
  }

  void fold_step(const log::record& record, schema::VnodeChanged::Reader event) {
    const auto name = schema::str(event.getVnode());
    for (auto change : event.getChanges()) {
      const auto told = model::provisioning_told(change);
      if (!told) continue;
      if (told->step == step::none) {
        bool failed = false;
        for (auto c : event.getChanges()) failed |= schema::text(c.getName()) == "state";
        if (failed) failed_[name] = {record.sequence(), turns_[name].failed.empty() ? comment_of(event) : turns_[name].failed};
        turns_.erase(name);
      } else {
        auto& t = turns_[name];
        if (told->step != step::booting) t = {*told, record.sequence(), record.get().getWallNs(), false, {}};
        t.now = *told;
      }
    }
  }

  static std::string comment_of(schema::VnodeChanged::Reader event) {
    for (auto change : event.getChanges())
      if (schema::text(change.getName()) == "comment") return schema::str(change.getValue());
    return {};
  }

  bool fold_hook(const log::record& record) {
    if (hooks_.fold(record)) {
      hooks_changed_ = record.sequence();
      return true;
    }
    const auto ran = record.event().getHook().getRan();
    const auto t = turns_.find(schema::str(ran.getSubject()));
    if (t == turns_.end() || record.get().getCause() != t->second.begun) return false;
    t->second.hook_ran = true;
    if (ran.getRun().getVerdict() != schema::HookVerdict::ACCEPTED) {
      t->second.failed = schema::str(ran.getRun().getMessage());
      if (t->second.failed.empty()) t->second.failed = "the provision hook rejected it";
    }
    return true;
  }

  bool fold_server(capnp::List<schema::Attribute>::Reader changes) {
    for (auto change : changes)
      if (schema::text(change.getName()) == "provision_enable")
        enabled_ = change.getOp() != schema::AttributeOp::UNSET && schema::text(change.getValue()) == "True";
    return true;
  }

  // -- what is owed ------------------------------------------------------------------------------------------------------

  void tell_server(std::vector<order_ptr>& orders) const {
    const bool on = std::ranges::any_of(hooks_.hooks(), [](const auto& h) { return h.second.runs_at("provision"); });
    if (on == enabled_) return;
    auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto manage = r.initManage();
      manage.setVerb(schema::ManageVerb::SET);
      manage.setKind(schema::ObjectKind::SERVER);
      auto change = manage.initChanges(1)[0];
      change.setName("provision_enable");
      change.setValue(on ? "True" : "False");
    });
    orders.push_back(
        make_order({.cause = hooks_changed_, .target = "provision_enable", .what = manage_object{std::move(request), by_}}));
  }

  order_ptr tell(const std::string& vnode, const std::string& aoe, what to, std::uint64_t cause, std::string why = {}) const {
    const auto target = vnode + " " + std::to_string(static_cast<int>(to));
    return make_order({.cause = cause, .target = target, .what = tell_vnode{{vnode, to, aoe, std::move(why)}, by_}});
  }

  // Of a vnode whose turn it is; nullptr: it is waited for.
  order_ptr next_of(const std::string& name, const turn& t, const std::string& hook, const moment& at) const {
    const auto& aoe = t.now.aoe;
    if (!t.failed.empty()) return tell(name, aoe, what::fail, t.begun, t.failed);
    if (at.now_ns >= end_ns(t, at)) return tell(name, aoe, what::fail, t.begun, "it took longer than provision_timeout");
    if (t.now.step == step::booting) return nullptr;
    if (t.hook_ran) return tell(name, aoe, what::done, t.begun);
    if (hook.empty()) return tell(name, aoe, what::fail, t.begun, "there is no provision hook");
    return make_order({.cause = t.begun,
                       .target = name,
                       .what = run_provision_hook{hook, name, aoe},
                       .given = order::repeat::until_accepted,
                       .again_ns = second_ns});
  }

  void begin_waiting(std::int64_t& busy, const moment& at, std::vector<order_ptr>& orders) const {
    std::vector<std::pair<std::uint64_t, std::string>> queue;
    for (const auto& [name, t] : turns_)
      if (t.now.step == step::waits) queue.emplace_back(t.begun, name);
    std::ranges::sort(queue);
    for (const auto& [since, name] : queue)
      if (busy < at_once(at)) {
        ++busy;
        orders.push_back(tell(name, turns_.at(name).now.aoe, what::begin, since));
      }
  }

  void serve(std::uint64_t serial, const waiting_run& w, std::int64_t& busy, const moment& at, std::vector<order_ptr>& orders) const {
    for (const auto& v : w.vnodes) {
      const auto tell_run = [&](std::string failed) {
        orders.push_back(make_order({.cause = w.since,
                                     .target = "job " + std::to_string(serial) + " " + v.vnode,
                                     .what = tell_job{serial, model::vnode_provisioned{w.run, v.vnode, std::move(failed)}, by_}}));
      };
      if (turns_.contains(v.vnode)) continue;
      const auto* vnode = find(v.vnode);
      const auto failed = failed_.find(v.vnode);
      if (!vnode) tell_run("the vnode is no more");
      else if (failed != failed_.end() && failed->second.sequence > w.since) tell_run(failed->second.why);
      else if (vnode->attributes.get(attributes::node::current_aoe) == v.aoe) tell_run({});
      else orders.push_back(tell(v.vnode, v.aoe, busy++ < at_once(at) ? what::begin : what::wait, w.since));
    }
  }

  const model::vnode_state* find(const std::string& name) const {
    const auto stream = host_of_.find(name);
    const auto host = stream == host_of_.end() ? hosts_.end() : hosts_.find(stream->second);
    return host == hosts_.end() ? nullptr : host->second.vnode(name);
  }
  bool is_ready(const std::string& name) const {
    const auto* vnode = find(name);
    return !vnode || vnode->provision.step == step::none;
  }

  static std::int64_t at_once(const moment& at) {
    return attributes::integer_of(at.settings.server, attributes::server::max_concurrent_provision).value_or(default_at_once);
  }
  static std::int64_t end_ns(const turn& t, const moment& at) {
    const auto set = attributes::seconds_of(at.settings.server, attributes::server::provision_timeout);
    return t.begun_ns + set.value_or(default_timeout_s) * second_ns;
  }

  hook_table hooks_;
  std::map<std::uint64_t, model::host_state> hosts_;  // by stream
  std::map<std::string, std::uint64_t> host_of_;      // of a vnode: its host's stream
  std::map<std::string, turn> turns_;                 // by vnode
  std::map<std::uint64_t, waiting_run> waiting_;      // by the job's serial
  std::map<std::string, failure> failed_;             // the last of each vnode
  std::uint64_t hooks_changed_ = 0;                   // sequence
  bool enabled_ = false;                              // provision_enable
  model::requester by_;                               // of the orders, as of the last look
};

}  // namespace

std::unique_ptr<reaction> provisioning() { return std::make_unique<provisioner>(); }

}  // namespace annals::reactions
