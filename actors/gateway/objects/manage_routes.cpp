#include "actors/gateway/objects/manage_routes.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "actors/runtime/daemon_log.hpp"
#include "actors/server/replies.hpp"
#include "actors/sessions/mirror_waits.hpp"
#include "events/model/scheduler/places.hpp"
#include "events/values/base64.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;
using schema::ObjectKind;

namespace {
model::rejection no_hook(const std::string& name) { return {pbs_error::hook_error, name + " does not exist!"}; }

// What a request asks of all, of one of them. Without a command id: repeating a part does no harm.
schema::sealed<schema::Request> about(const std::string& name, const schema::sealed<schema::Request>& request) {
  return schema::make<schema::Request>([&](schema::Request::Builder b) {
    b.setId(request.get().getId());
    b.setManage(request.get().getManage());
    b.getManage().setName(name);
    b.getManage().setAllOfKind(false);
  });
}
}  // namespace

// What may not be done to the default scheduler stands in the server's log, too (MS-47).
reply_ptr manage_routes::noted_in_log(const std::string& name, reply_ptr to) const {
  class noting final : public reply_to {
   public:
    noting(daemon_log* log, std::string name, reply_ptr to) : log_(log), name_(std::move(name)), to_(std::move(to)) {}
    void done(std::uint64_t sequence, const std::string& text) override { to_->done(sequence, text); }
    void refused(std::uint64_t sequence, const model::rejection& why) override {
      if (log_ && why.code == pbs_error::not_on_default_scheduler) log_->write(log_event::error, "Sched", name_, why.text);
      to_->refused(sequence, why);
    }

   private:
    daemon_log* log_;
    std::string name_;
    reply_ptr to_;
  };
  return std::make_shared<noting>(board_.notes(), name, std::move(to));
}

void manage_routes::on_manage(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply) {
  manage(request, by, hooks_.seen_by_management(request, by, reply));
}

void manage_routes::manage(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto r = request.get();
  const auto m = r.getManage();
  const auto name = schema::str(m.getName());
  const bool creates = m.getVerb() == schema::ManageVerb::CREATE;
  if (m.getAllOfKind()) return manage_all(request, by, std::move(reply));
  if (m.getKind() == ObjectKind::HOOK) return manage_hook(request, by, std::move(reply));
  if (!by.is_operator()) return reply->refused(0, model::refuse(pbs_error::unauthorized));
  switch (m.getKind()) {
    case ObjectKind::RESOURCE: return manage_resource(request, by, std::move(reply));
    case ObjectKind::SERVER: {
      auto told = reply_when_mirrored(board_.parts().status, m, std::move(reply));
      return board_.self()->send(board_.server(), board_.wrap<model::server_command>(request, r, by, std::move(told)));
    }
    case ObjectKind::QUEUE: {
      auto q = board_.queue(name, creates);
      if (!q) return reply->refused(0, model::refuse(pbs_error::unknown_queue));
      return board_.self()->send(q, board_.wrap(request, r, by, std::move(reply)));
    }
    case ObjectKind::NODE:
    case ObjectKind::HOST: return manage_node(request, by, std::move(reply));
    case ObjectKind::SCHEDULER: {
      auto s = board_.scheduler(name, creates);
      if (!s) return reply->refused(0, model::refuse(pbs_error::unknown_scheduler));
      const auto is_node = [this](std::string_view host) {
        return std::ranges::any_of(board_.where().hosts(), [&](const auto& node) { return model::same_host(node.first, host); });
      };
      if (const auto why = model::unknown_host(m, board_.settings()->host_name, is_node); why && by.is_manager() && name != "default")
        return reply->refused(0, *why);
      auto told = noted_in_log(name, reply_when_mirrored(board_.parts().status, m, std::move(reply)));
      return board_.self()->send(s, board_.wrap<model::scheduler_command>(request, r, by, std::move(told)));
    }
    case ObjectKind::HOOK:
    case ObjectKind::RESERVATION:
    case ObjectKind::JOB: break;
  }
  reply->refused(0, model::refuse(pbs_error::invalid_request));
}

// `set queue @default ...`: the same for every object there is.
void manage_routes::manage_all(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto m = request.get().getManage();
  const auto& where = board_.where();
  std::vector<std::string> names;
  const auto take = [&](const directory::names& all) { for (const auto& [name, stream] : all) names.push_back(name); };
  if (m.getKind() == ObjectKind::QUEUE) take(where.queues());
  if (m.getKind() == ObjectKind::NODE) take(where.vnodes());
  if (m.getKind() == ObjectKind::SCHEDULER) take(where.schedulers());
  if (m.getKind() == ObjectKind::HOOK) {
    if (const auto why = model::may_touch_hooks(by, *board_.settings()); why.code != 0) return reply->refused(0, why);
    take(where.hooks());
  }
  if (names.empty()) return reply->done(where.sequence(), "");
  if (m.getKind() == ObjectKind::NODE && m.getVerb() == schema::ManageVerb::DELETE)
    return delete_vnodes(std::move(names), request, by, std::move(reply));
  auto parts = reply_jointly(std::move(reply), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) manage(about(names[i], request), by, parts[i]);
}

// Those that are busy again, as long as others go: a host goes after its other vnodes, and a vnode after those that share its resources.
void manage_routes::delete_vnodes(std::vector<std::string> names, const schema::sealed<schema::Request>& request,
                                  const model::requester& by, reply_ptr reply, const model::rejection& before) {
  struct round {
    std::size_t asked, open;
    std::vector<std::string> busy;
    model::rejection refused;  // the last one
  };
  const auto all = std::make_shared<round>(round{names.size(), names.size(), {}, before});
  for (const auto& name : names)
    manage(about(name, request), by, board_.reply_then([=, this](const model::rejection& why) {
      if (why.code == pbs_error::object_busy) all->busy.push_back(name);
      else if (why.code != 0) all->refused = why;
      if (--all->open > 0) return;
      if (!all->busy.empty() && all->busy.size() < all->asked) return delete_vnodes(all->busy, request, by, reply, all->refused);
      if (!all->busy.empty()) return reply->refused(board_.where().sequence(), model::refuse(pbs_error::object_busy));
      if (all->refused.code != 0) return reply->refused(board_.where().sequence(), all->refused);
      reply->done(board_.where().sequence(), "");
    }));
}

// With a resource goes what is set of it. Who asked hears of it when that is gone, so that a new resource of this name has no values.
void manage_routes::manage_resource(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto m = request.get().getManage();
  if (m.getVerb() == schema::ManageVerb::DELETE)
    reply = board_.reply_then([this, reply, name = schema::str(m.getName())](const model::rejection& why) {
      if (why.code != 0) return reply->refused(board_.where().sequence(), why);
      const auto is_gone = [&](std::string_view resource) { return resource == name; };
      forget_values(is_gone, board_.reply_then([this, reply](const model::rejection&) { reply->done(board_.where().sequence(), ""); }));
    });
  board_.self()->send(board_.server(), board_.wrap<model::server_command>(request, request.get(), by, std::move(reply)));
}

void manage_routes::forget_values(const std::function<bool(std::string_view)>& is_gone, reply_ptr then) {
  const auto all = board_.where().values_of(is_gone);
  if (all.empty()) return then->done(board_.where().sequence(), "");
  auto parts = reply_jointly(std::move(then), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto one = schema::make<schema::Request>([&](schema::Request::Builder b) {
      auto m = b.initManage();
      m.setVerb(schema::ManageVerb::UNSET);
      m.setKind(all[i].kind);
      m.setName(all[i].name);
      auto changes = m.initChanges(static_cast<unsigned>(all[i].set.size()));
      for (unsigned c = 0; c < all[i].set.size(); ++c) {
        changes[c].setName(all[i].set[c].first);
        changes[c].setResource(all[i].set[c].second);
        changes[c].setOp(schema::AttributeOp::UNSET);
      }
    });
    manage(one, board_.server_itself(), parts[i]);
  }
}

void manage_routes::forget_values_of_unknown_resources() {
  std::map<std::string, bool, std::less<>> known;  // few names, at many vnodes
  const auto is_gone = [&](std::string_view resource) {
    auto at = known.find(resource);
    if (at == known.end()) at = known.emplace(resource, board_.settings()->resources.find(resource) != nullptr).first;
    return !at->second;
  };
  forget_values(is_gone, board_.reply_then([](const model::rejection&) {}));
}

// One more vnode of a host that is there already, or a host of its own.
std::string manage_routes::host_to_create_at(schema::Manage::Reader m) const {
  for (auto c : m.getChanges())
    if (schema::text(c.getName()) == "Mom" && board_.where().hosts().contains(schema::str(c.getValue()))) return schema::str(c.getValue());
  return schema::str(m.getName());
}

void manage_routes::manage_node(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto m = request.get().getManage();
  const auto name = schema::str(m.getName());
  const bool creates = m.getVerb() == schema::ManageVerb::CREATE;
  const auto has = board_.where().host_of_vnode(name);
  if (creates && has) {
    auto why = model::refuse(pbs_error::node_exists);
    if (*has != name) why.text += ": " + name + " is a vnode of host " + *has;
    return reply->refused(0, why);
  }
  const auto host_name = creates ? std::optional(host_to_create_at(m)) : has;
  auto h = host_name ? board_.host(*host_name, creates) : caf::actor();
  if (!h) return reply->refused(0, model::refuse(pbs_error::unknown_node));
  board_.self()->send(h, board_.wrap<model::host_command>(request, request.get(), by, std::move(reply)));
}

// -- hooks ---------------------------------------------------------------------------------------------------------------

void manage_routes::manage_hook(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply,
                                bool compiled) {
  const auto m = request.get().getManage();
  const auto name = schema::str(m.getName());
  if (const auto why = model::may_touch_hooks(by, *board_.settings()); why.code != 0) return reply->refused(0, why);
  auto h = board_.hook(name, m.getVerb() == schema::ManageVerb::CREATE);
  const bool of_pbs = m.getPbsHook() && m.getVerb() == schema::ManageVerb::DELETE;  // refused whether it is there or not
  if (!h) return reply->refused(0, of_pbs ? model::refuse(pbs_error::invalid_request) : no_hook(name));
  const bool imports = m.getVerb() == schema::ManageVerb::IMPORT;
  if (imports && model::is_python(schema::text(m.getContentType()), schema::text(m.getContentFile())) && !compiled)
    return compile_hook(request, by, std::move(reply));
  model::manage_hook command{request, {}};
  std::vector<ports::blob> blobs;
  if (imports) {
    const auto bytes = schema::bytes_of(m.getContent());
    command.content_hash = log::content_hash(bytes);
    blobs.push_back({command.content_hash, {bytes.begin(), bytes.end()}});
  }
  auto e = board_.wrap<model::hook_command>(std::move(command), request.get(), by, std::move(reply));
  e.blobs = std::move(blobs);
  board_.self()->send(h, std::move(e));
}

// A script or a configuration that does not compile is refused at import; what the compiler said goes into the log.
void manage_routes::compile_hook(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto m = request.get().getManage();
  const auto source = schema::bytes_of(m.getContent());
  const auto name = schema::str(m.getName());
  hooks_.compile(name, {reinterpret_cast<const char*>(source.data()), source.size()},
                 [this, request, by, reply = std::move(reply), name, type = schema::str(m.getContentType())](const std::string& problem) {
                   if (problem.empty()) return manage_hook(request, by, reply, true);
                   board_.note(log_event::error, "Hook", name, problem);
                   reply->refused(0, {pbs_error::hook_error, model::not_taken(type, name)});
                 });
}

void manage_routes::export_hook(schema::ExportHook::Reader asked, const model::requester& by, reply_ptr reply) {
  const auto name = schema::str(asked.getName());
  if (const auto why = model::may_touch_hooks(by, *board_.settings()); why.code != 0) return reply->refused(0, why);
  const auto* hook = asked.getPbsHook() ? nullptr : board_.where().hook(name);
  if (!hook) return reply->refused(0, no_hook(name));
  if (const auto why = model::content_type_refusal(schema::text(asked.getContentType())); why.code != 0) return reply->refused(0, why);
  const auto& content = schema::text(asked.getContentType()) == model::python_content ? hook->code : hook->config;
  const auto sequence = board_.where().sequence();
  if (content.hash.empty()) return reply->done(sequence, "");
  const bool asked_for = board_.reading().ask([store = &board_.parts().base.reader->blobs(), hash = content.hash, sequence, reply] {
    const auto bytes = store->read_blob(hash);
    return
        [sequence, reply, text = bytes ? values::base64_lines(schema::byte_span(*bytes)) : std::string()] { reply->done(sequence, text); };
  });
  if (!asked_for)
    reply->refused(0, {pbs_error::try_again, "Please retry: " + std::to_string(board_.reading().waiting_max()) + " hooks wait to be read"});
}

}  // namespace annals::actors
