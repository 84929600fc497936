// Which hooks there are, and exechost_* hooks. What happens at the points of a run stands in hook_points.cpp.
#include "actors/mom/hooks/mom_hooks.hpp"

#include <caf/send.hpp>

#include "actors/mom/hooks/hook_objects.hpp"
#include "actors/runtime/run_this.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/log/record.hpp"
#include "events/model/host/sockets.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t tell_again_ns = 5 * second;  // as the other reports of a MoM
// exechost_startup begins before there is a link: what its hooks ask waits for one. A link to a server that is there is made within a
// second; a host whose server is down comes up all the same.
constexpr std::int64_t first_link_ns = 5 * second;

std::string hash_of(schema::BlobRef::Reader blob) {
  return {reinterpret_cast<const char*>(blob.getHash().begin()), blob.getHash().size()};
}
std::string content_hash(const std::string& text) { return log::content_hash(std::as_bytes(std::span(text))); }

hooks::chain_hook make_hook(const std::string& name, attributes::attribute_set settings, std::string source,
                            std::optional<std::string> configuration) {
  hooks::chain_hook h{name, std::move(settings), nullptr, {}, {}};
  h.script = {source.empty() ? std::string() : content_hash(source), source.size()};
  if (configuration) h.configuration = {content_hash(*configuration), configuration->size()};
  auto hash = hooks::code_hash(source, configuration);
  h.code = std::make_shared<hooks::hook_code>(hooks::hook_code{name, std::move(source), std::move(configuration), std::move(hash)});
  return h;
}

bool runs(const hooks::chain_hook& hook) { return hook.settings.get(attributes::hook::enabled) == "true" && !hook.script.hash.empty(); }

bool has_event(const hooks::chain_hook& hook, std::string_view event) {
  model::hook_state named;
  named.attributes = hook.settings;
  return named.has_event(event);
}

std::uint32_t number_of(const hooks::chain_hook& hook, attributes::attribute_id id) {
  model::hook_state named;
  named.attributes = hook.settings;
  return static_cast<std::uint32_t>(named.number(id));
}

std::int64_t freq_ns(const hooks::chain_hook& hook) { return number_of(hook, attributes::hook::freq) * second; }

attributes::attribute_set settings_of(capnp::List<schema::Attribute>::Reader list) {
  attributes::attribute_set settings;
  for (auto a : list)
    if (const auto* row = attributes::find(schema::ObjectKind::HOOK, schema::text(a.getName())))
      settings.set(row->id, schema::text(a.getValue()));
  return settings;
}

}  // namespace

mom_hooks::mom_hooks(caf::event_based_actor* self, mom_hooks_parts parts, std::function<void(const schema::sealed<schema::FromMom>&)> tell)
    : self_(self),
      parts_(std::move(parts)),
      tell_(std::move(tell)),
      files_(parts_.directory, 0700),
      reports_(parts_.directory + "/reports"),
      outbox_(reports_),
      questions_(tell_) {}

void mom_hooks::begin() {
  if (!parts_.runner) return;
  read_files();
  set_bits();
  tell_hooks();
  server_is_gone();
  run_startup();
}

void mom_hooks::read_again() {
  if (!parts_.runner) return;
  if (rejected_ && !parts_.rejects_files()) on_hooks(*std::exchange(rejected_, {}));
  run_startup();
}

void mom_hooks::read_files() {
  know_resources(hooks::parse_resources(files_.read(hooks::resources_file).value_or("")));
  for (const auto& name : files_.hooks()) {
    const auto read = hooks::parse_settings(files_.read(name + ".HK").value_or(""));
    if (!read) continue;
    hooks_.push_back({make_hook(read->name, read->settings, files_.read(name + ".PY").value_or(""), files_.read(name + ".CF")), 0});
    note(log_event::system | log_event::admin | log_event::debug, name, "Found hook " + name + " type=site");
  }
}

void mom_hooks::know_resources(attributes::resource_catalogue resources) {
  std::vector<hooks::resource_type> custom;
  for (const auto& [name, r] : resources.custom()) custom.push_back({name, attributes::resource_type_name(r.type)});
  if (parts_.runner) parts_.runner->know_resources(std::move(custom));
  if (parts_.bits) parts_.bits->resources = std::make_shared<const attributes::resource_catalogue>(std::move(resources));
}

void mom_hooks::set_bits() {
  if (!parts_.bits) return;
  std::uint32_t bits = 0, begin_alarms_s = 0, prologue_alarms_s = 0;
  for (const auto& h : hooks_) {
    if (!runs(h.hook)) continue;
    for (const auto& e : hooks::hook_events())
      if (has_event(h.hook, e.name)) bits |= e.bit;
    if (has_event(h.hook, "execjob_begin")) begin_alarms_s += number_of(h.hook, attributes::hook::alarm);
    if (has_event(h.hook, "execjob_prologue")) prologue_alarms_s += number_of(h.hook, attributes::hook::alarm);
  }
  parts_.bits->events = bits;
  parts_.bits->begin_alarms_s = begin_alarms_s;
  parts_.bits->prologue_alarms_s = prologue_alarms_s;
}

void mom_hooks::tell_hooks() {
  std::set<hooks::known_hook> known;
  for (const auto& h : hooks_)
    if (runs(h.hook)) known.insert({h.hook.name, h.hook.code->hash});
  parts_.runner->know_hooks(std::move(known));
}

// -- from the server -----------------------------------------------------------------------------------------------------

void mom_hooks::server_is_here() {
  questions_.server_is_here();
  asked_.clear();
  ask_for_blobs();
  outbox_.each(tell_);
}

void mom_hooks::server_is_gone() {
  questions_.server_is_gone();
  told_all_ = false;
  if (parts_.runner) parts_.bits->catching_up = true;
}

void mom_hooks::server_has_told_all() {
  told_all_ = true;
  if (parts_.runner) parts_.bits->catching_up = wanted_.has_value();
  wait_anew();
}

void mom_hooks::on_hooks(const schema::sealed<schema::ToMom>& message) {
  if (!parts_.runner) return;
  wanted_ = message;
  rejected_.reset();
  wait_ns_ = std::int64_t{message.get().getHooks().getWaitSeconds()} * second;
  parts_.bits->catching_up = true;
  asked_.clear();
  for (const auto& h : hooks_) {  // what is here already need not come
    blobs_[h.hook.script.hash] = h.hook.code->source;
    if (h.hook.code->configuration) blobs_[h.hook.configuration.hash] = *h.hook.code->configuration;
  }
  ask_for_blobs();
  install_if_complete();
  wait_anew();
}

void mom_hooks::ask_for_blobs() {
  if (!wanted_ || parts_.rejects_files()) return;
  const auto ask = [&](schema::BlobRef::Reader blob) {
    const auto hash = hash_of(blob);
    if (hash.empty() || blobs_.contains(hash) || !asked_.insert(hash).second) return;
    tell_(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { m.initWantBlob().setHash(blob.getHash()); }));
  };
  for (auto h : wanted_->get().getHooks().getHooks()) {
    ask(h.getCode());
    ask(h.getConfig());
  }
}

void mom_hooks::on_blob(schema::Blob::Reader b) {
  const std::string hash(reinterpret_cast<const char*>(b.getHash().begin()), b.getHash().size());
  if (!asked_.contains(hash)) return;
  auto& text = blobs_["+" + hash];  // under this name until it is whole
  if (b.getOffset() == 0) text.clear();
  if (b.getOffset() != text.size()) return;  // of an older request
  text.append(reinterpret_cast<const char*>(b.getData().begin()), b.getData().size());
  if (b.getMissing() || !b.getLast()) return;
  if (content_hash(text) == hash) blobs_[hash] = std::move(text);
  blobs_.erase("+" + hash);
  install_if_complete();
}

bool mom_hooks::is_here(schema::MomHook::Reader hook) const {
  const auto here = [&](schema::BlobRef::Reader blob) { return blob.getHash().size() == 0 || blobs_.contains(hash_of(blob)); };
  return here(hook.getCode()) && here(hook.getConfig());
}

// The server is not told that all is installed while a file is rejected: it tells of it again when this host comes back.
void mom_hooks::install_if_complete() {
  if (!wanted_) return;
  bool complete = true;
  for (auto h : wanted_->get().getHooks().getHooks()) complete = complete && is_here(h);
  if (!complete && !parts_.rejects_files()) return;
  const auto message = *wanted_;
  wanted_.reset();
  if (!complete) rejected_ = message;
  install(message.get().getHooks());
  blobs_.clear();
  asked_.clear();
  parts_.bits->catching_up = !told_all_;
  wait_anew();
}

void mom_hooks::keep_as_it_was(const std::string& name, const std::vector<installed>& before) {
  note(log_event::error, name, std::string(values::pbs_error_text(values::pbs_error::mom_rejects_root)));
  for (const auto& old : before)
    if (old.hook.name == name) hooks_.push_back(old);
}

void mom_hooks::install(schema::MomHooks::Reader wanted) {
  std::vector<installed> before = std::move(hooks_);
  hooks_.clear();
  std::vector<std::string> changed;
  std::set<std::string> names;
  const auto write = [&](const std::string& file, const std::string& text) {
    std::string problem;
    if (files_.write(file, text, problem) && !text.empty()) {
      changed.push_back(file);
      note(log_event::debug, file, "copy hook-related file request received");
    }
    if (!problem.empty()) note(log_event::error, file, problem);
  };
  for (auto h : wanted.getHooks()) {
    const auto name = schema::str(h.getName());
    names.insert(name);
    if (!is_here(h)) {
      keep_as_it_was(name, before);
      continue;
    }
    auto configuration = h.getConfig().getHash().size() == 0 ? std::nullopt : std::optional(blobs_[hash_of(h.getConfig())]);
    auto hook = make_hook(name, settings_of(h.getAttributes()), h.getCode().getHash().size() == 0 ? "" : blobs_[hash_of(h.getCode())],
                          std::move(configuration));
    write(name + ".HK", hooks::settings_text(name, hook.settings));
    write(name + ".CF", hook.code->configuration.value_or(""));
    write(name + ".PY", hook.code->source);
    hooks_.push_back({std::move(hook), 0});
  }
  for (const auto& old : before) {
    for (auto& now : hooks_)
      if (now.hook.name == old.hook.name) now.due_ns = old.due_ns;
    if (names.contains(old.hook.name)) continue;
    files_.remove(old.hook.name);
    write_offlined(old.hook.name, {});
    note(log_event::debug, old.hook.name + ".HK", "delete hook-related file request received");
  }
  attributes::resource_catalogue resources;
  for (auto r : wanted.getResources())
    (void)resources.create(schema::text(r.getName()), schema::text(r.getType()), schema::text(r.getFlags()));
  write(hooks::resources_file, hooks::resources_text(resources));
  know_resources(std::move(resources));
  set_bits();
  tell_hooks();
  if (rejected_) return;
  tell_(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto i = m.initHooksInstalled();
    i.setSequence(wanted.getSequence());
    auto list = i.initFiles(static_cast<unsigned>(changed.size()));
    for (unsigned n = 0; n < changed.size(); ++n) list.set(n, changed[n]);
  }));
}

// -- this host -----------------------------------------------------------------------------------------------------------

std::vector<hooks::chain_hook> mom_hooks::hooks_at(const hooks::hook_event& event, const std::string& only) const {
  std::vector<hooks::chain_hook> out;
  for (const auto& h : hooks_)
    if (runs(h.hook) && has_event(h.hook, event.name) && (only.empty() || h.hook.name == only)) out.push_back(h.hook);
  hooks::sort_by_order(out);
  return out;
}

hooks::chain_parts mom_hooks::chain_parts() {
  hooks::chain_parts c;
  c.runner = parts_.runner;
  c.post = [to = caf::actor(self_)](std::function<void()> work) { caf::anon_send(to, run_this{std::move(work)}); };
  if (!parts_.notes) return c;
  c.note = [notes = parts_.notes](std::uint32_t bits, std::string_view cls, std::string_view object, std::string_view text) {
    notes->write(bits, cls, object, text);
  };
  c.wants = [notes = parts_.notes](std::uint32_t bits) { return notes->wants(bits); };
  c.says_as = "pbs_python";
  return c;
}

std::function<void(hooks::sealed_question, hooks::hook_run::answer_to)> mom_hooks::ask_server() {
  return [this, mom = caf::actor(self_)](const hooks::sealed_question& question, const hooks::hook_run::answer_to& to) {
    caf::anon_send(mom, run_this{[this, question, to] { questions_.ask(question, to, starting_up_ && waits_for_link()); }});
  };
}

std::vector<hooks::hook_object> mom_hooks::host_vnodes() const {
  const auto hello = schema::make<schema::MomHello>([&](schema::MomHello::Builder h) { parts_.describe(h); });
  std::vector<hooks::hook_object> vnodes;
  for (auto v : hello.get().getVnodes()) {
    vnodes.push_back({hooks::protocol::ObjectKind::VNODE, schema::str(v.getName()), hooks::attributes_of(v.getAttributes())});
    vnodes.back().remove(model::sockets_report, {});  // no attribute
  }
  return vnodes;
}

std::vector<hooks::hook_object> mom_hooks::all_vnodes() const {
  auto vnodes = host_vnodes();
  for (const auto& [name, vnode] : made_vnodes_) vnodes.push_back(vnode);
  for (auto& v : vnodes) v.put("pbs_version", {}, parts_.version);
  return vnodes;
}

void mom_hooks::describe(schema::MomHello::Builder hello) const {
  if (made_vnodes_.empty()) return parts_.describe(hello);
  const auto own = schema::make<schema::MomHello>([&](schema::MomHello::Builder h) { parts_.describe(h); });
  const auto from = own.get().getVnodes();
  auto vnodes = hello.initVnodes(static_cast<unsigned>(from.size() + made_vnodes_.size()));
  for (unsigned i = 0; i < from.size(); ++i) vnodes.setWithCaveats(i, from[i]);
  auto by_hooks = hello.initMadeByHooks(static_cast<unsigned>(made_vnodes_.size()));
  unsigned at = from.size();
  for (const auto& [name, vnode] : made_vnodes_) {
    by_hooks.set(at - from.size(), name);
    vnodes[at].setName(name);
    auto list = vnodes[at++].initAttributes(static_cast<unsigned>(vnode.attributes.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setName(vnode.attributes[i].name);
      list[i].setResource(vnode.attributes[i].resource);
      list[i].setValue(vnode.attributes[i].value);
    }
  }
}

// The server hears of the host when its hooks have said what it has, so that no vnode comes and goes with a restart.
void mom_hooks::run_startup() {
  if (hooks_at(*hooks::find_event("exechost_startup")).empty()) return made_vnodes_.clear();
  starting_up_ = true;
  link_until_ns_ = parts_.clock->now_ns() + first_link_ns;
  run_host_event("exechost_startup", {}, [this](hooks::chain_result& result) { started_up(result); });
}

// One that would wait longer than any began while the clock was ahead.
bool mom_hooks::waits_for_link() const {
  const auto left_ns = link_until_ns_ - parts_.clock->now_ns();
  return left_ns > 0 && left_ns <= first_link_ns;
}

// vnode_list[name] = pbs.vnode(name) made vnodes: they are the host's from now on, as its own is.
void mom_hooks::started_up(const hooks::chain_result& result) {
  starting_up_ = false;
  made_vnodes_.clear();
  std::set<std::string> own;
  for (const auto& v : host_vnodes()) own.insert(v.name);
  for (const auto& p : result.parameters)
    if (p.name == "vnode_list")
      for (const auto& v : std::get<std::vector<hooks::hook_object>>(p.value))
        if (!own.contains(v.name)) (made_vnodes_[v.name] = v).remove("state", {});  // the server says that
  parts_.say_hello();
}

void mom_hooks::run_host_event(const char* name, const std::string& only, std::function<void(hooks::chain_result&)> then) {
  const auto* event = hooks::find_event(name);
  auto chosen = hooks_at(*event, only);
  if (chosen.empty()) return;
  hooks::occasion at;
  at.event = event;
  at.by = {"pbs_mom", parts_.host, schema::Role::MOM};
  at.ask = ask_server();
  at.parameters.push_back({"vnode_list", makes_vnodes(*event) ? host_vnodes() : all_vnodes()});
  if (hooks::find_parameter(*event, "job_list")) {
    std::vector<hooks::hook_object> jobs;
    for (const auto& [key, job] : jobs_) put_used(key, jobs.emplace_back(job_object(job, parts_.port)));
    at.parameters.push_back({"job_list", std::move(jobs)});
  }
  std::set<values::run_key> shown;  // a job that is run again meanwhile has another
  for (const auto& [key, job] : jobs_) shown.insert(key);
  hooks::run_chain(chain_parts(), std::move(chosen), std::move(at),
                   [this, event, shown, then = std::move(then)](hooks::chain_result& result) {
                     if (then) then(result);
                     for (const auto& [key, job] : jobs_) {
                       if (!shown.contains(key)) continue;
                       hook_usage_set used;
                       for (const auto& c : result.changes)
                         if (c.parameter == "job_list" && c.attribute == "resources_used" && job.job.order().getRef().getJob() == c.object)
                           used.changes.push_back(keep_used(key, c));
                       if (!used.changes.empty()) caf::anon_send(job.who, std::move(used));
                     }
                     report(*event, {}, result);
                   });
}

model::usage_change mom_hooks::keep_used(const values::run_key& key, const hooks::hook_change& change) {
  model::usage_change kept{schema::str(change.resource)};
  if (change.has_value) kept.value = schema::str(change.after);
  used_[key][kept.resource] = kept.value;
  return kept;
}

void mom_hooks::put_used(const values::run_key& key, hooks::hook_object& job) const {
  if (const auto at = used_.find(key); at != used_.end())
    for (const auto& [resource, value] : at->second) {
      if (value) job.put("resources_used", resource, *value);
      else job.remove("resources_used", resource);
    }
}

void mom_hooks::on_second() {
  const auto now = parts_.clock->now_ns();
  let_start(false);
  if (!waits_for_link()) questions_.wait_no_longer();
  if (!outbox_.empty() && (now - told_again_ns_ >= tell_again_ns || now < told_again_ns_)) {
    told_again_ns_ = now;
    outbox_.each(tell_);
  }
  for (auto& h : hooks_) {
    if (!runs(h.hook) || !has_event(h.hook, "exechost_periodic")) continue;
    if (h.due_ns == 0 || h.due_ns - now > freq_ns(h.hook)) h.due_ns = now + freq_ns(h.hook);  // the first time; or the clock went back
    if (now < h.due_ns) continue;
    h.due_ns = now + freq_ns(h.hook);
    run_host_event("exechost_periodic", h.hook.name);
  }
}

}  // namespace annals::actors
