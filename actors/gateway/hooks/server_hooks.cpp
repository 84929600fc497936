#include "actors/gateway/hooks/server_hooks.hpp"

#include <caf/send.hpp>

#include <algorithm>

#include "actors/server/replies.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"

namespace annals::actors {

// A request whose hooks are about to run: the views come first, one after another.
struct server_hooks::pending {
  question what;
  answer then;
  std::size_t next_view = 0;
  std::uint64_t position = 0;            // of the views that may be later ones, once the first is there
  std::vector<hook_files> unreadable{};  // it goes on without these

  bool goes_without(const model::hook_state& hook) const {
    return std::ranges::find(unreadable, hook_files{hook.code, hook.config}) != unreadable.end();
  }
};

std::function<void(std::function<void()>)> server_hooks::post() const {
  return [to = caf::actor(parts_.self)](std::function<void()> work) { caf::anon_send(to, run_this{std::move(work)}); };
}

void server_hooks::run(question what, answer then) {
  auto p = std::make_shared<pending>(pending{std::move(what), std::move(then)});
  fetch(p);
}

void server_hooks::fetch(const std::shared_ptr<pending>& p) {
  if (p->next_view == p->what.views.size()) return start(p);
  const auto& v = p->what.views[p->next_view];
  const auto names = v.name.empty() ? v.listed : std::vector{v.name};
  const bool any = v.or_later && p->position == 0;
  auto got = [this, p, post = post()](hook_objects found, std::uint64_t sequence) {
    post([this, p, sequence, found = std::move(found)]() mutable {
      const auto& view = p->what.views[p->next_view++];
      if (view.or_later) p->position = sequence;
      if (view.name.empty()) p->what.parameters.push_back({view.parameter, std::move(found)});
      else if (!found.empty()) p->what.parameters.push_back({view.parameter, std::move(found.front())});
      fetch(p);
    });
  };
  caf::anon_send(parts_.status,
                 view_wanted{hooks::view_request(v.kind, names, v.or_later && !any ? p->position : v.sequence), std::move(got), any});
}

namespace {

// A job that has run: PBS keeps the ports of its hosts' MoMs, this server looks them up.
void put_ports(const directory& where, hooks::hook_parameters& shown) {
  for (auto& parameter : shown) {
    auto* job = std::get_if<hooks::hook_object>(&parameter.value);
    const auto* exec_host = job && job->kind == hooks::protocol::ObjectKind::JOB ? job->find("exec_host") : nullptr;
    if (!exec_host) continue;
    const auto ports = hooks::with_ports(exec_host->value, [&](const std::string& host) { return where.mom_of(host).port; });
    if (ports) job->put("exec_host2", {}, *ports);
  }
}

}  // namespace

void server_hooks::start(const std::shared_ptr<pending>& p) {
  tell_resources();
  auto& what = p->what;
  std::vector<hooks::chain_hook> chain;
  for (const auto* hook : hooks_of(what)) {
    if (p->goes_without(*hook)) continue;
    auto code = code_of(*hook);
    if (!code) return read_then_start(*hook, p);
    chain.push_back({hook->name, hook->attributes, std::move(code), hook->code, hook->config});
  }
  hooks::sort_by_order(chain);
  put_ports(*parts_.where, what.parameters);
  if (what.adjust) what.adjust(what.parameters);
  hooks::occasion at;
  at.event = what.event;
  at.by = what.by;
  at.owner = what.owner;
  at.sequence = p->position != 0 ? p->position : parts_.where->sequence();
  at.parameters = std::move(what.parameters);
  at.idle = [self = parts_.self] { return self->mailbox().empty(); };
  at.ask_of_run = answers_from(at.sequence);
  hooks::run_chain(chain_parts(), std::move(chain), std::move(at), std::move(p->then));
}

struct server_hooks::who_answers {
  caf::actor status;
  std::function<void(std::function<void()>)> post;
  std::shared_ptr<open_decisions> decisions;

  void answer(const hooks::sealed_question& question, const hooks::hook_run::answer_to& to, const hooks::occasion::answered_at& at,
              std::uint64_t position, bool or_later) const {
    auto asked = hooks::view_asked(question.get(), position);
    if (!asked) return to(hooks::answer_with({}, false));
    auto then = [to, at, names = asked->names_only](const hook_objects& found, std::uint64_t found_at) {
      *at = found_at;
      to(hooks::answer_with(found, names));
    };
    caf::anon_send(status, view_wanted{std::move(asked->request), std::move(then), or_later});
  }
};

// The first question of a run waits for what has been decided: it comes to this actor behind the ends of the hooks that ended before the
// run began. The others are answered at the position of the first.
hooks::occasion::run_asker server_hooks::answers_from(std::uint64_t sequence) {
  if (!who_) who_ = std::make_shared<const who_answers>(who_answers{parts_.status, post(), decisions_});
  return [who = who_, sequence](const hooks::sealed_question& question, const hooks::hook_run::answer_to& to,
                                const hooks::occasion::answered_at& at) {
    if (const auto position = at->load(); position != 0) return who->answer(question, to, at, position, false);
    who->post([who, sequence, at, question, to] {
      who->decisions->when_closed(
          [who, sequence, at, question, to](std::uint64_t decided) { who->answer(question, to, at, std::max(sequence, decided), true); });
    });
  };
}

void server_hooks::read_then_start(const model::hook_state& hook, const std::shared_ptr<pending>& p) {
  read(hook, [this, p](const read_hook& found) {
    if (!found.code) p->unreadable.push_back(found.files);
    start(p);
  });
}

// The same for every chain.
std::shared_ptr<const hooks::chain_parts> server_hooks::chain_parts() {
  if (chain_parts_) return chain_parts_;
  auto c = std::make_shared<hooks::chain_parts>();
  c->runner = parts_.runner;
  c->post = post();
  c->says_as = "Server@" + parts_.where->settings()->server_name;
  if (parts_.notes) {
    c->note = [notes = parts_.notes](std::uint32_t bits, std::string_view cls, std::string_view object, std::string_view text) {
      notes->write(bits, cls, object, text);
    };
    c->wants = [notes = parts_.notes](std::uint32_t bits) { return notes->wants(bits); };
  }
  return chain_parts_ = std::move(c);
}

std::vector<const model::hook_state*> server_hooks::hooks_of(const question& what) const {
  std::vector<const model::hook_state*> out;
  for (const auto& [serial, hook] : parts_.where->hook_states()) {
    if (!hook.runs_at(what.event->name)) continue;
    if (what.only.empty() || std::find(what.only.begin(), what.only.end(), hook.name) != what.only.end()) out.push_back(&hook);
  }
  return out;
}

server_hooks::code_ptr server_hooks::code_of(const model::hook_state& hook) const {
  const auto at = codes_.find(hook.name);
  return at != codes_.end() && at->second.files == hook_files{hook.code, hook.config} ? at->second.code : nullptr;
}

namespace {

std::shared_ptr<const hooks::hook_code> code_in(const ports::blob_store& store, const std::string& name, const std::string& script,
                                                const std::string& configuration_hash) {
  const auto text = [&](const std::string& hash) {
    const auto bytes = store.read_blob(hash);
    return bytes ? std::optional(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())) : std::nullopt;
  };
  auto source = text(script);
  if (!source) return nullptr;
  auto configuration = configuration_hash.empty() ? std::nullopt : text(configuration_hash);
  if (!configuration_hash.empty() && !configuration) return nullptr;
  auto hash = hooks::code_hash(*source, configuration);
  return std::make_shared<hooks::hook_code>(hooks::hook_code{name, std::move(*source), std::move(configuration), std::move(hash)});
}

}  // namespace

// A hook is read once, however many requests wait for it: that is the bound of what is asked for. One that can't be read now is
// left out of what waited, and read again for the next.
void server_hooks::read(const model::hook_state& hook, after_read then) {
  auto& waiting = reading_[hook.name];
  waiting.push_back(std::move(then));
  if (waiting.size() > 1) return;
  parts_.reading->ask_always([this, store = &parts_.reader->blobs(), name = hook.name, files = hook_files{hook.code, hook.config}] {
    auto code = code_in(*store, name, files.script.hash, files.configuration.hash);
    return [this, name, found = read_hook{files, std::move(code)}] { on_read(name, found); };
  });
}

void server_hooks::on_read(const std::string& name, const read_hook& hook) {
  if (hook.code) {
    codes_[name] = hook;
    unreadable_.erase(name);
    tell_hooks();
  } else {
    note_unreadable(name, hook.files);
  }
  for (auto waited = std::move(reading_.extract(name).mapped()); const auto& then : waited) then(hook);
}

// One line however often it is tried: a run that is owed is tried each second.
void server_hooks::note_unreadable(const std::string& name, const hook_files& files) {
  if (const auto noted = unreadable_.find(name); noted != unreadable_.end() && noted->second == files) return;
  unreadable_[name] = files;
  if (parts_.notes)
    parts_.notes->write(log_event::error | log_event::force, "Hook", name,
                        std::string("the hook's files can't be read from the event log; it does not run") + log::what_to_run);
}

// -- what is written down ------------------------------------------------------------------------------------------------

model::hook_ran server_hooks::ran(const std::string& subject, schema::HookRun::Reader run) {
  return {schema::make<schema::HookRan>([&](schema::HookRan::Builder h) {
    h.setRun(run);
    h.setSubject(subject);
  })};
}

void server_hooks::write_all(const std::string& subject, std::uint64_t cause,
                             const std::vector<schema::sealed<schema::HookRun>>& runs, reply_ptr reply) const {
  if (runs.empty()) return reply->done(parts_.where->sequence(), "");
  auto parts = reply_jointly(std::move(reply), runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    parts_.write({schema::str(runs[i].get().getHook()), ran(subject, runs[i].get()), cause, {}, std::move(parts[i]), true});
}

void server_hooks::write_rejection(const std::string& subject, const hooks::chain_result& result, reply_ptr reply) const {
  const auto last = result.runs.back().get();
  parts_.write({schema::str(last.getHook()), ran(subject, last), 0, {result.runs.begin(), result.runs.end() - 1}, std::move(reply)});
}

// -- the workers ---------------------------------------------------------------------------------------------------------

// A script is never older than the site's resources as this actor knows them.
void server_hooks::tell_resources() {
  const auto settings = parts_.where->settings();
  if (!parts_.runner || settings == told_) return;
  told_ = settings;
  std::vector<hooks::resource_type> custom;
  for (const auto& [name, r] : settings->resources.custom())
    custom.push_back({name, std::string(attributes::resource_type_name(r.type))});
  parts_.runner->know_resources(std::move(custom));
}

namespace {

bool runs_in_server(const model::hook_state& hook) {
  return std::ranges::any_of(hooks::hook_events(),
                             [&](const hooks::hook_event& e) { return !hooks::is_on_mom(e) && hook.runs_at(e.name); });
}

}  // namespace

void server_hooks::tell_hooks() {
  // A server that never had hooks has no thread for them.
  if (!parts_.runner || (!told_hooks_ && parts_.where->hook_states().empty())) return;
  std::set<hooks::known_hook> known;
  for (const auto& [serial, hook] : parts_.where->hook_states()) {
    if (!runs_in_server(hook)) continue;
    const auto code = code_of(hook);
    known.insert({hook.name, code ? code->hash : std::string()});
  }
  if (told_hooks_ == known) return;
  told_hooks_ = known;
  parts_.runner->know_hooks(std::move(known));
}

void server_hooks::folded(const log::record& record) {
  if (record.event().isHook() && !record.event().getHook().isRan()) tell_hooks();
}

void server_hooks::compile(const std::string& name, const std::string& source, std::function<void(std::string)> then) {
  if (!parts_.runner) return then({});
  tell_resources();
  auto code = std::make_shared<hooks::hook_code>(hooks::hook_code{name, source, std::nullopt, hooks::code_hash(source, std::nullopt)});
  parts_.runner->compile(std::move(code), [post = post(), then = std::move(then)](std::string problem) {
    post([then, problem = std::move(problem)] { then(problem); });
  });
}

}  // namespace annals::actors
