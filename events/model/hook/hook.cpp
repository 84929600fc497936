#include "events/model/hook/hook.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/attributes/table.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/client.capnp.h"
#include "events/values/number.hpp"
#include "events/values/result.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::hook;
namespace pbs_error = values::pbs_error;
using which = schema::HookEvent::Which;

namespace {

constexpr std::string_view event_names[] = {
    "queuejob", "postqueuejob", "modifyjob", "modifyvnode", "management", "resvsub",
    "modifyresv", "movejob", "jobobit", "runjob", "provision", "periodic",
    "resv_confirm", "resv_begin", "resv_end", "execjob_begin", "execjob_prologue", "execjob_epilogue",
    "execjob_preterm", "execjob_end", "exechost_periodic", "execjob_launch", "exechost_startup", "execjob_attach",
    "execjob_resize", "execjob_abort", "execjob_postsuspend", "execjob_preresume"};

constexpr std::string_view as_owner[] = {"execjob_prologue", "execjob_epilogue", "execjob_preterm"};
constexpr std::string_view fail_actions[] = {"none", "offline_vnodes", "clear_vnodes_upon_recovery", "scheduler_restart_cycle"};
constexpr std::int64_t order_min = 1, order_max = 1000;  // of site hooks (pbs guide: order)

template <std::size_t N>
bool is_in(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

rejection hook_error(std::string text) { return refuse(pbs_error::hook_error, std::move(text)); }

using checked_text = values::result<std::string, rejection>;

checked_text flag_text(std::string_view given) {
  for (const char* yes : {"true", "t", "y", "1"})
    if (values::equal_any_case(given, yes)) return std::string("true");
  for (const char* no : {"false", "f", "n", "0"})
    if (values::equal_any_case(given, no)) return std::string("false");
  return hook_error("unexpected value '" + std::string(given) + "', must be (not case sensitive) true|t|y|1|false|f|n|0");
}

bool is_digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

// The lower bound in PBS's words.
checked_text positive_text(const char* attribute, std::string_view given) {
  const auto n = values::parse_integer(given);
  if (n && *n > 0 && *n <= INT32_MAX) return std::to_string(*n);
  const bool is_too_large = n ? *n > 0 : is_digits(given);
  return hook_error("set_hook_" + std::string(attribute) + ": " + attribute + " value '" + std::string(given) + "' of a hook must be " +
                    (is_too_large ? "<= " + std::to_string(INT32_MAX) : "> 0"));
}

checked_text freq_text(std::string_view given) {
  if (!values::parse_integer(given) && !is_digits(given))
    return hook_error("set_hook_freq: encountered a non-digit freq value: " + std::string(given));
  return positive_text("freq", given);
}

checked_text order_text(std::string_view given) {
  const auto n = values::parse_integer(given);
  if (n && *n >= order_min && *n <= order_max) return std::to_string(*n);
  return hook_error("order given (" + std::string(given) + ") is outside the acceptable range of [1, 1000] for type 'site'.");
}

// The elements of a list after =, += or -=; each must be one of the allowed words, or the list is refused with what `not_allowed` says of
// it.
template <std::size_t N, class NotAllowed>
checked_text list_text(std::string_view now, schema::Attribute::Reader change, const std::string_view (&allowed)[N],
                       NotAllowed&& not_allowed) {
  std::vector<std::string> elements;
  if (change.getOp() != schema::AttributeOp::SET) elements = values::split_list(now);
  for (const auto& word : values::split_trimmed(schema::text(change.getValue()))) {
    if (word.empty()) continue;
    if (!is_in(allowed, word)) return hook_error(not_allowed(word));
    std::erase(elements, word);
    if (change.getOp() != schema::AttributeOp::DECREMENT) elements.push_back(word);
  }
  return values::join_list(elements);
}

checked_text event_text(std::string_view now, schema::Attribute::Reader change) {
  return list_text(now, change, event_names, [](const std::string& word) {
    std::string text = "invalid argument (" + word + ") to event. Should be one or more of: ";
    for (const auto& name : event_names) text += std::string(name) + (name == std::end(event_names)[-1] ? "" : ",");
    return text + " or \"\" for no event";
  });
}

checked_text fail_action_text(std::string_view now, schema::Attribute::Reader change) {
  auto text = list_text(now, change, fail_actions, [](const std::string&) -> std::string {
    return "fail_action value of a hook must be \"none\" or one or more of \"offline_vnodes\",\"clear_vnodes_upon_recovery\", "
           "\"scheduler_restart_cycle\"";
  });
  if (!text) return text;
  auto elements = values::split_list(*text);
  if (elements.size() > 1) std::erase(elements, "none");  // none beside others means nothing
  return elements.empty() ? std::string("none") : values::join_list(elements);
}

checked_text new_value(const attributes::attribute& row, std::string_view now, schema::Attribute::Reader change) {
  const auto given = schema::text(change.getValue());
  switch (row.id) {
    case ids::enabled:
    case ids::debug: return flag_text(given);
    case ids::event: return event_text(now, change);
    case ids::alarm: return positive_text("alarm", given);
    case ids::freq: return freq_text(given);
    case ids::order: return order_text(given);
    case ids::fail_action: return fail_action_text(now, change);
    case ids::user:
      if (given == "pbsadmin" || given == "pbsuser") return std::string(given);
      return hook_error("user value of a hook must be pbsadmin,pbsuser");
    case ids::type:
      if (given == "site") return std::string(given);
      return hook_error(given == "pbs" ? "not allowed to set hook to 'pbs' type" : "invalid argument to type, must be \"site\"");
    default: return hook_error("Undefined attribute  - " + std::string(row.name));
  }
}

rejection not_at_these_events(const char* attribute, std::string_view value, std::string_view needed) {
  return hook_error("Can't set hook " + std::string(attribute) + " value to '" + std::string(value) +
                    "': hook event must contain at least " + std::string(needed));
}

// A hook that has no event yet has its values until it gets one, but is given none that needs an event.
using set_values = std::vector<std::pair<const attributes::attribute*, std::string>>;
bool sets(const set_values& set, attributes::attribute_id id) {
  return std::ranges::any_of(set, [&](const auto& s) { return s.first->id == id; });
}

// What is set must make sense together: who runs it, where it may fail, when it runs.
std::optional<rejection> unfit(const attributes::attribute_set& then, const set_values& set) {
  const auto events = values::split_list(then.get(ids::event).value_or(""));
  const auto has = [&](std::string_view e) { return std::ranges::find(events, e) != events.end(); };
  const bool of_owner = !events.empty() && std::ranges::all_of(events, [](const auto& e) { return is_in(as_owner, e); });
  if (then.get(ids::user) == "pbsuser" && !of_owner && (sets(set, ids::user) || !events.empty()))
    return not_at_these_events("user", "pbsuser", "execjob_prologue,execjob_epilogue,execjob_preterm");
  if (has("provision") && events.size() > 1) return hook_error(std::string(one_provision_hook));
  const bool begins = has("execjob_begin") || has("execjob_prologue"), starts = has("exechost_startup");
  if (!sets(set, ids::fail_action) && events.empty()) return std::nullopt;
  for (const auto& action : values::split_list(then.get(ids::fail_action).value_or(""))) {
    if (action == "offline_vnodes" && !begins && !starts)
      return not_at_these_events("fail_action", action, "one of execjob_begin, exechost_startup, execjob_prologue");
    if (action == "clear_vnodes_upon_recovery" && !starts) return not_at_these_events("fail_action", action, "an exechost_startup value");
    if (action == "scheduler_restart_cycle" && !begins)
      return not_at_these_events("fail_action", action, "one of execjob_begin, execjob_prologue");
  }
  return std::nullopt;
}

bool is_periodic(const attributes::attribute_set& hook) {
  const auto events = values::split_list(hook.get(ids::event).value_or(""));
  return std::ranges::any_of(events, [](const auto& e) { return e == "periodic" || e == "exechost_periodic"; });
}

outcome decide_set(const hook_state& hook, schema::Manage::Reader m) {
  attributes::attribute_set then = hook.attributes;
  set_values set;
  bool gives_freq = false;
  for (auto change : m.getChanges()) {
    const auto name = schema::str(change.getName());
    const auto* row = attributes::find(schema::ObjectKind::HOOK, name);
    if (!row || change.getResource().size() > 0) return hook_error("Undefined attribute  - " + name);
    const bool unset = m.getVerb() == schema::ManageVerb::UNSET || change.getOp() == schema::AttributeOp::UNSET;
    const checked_text value = unset ? std::string(row->default_value) : new_value(*row, then.get(row->id).value_or(""), change);
    if (!value) return value.error();
    then.set(row->id, *value);
    set.emplace_back(row, *value);
    gives_freq = gives_freq || (row->id == ids::freq && !unset);
  }
  if (gives_freq && !is_periodic(then))  // without a blank, as in PBS
    return hook_error("set_hook_freq: Can't set hook freq value: hook event must contain at least'exechost_periodic' or 'periodic'");
  if (auto why = unfit(then, set)) return *why;
  if (set.empty()) return no_change;
  return std::vector<event>{make_event([&](auto e) {
    auto list = e.initHook().initChanged().initChanges(static_cast<unsigned>(set.size()));
    for (unsigned i = 0; i < set.size(); ++i) {
      list[i].setName(set[i].first->name);
      list[i].setValue(set[i].second);
    }
  })};
}

outcome decide_create(const hook_state& hook, schema::Manage::Reader m) {
  const auto name = schema::str(m.getName());
  if (hook.exists) return hook_error("hook name '" + name + "' already registered, try another name");
  if (name.starts_with("PBS")) return hook_error("hook_name '" + name + "', cannot use PBS as a prefix it is reserved for pbs hooks");
  if (name.size() > limits::hook_name_chars_max)
    return hook_error("hook name '" + name + "' is longer than " + std::to_string(limits::hook_name_chars_max) + " characters");
  // It becomes the name of a file.
  if (name.find('/') != std::string::npos || name.starts_with('.'))
    return hook_error("hook name '" + name + "' cannot be the name of a file");
  hook_state fresh;
  for (const auto& row : attributes::table_of(schema::ObjectKind::HOOK)) fresh.attributes.set(row.id, row.default_value);
  auto set = decide_set(fresh, m);
  if (!set.accepted()) return set;
  std::vector<event> out{make_event([&](auto e) { e.initHook().initCreated().setName(name); })};
  for (auto& e : set.events()) out.push_back(std::move(e));
  return out;
}

// Without the dot. Empty: it has none.
std::string_view suffix_of(std::string_view file) {
  if (const auto directory = file.rfind('/'); directory != std::string_view::npos) file.remove_prefix(directory + 1);
  const auto dot = file.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : file.substr(dot + 1);
}

constexpr std::string_view config_suffixes[] = {"ini", "json", "py", "txt", "xml"};

// A configuration is what its file's suffix says (pbs guide: hook configuration files).
rejection config_refusal(schema::Manage::Reader m) {
  const auto file = schema::text(m.getContentFile());
  const auto suffix = suffix_of(file);
  if (suffix.empty() || suffix == "txt") return {};
  if (!is_in(config_suffixes, suffix)) {
    std::string text = std::string(file) + " contains an invalid suffix, should be one of:";
    for (const auto& known : config_suffixes) text.append(" .").append(known);
    return hook_error(std::move(text));
  }
  const auto bytes = m.getContent();
  const bool is_broken = suffix == "json" && !nlohmann::json::accept(bytes.begin(), bytes.end());
  return is_broken ? hook_error(not_taken(config_content, schema::text(m.getName()))) : rejection();
}

}  // namespace

bool is_python(std::string_view type, std::string_view file) {
  return type == python_content || (type == config_content && suffix_of(file) == "py");
}

std::string not_taken(std::string_view type, std::string_view hook) {
  const auto named = "hook '" + std::string(hook) + "' ";
  return type == python_content ? "Failed to compile script, " + named + "contents not overwritten"
                                : "Failed to validate config file, " + named + "config file not overwritten";
}

rejection content_type_refusal(std::string_view type) {
  if (type == python_content || type == config_content) return {};
  return hook_error("<content-type> must be " + std::string(python_content) + " or " + std::string(config_content));
}

namespace {

outcome decide_import(const hook_state& hook, const manage_hook& c) {
  const auto m = c.request.get().getManage();
  const auto type = schema::text(m.getContentType());
  if (const auto why = content_type_refusal(type); why.code != 0) return why;
  if (const auto why = type == config_content ? config_refusal(m) : rejection(); why.code != 0) return why;
  if (m.getContent().size() > limits::inline_hook_bytes_max)
    return hook_error("a hook's content can have at most " + std::to_string(limits::inline_hook_bytes_max) + " bytes");
  outcome out(std::vector<event>{make_event([&](auto e) {
    auto i = e.initHook().initImported();
    i.setContentType(m.getContentType());
    auto content = i.initContent();
    content.setHash({reinterpret_cast<const kj::byte*>(c.content_hash.data()), c.content_hash.size()});
    content.setSize(m.getContent().size());
  })});
  const auto& before = type == python_content ? hook.code : hook.config;
  if (!before.hash.empty()) out.reply = "hook '" + hook.name + "' contents overwritten";
  return out;
}

outcome decide_manage(const hook_state& hook, const manage_hook& c, const stamp& now, const settings& settings) {
  const auto m = c.request.get().getManage();
  const auto name = schema::str(m.getName());
  if (auto why = may_touch_hooks(now.by, settings); why.code != 0) return why;
  if (m.getVerb() == schema::ManageVerb::CREATE && !m.getPbsHook()) return decide_create(hook, m);
  const bool makes_or_ends = m.getVerb() == schema::ManageVerb::CREATE || m.getVerb() == schema::ManageVerb::DELETE;
  if (m.getPbsHook() && makes_or_ends) return refuse(pbs_error::invalid_request);
  if (!hook.exists) return hook_error(name + " does not exist!");
  if (m.getPbsHook()) return hook_error("cannot set attributes of a 'site' hook");
  switch (m.getVerb()) {
    case schema::ManageVerb::SET:
    case schema::ManageVerb::UNSET: return decide_set(hook, m);
    case schema::ManageVerb::IMPORT: return decide_import(hook, c);
    case schema::ManageVerb::DELETE: return std::vector<event>{make_event([&](auto e) { e.initHook().initDeleted().setName(hook.name); })};
    case schema::ManageVerb::CREATE: break;
  }
  return refuse(pbs_error::invalid_request);
}

outcome decide_ran(const hook_state& hook, const hook_ran& c) {
  const auto ran = c.what.get();
  if (!hook.exists) return no_change;  // it was deleted meanwhile
  return std::vector<event>{make_event([&](auto e) { e.initHook().setRan(ran); })};
}

}  // namespace

outcome decide(const hook_state& hook, const hook_command& command, const stamp& now, const settings& settings) {
  struct visitor {
    const hook_state& hook;
    const stamp& now;
    const model::settings& settings;
    outcome operator()(const manage_hook& c) const { return decide_manage(hook, c, now, settings); }
    outcome operator()(const hook_ran& c) const { return decide_ran(hook, c); }
  };
  return std::visit(visitor{hook, now, settings}, command);
}

void apply(hook_state& hook, const event_place& at, schema::HookEvent::Reader event) {
  switch (event.which()) {
    case which::CREATED:
      ANNALS_INVARIANT(!hook.exists, "a hook is created once");
      hook.serial = at.stream;
      hook.order = at.sequence;
      hook.exists = true;
      hook.name = schema::str(event.getCreated().getName());
      for (const auto& row : attributes::table_of(schema::ObjectKind::HOOK)) hook.attributes.set(row.id, row.default_value);
      break;
    case which::CHANGED:
      for (auto change : event.getChanged().getChanges())
        if (const auto* row = attributes::find(schema::ObjectKind::HOOK, schema::text(change.getName())))
          hook.attributes.set(row->id, schema::text(change.getValue()));
      break;
    case which::IMPORTED: {
      const auto e = event.getImported();
      const auto hash = e.getContent().getHash();
      auto& content = schema::text(e.getContentType()) == python_content ? hook.code : hook.config;
      content = {std::string(reinterpret_cast<const char*>(hash.begin()), hash.size()), e.getContent().getSize()};
      break;
    }
    case which::DELETED: hook.exists = false; break;
    case which::RAN: break;
  }
  hook.version = at.version;
}

// -- read ----------------------------------------------------------------------------------------------------------------

bool hook_state::enabled() const { return attributes.get(ids::enabled) == "true"; }

bool hook_state::has_event(std::string_view event) const {
  // Names of events hold no commas, so that nothing in the list is escaped.
  auto events = attributes.get(ids::event).value_or("");
  while (!events.empty()) {
    const auto end = std::min(events.find(','), events.size());
    if (events.substr(0, end) == event) return true;
    events.remove_prefix(std::min(end + 1, events.size()));
  }
  return false;
}

bool hook_state::runs_at(std::string_view event) const { return enabled() && !code.hash.empty() && has_event(event); }

std::int64_t hook_state::number(attributes::attribute_id id) const {
  return attributes::integer_of(attributes, id).value_or(0);
}

attributes::attribute_set shown_attributes(const hook_state& hook) {
  auto shown = hook.attributes;
  if (!is_periodic(hook.attributes)) shown.erase(ids::freq);
  return shown;
}

rejection may_touch_hooks(const requester& by, std::string_view server_name) {
  if (by.role == schema::Role::ROOT || by.is_daemon()) return {};
  return hook_error(by.at_host() + " is unauthorized to access hooks data from server " + std::string(server_name));
}
rejection may_touch_hooks(const requester& by, const settings& settings) { return may_touch_hooks(by, settings.server_name); }

std::span<const std::string_view> hook_event_names() { return event_names; }
bool is_mom_event(std::string_view event) { return event.starts_with("exec"); }

}  // namespace annals::model
