#include "actors/mom/hooks/installed_hooks.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/log/record.hpp"
#include "events/values/pbs_error.hpp"
#include "events/values/string_list.hpp"

namespace annals::actors {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr const char* offlined_ending = ".offlined";

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

installed_hooks::installed_hooks(const mom_hooks_parts& parts, tell_server tell, std::function<void()> news)
    : parts_(parts), tell_(std::move(tell)), news_(std::move(news)), files_(parts.directory, 0700) {}

void installed_hooks::read_files() {
  know_resources(hooks::parse_resources(files_.read(hooks::resources_file).value_or("")));
  for (const auto& name : files_.hooks()) {
    const auto read = hooks::parse_settings(files_.read(name + ".HK").value_or(""));
    if (!read) continue;
    hooks_.push_back({make_hook(read->name, read->settings, files_.read(name + ".PY").value_or(""), files_.read(name + ".CF")), 0});
    parts_.note(log_event::system | log_event::admin | log_event::debug, name, "Found hook " + name + " type=site");
  }
  set_bits();
  tell_hooks();
}

void installed_hooks::read_again() {
  if (rejected_ && !parts_.rejects_files()) on_hooks(*std::exchange(rejected_, {}));
}

void installed_hooks::know_resources(attributes::resource_catalogue resources) {
  std::vector<hooks::resource_type> custom;
  for (const auto& [name, r] : resources.custom()) custom.push_back({name, attributes::resource_type_name(r.type)});
  if (parts_.runner) parts_.runner->know_resources(std::move(custom));
  if (parts_.bits) parts_.bits->resources = std::make_shared<const attributes::resource_catalogue>(std::move(resources));
}

void installed_hooks::set_bits() {
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

void installed_hooks::tell_hooks() {
  std::set<hooks::known_hook> known;
  for (const auto& h : hooks_)
    if (runs(h.hook)) known.insert({h.hook.name, h.hook.code->hash});
  parts_.runner->know_hooks(std::move(known));
}

// -- from the server -----------------------------------------------------------------------------------------------------

void installed_hooks::server_is_here() {
  asked_.clear();
  ask_for_blobs();
}

void installed_hooks::server_is_gone() {
  told_all_ = false;
  if (parts_.runner) parts_.bits->catching_up = true;
}

void installed_hooks::server_has_told_all() {
  told_all_ = true;
  if (parts_.runner) parts_.bits->catching_up = wanted_.has_value();
  news_();
}

void installed_hooks::on_hooks(const schema::sealed<schema::ToMom>& message) {
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
  news_();
}

void installed_hooks::ask_for_blobs() {
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

void installed_hooks::on_blob(schema::Blob::Reader b) {
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

bool installed_hooks::is_here(schema::MomHook::Reader hook) const {
  const auto here = [&](schema::BlobRef::Reader blob) { return blob.getHash().size() == 0 || blobs_.contains(hash_of(blob)); };
  return here(hook.getCode()) && here(hook.getConfig());
}

// The server is not told that all is installed while a file is rejected: it tells of it again when this host comes back.
void installed_hooks::install_if_complete() {
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
  news_();
}

void installed_hooks::keep_as_it_was(const std::string& name, const std::vector<installed>& before) {
  parts_.note(log_event::error, name, std::string(values::pbs_error_text(values::pbs_error::mom_rejects_root)));
  for (const auto& old : before)
    if (old.hook.name == name) hooks_.push_back(old);
}

void installed_hooks::write_file(const std::string& file, const std::string& text, std::vector<std::string>& changed) {
  std::string problem;
  if (files_.write(file, text, problem) && !text.empty()) {
    changed.push_back(file);
    parts_.note(log_event::debug, file, "copy hook-related file request received");
  }
  if (!problem.empty()) parts_.note(log_event::error, file, problem);
}

hooks::chain_hook installed_hooks::made_from(schema::MomHook::Reader h) {
  auto configuration = h.getConfig().getHash().size() == 0 ? std::nullopt : std::optional(blobs_[hash_of(h.getConfig())]);
  return make_hook(schema::str(h.getName()), settings_of(h.getAttributes()),
                   h.getCode().getHash().size() == 0 ? "" : blobs_[hash_of(h.getCode())], std::move(configuration));
}

void installed_hooks::remove_unwanted(const std::vector<installed>& before, const std::set<std::string>& wanted) {
  for (const auto& old : before) {
    for (auto& now : hooks_)
      if (now.hook.name == old.hook.name) now.due_ns = old.due_ns;
    if (wanted.contains(old.hook.name)) continue;
    files_.remove(old.hook.name);
    write_offlined(old.hook.name, {});
    parts_.note(log_event::debug, old.hook.name + ".HK", "delete hook-related file request received");
  }
}

void installed_hooks::install(schema::MomHooks::Reader wanted) {
  std::vector<installed> before = std::move(hooks_);
  hooks_.clear();
  std::vector<std::string> changed;
  std::set<std::string> names;
  for (auto h : wanted.getHooks()) {
    const auto name = schema::str(h.getName());
    names.insert(name);
    if (!is_here(h)) {
      keep_as_it_was(name, before);
      continue;
    }
    auto hook = made_from(h);
    write_file(name + ".HK", hooks::settings_text(name, hook.settings), changed);
    write_file(name + ".CF", hook.code->configuration.value_or(""), changed);
    write_file(name + ".PY", hook.code->source, changed);
    hooks_.push_back({std::move(hook), 0});
  }
  remove_unwanted(before, names);
  attributes::resource_catalogue resources;
  for (auto r : wanted.getResources())
    (void)resources.create(schema::text(r.getName()), schema::text(r.getType()), schema::text(r.getFlags()));
  write_file(hooks::resources_file, hooks::resources_text(resources), changed);
  know_resources(std::move(resources));
  set_bits();
  tell_hooks();
  if (!rejected_) say_installed(wanted.getSequence(), changed);
}

void installed_hooks::say_installed(std::uint64_t sequence, const std::vector<std::string>& changed) {
  tell_(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto i = m.initHooksInstalled();
    i.setSequence(sequence);
    auto list = i.initFiles(static_cast<unsigned>(changed.size()));
    for (unsigned n = 0; n < changed.size(); ++n) list.set(n, changed[n]);
  }));
}

// -- which there are -----------------------------------------------------------------------------------------------------

std::vector<hooks::chain_hook> installed_hooks::at(const hooks::hook_event& event, const std::string& only) const {
  std::vector<hooks::chain_hook> out;
  for (const auto& h : hooks_)
    if (runs(h.hook) && has_event(h.hook, event.name) && (only.empty() || h.hook.name == only)) out.push_back(h.hook);
  hooks::sort_by_order(out);
  return out;
}

std::vector<std::string> installed_hooks::due(std::int64_t now_ns) {
  std::vector<std::string> names;
  for (auto& h : hooks_) {
    if (!runs(h.hook) || !has_event(h.hook, "exechost_periodic")) continue;
    if (h.due_ns == 0 || h.due_ns - now_ns > freq_ns(h.hook))
      h.due_ns = now_ns + freq_ns(h.hook);  // the first time; or the clock went back
    if (now_ns < h.due_ns) continue;
    h.due_ns = now_ns + freq_ns(h.hook);
    names.push_back(h.hook.name);
  }
  return names;
}

std::uint8_t installed_hooks::fail_actions_of(const std::string& hook, const hooks::hook_event& event) const {
  const auto at = std::find_if(hooks_.begin(), hooks_.end(), [&](const installed& h) { return h.hook.name == hook; });
  if (at == hooks_.end()) return 0;
  const auto words = values::split_list(at->hook.settings.get(attributes::hook::fail_action).value_or(""));
  const auto has = [&](std::string_view a) { return std::find(words.begin(), words.end(), a) != words.end(); };
  const int actions = (has("offline_vnodes") ? hooks::offline_vnodes : 0) |
                      (has("scheduler_restart_cycle") ? hooks::scheduler_restart_cycle : 0) |
                      (has("clear_vnodes_upon_recovery") ? hooks::clear_vnodes_upon_recovery : 0);
  return static_cast<std::uint8_t>(actions & event.fail_actions);
}

std::vector<std::string> installed_hooks::offlined(const std::string& hook) const {
  return values::split_list(files_.read(hook + offlined_ending).value_or(""));
}

void installed_hooks::write_offlined(const std::string& hook, const std::vector<std::string>& vnodes) const {
  std::string problem;
  files_.write(hook + offlined_ending, values::join_list(vnodes), problem);
  if (!problem.empty()) parts_.note(log_event::error, hook, problem);
}

}  // namespace annals::actors
