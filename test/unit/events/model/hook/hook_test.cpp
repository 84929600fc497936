// Hooks as objects: who may touch them, what may be set and in which words it is refused (golden: hooks.txt).
#include <boost/test/unit_test.hpp>

#include "events/model/hook/hook.hpp"
#include "events/model/limits.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using schema::AttributeOp;
using schema::ManageVerb;
namespace ids = attributes::hook;

namespace {

struct hook_story {
  model::hook_state hook;
  model::settings settings = small_settings();
  std::uint64_t sequence = 40;

  std::string when(ManageVerb verb, const given_values& s = {}, const model::requester& by = root(), const std::string& name = "h1") {
    return take(model::manage_hook{manage(verb, schema::ObjectKind::HOOK, name, s), {}}, by);
  }
  std::string imports(const std::string& type, const std::string& content, const std::string& file = "") {
    return take(model::manage_hook{make_request([&](schema::Request::Builder r) {
                                     auto m = r.initManage();
                                     m.setVerb(ManageVerb::IMPORT);
                                     m.setKind(schema::ObjectKind::HOOK);
                                     m.setName("h1");
                                     m.setContentType(type);
                                     m.setContentFile(file);
                                     m.setContent({reinterpret_cast<const kj::byte*>(content.data()), content.size()});
                                   }),
                                   "hash of " + content},
                root());
  }
  std::string take(const model::hook_command& c, const model::requester& by) {
    const auto o = model::decide(hook, c, {1'000'000'000'000, by}, settings);
    if (o.accepted())
      for (const auto& e : o.events()) model::apply(hook, {++sequence, 3, hook.version + 1, 1'000'000'000'000, by}, e.get());
    return said(o) + (o.reply.empty() ? "" : ": " + o.reply);
  }
  std::string shown(attributes::attribute_id id) const { return std::string(model::shown_attributes(hook).get(id).value_or("(none)")); }
};

hook_story given_hook(const given_values& s = {}) {
  hook_story story;
  story.when(ManageVerb::CREATE, s);
  return story;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hook)

BOOST_AUTO_TEST_CASE(a_new_hook_has_the_defaults) {
  hook_story s;
  BOOST_TEST(s.when(ManageVerb::CREATE) == "created");
  BOOST_TEST(s.shown(ids::type) == "site");
  BOOST_TEST(s.shown(ids::enabled) == "true");
  BOOST_TEST(s.shown(ids::event) == "");
  BOOST_TEST(s.shown(ids::user) == "pbsadmin");
  BOOST_TEST(s.shown(ids::alarm) == "30");
  BOOST_TEST(s.shown(ids::order) == "1");
  BOOST_TEST(s.shown(ids::debug) == "false");
  BOOST_TEST(s.shown(ids::fail_action) == "none");
}

BOOST_AUTO_TEST_CASE(freq_is_shown_only_where_it_means_something) {
  auto s = given_hook({{"event", "", "queuejob"}});
  BOOST_TEST(s.shown(ids::freq) == "(none)");
  s.when(ManageVerb::SET, {{"event", "", "exechost_periodic", AttributeOp::INCREMENT}});
  BOOST_TEST(s.shown(ids::freq) == "120");
}

BOOST_AUTO_TEST_CASE(only_root_on_the_servers_host_touches_hooks) {
  hook_story s;
  for (const auto& by : {user(), operator_(), manager()})
    BOOST_TEST(s.when(ManageVerb::CREATE, {}, by) == "15136 " + by.at_host() + " is unauthorized to access hooks data from server borg");
  BOOST_TEST(s.when(ManageVerb::CREATE) == "created");
  BOOST_TEST(s.when(ManageVerb::DELETE, {}, manager()) == "15136 mgr@borg is unauthorized to access hooks data from server borg");
}

BOOST_AUTO_TEST_CASE(names_are_unique_and_pbs_keeps_its_own) {
  auto s = given_hook();
  BOOST_TEST(s.when(ManageVerb::CREATE) == "15136 hook name 'h1' already registered, try another name");
  BOOST_TEST(hook_story().when(ManageVerb::CREATE, {}, root(), "PBSfoo") ==
             "15136 hook_name 'PBSfoo', cannot use PBS as a prefix it is reserved for pbs hooks");
  BOOST_TEST(hook_story().when(ManageVerb::CREATE, {}, root(), "../h") == "15136 hook name '../h' cannot be the name of a file");
  const std::string longest(limits::hook_name_chars_max, 'h');
  BOOST_TEST(hook_story().when(ManageVerb::CREATE, {}, root(), longest) == "created");
  BOOST_TEST(hook_story().when(ManageVerb::CREATE, {}, root(), longest + "h") != "created");
  BOOST_TEST(hook_story().when(ManageVerb::SET, {{"enabled", "", "t"}}, root(), "nosuch") == "15136 nosuch does not exist!");
}

BOOST_AUTO_TEST_CASE(events_are_set_added_and_taken_away) {
  auto s = given_hook({{"event", "", "queuejob"}});
  s.when(ManageVerb::SET, {{"event", "", "modifyjob", AttributeOp::INCREMENT}});
  BOOST_TEST(s.shown(ids::event) == "queuejob,modifyjob");
  BOOST_TEST(s.hook.has_event("modifyjob"));
  s.when(ManageVerb::SET, {{"event", "", "queuejob", AttributeOp::DECREMENT}});
  BOOST_TEST(s.shown(ids::event) == "modifyjob");
  s.when(ManageVerb::SET, {{"event", "", ""}});
  BOOST_TEST(s.shown(ids::event) == "");
  BOOST_TEST(!s.hook.has_event("modifyjob"));
  const auto refused = s.when(ManageVerb::SET, {{"event", "", "queuejob,bogus"}});
  BOOST_TEST(refused.starts_with(
      "15136 invalid argument (bogus) to event. Should be one or more of: queuejob,postqueuejob,modifyjob,modifyvnode,management,"));
  BOOST_TEST(refused.ends_with("execjob_postsuspend,execjob_preresume or \"\" for no event"));
}

BOOST_AUTO_TEST_CASE(bad_values_are_refused_in_pbs_words) {
  auto s = given_hook();
  const auto set = [&](const char* name, const char* value) { return s.when(ManageVerb::SET, {{name, "", value}}); };
  BOOST_TEST(set("order", "50000") == "15136 order given (50000) is outside the acceptable range of [1, 1000] for type 'site'.");
  BOOST_TEST(set("order", "0") != "changed");
  BOOST_TEST(set("order", "1000") == "changed");
  BOOST_TEST(set("alarm", "-1") == "15136 set_hook_alarm: alarm value '-1' of a hook must be > 0");
  BOOST_TEST(set("enabled", "maybe") == "15136 unexpected value 'maybe', must be (not case sensitive) true|t|y|1|false|f|n|0");
  BOOST_TEST(set("bogus", "1") == "15136 Undefined attribute  - bogus");
  BOOST_TEST(set("enabled", "F") == "changed");
  BOOST_TEST(!s.hook.enabled());
  BOOST_TEST(s.when(ManageVerb::UNSET, {{"enabled", "", ""}}) == "changed");
  BOOST_TEST(s.hook.enabled());
}

// Blocks U17 and G6 of a real PBS's transcripts.
BOOST_AUTO_TEST_CASE(words_and_numbers_that_mean_nothing_are_refused) {
  auto s = given_hook({{"event", "", "periodic"}});
  const auto set = [&](const char* name, const char* value) { return s.when(ManageVerb::SET, {{name, "", value}}); };
  BOOST_TEST(set("user", "nosuch") == "15136 user value of a hook must be pbsadmin,pbsuser");
  BOOST_TEST(set("type", "pbs") == "15136 not allowed to set hook to 'pbs' type");
  BOOST_TEST(set("type", "x") == "15136 invalid argument to type, must be \"site\"");
  BOOST_TEST(set("alarm", "x") == "15136 set_hook_alarm: alarm value 'x' of a hook must be > 0");
  for (const std::string number : {"2147483648", "99999999999", "999999999999999999999999"})
    for (const std::string name : {"alarm", "freq"})
      BOOST_TEST(set(name.c_str(), number.c_str()) ==
                 "15136 set_hook_" + name + ": " + name + " value '" + number + "' of a hook must be <= 2147483647");
  BOOST_TEST(set("freq", "x") == "15136 set_hook_freq: encountered a non-digit freq value: x");
  BOOST_TEST(set("freq", "0") == "15136 set_hook_freq: freq value '0' of a hook must be > 0");
  BOOST_TEST(set("freq", "-1") == "15136 set_hook_freq: freq value '-1' of a hook must be > 0");
  BOOST_TEST(set("freq", "5") == "changed");
  BOOST_TEST(set("fail_action", "bogus") ==
             "15136 fail_action value of a hook must be \"none\" or one or more of "
             "\"offline_vnodes\",\"clear_vnodes_upon_recovery\", \"scheduler_restart_cycle\"");
}

BOOST_AUTO_TEST_CASE(pbsuser_belongs_to_events_of_the_jobs_owner) {
  auto s = given_hook();
  const auto refused =
      "15136 Can't set hook user value to 'pbsuser': hook event must contain at least execjob_prologue,execjob_epilogue,execjob_preterm";
  const auto set = [&](const given_values& what) { return s.when(ManageVerb::SET, what); };
  BOOST_TEST(set({{"user", "", "pbsuser"}}) == refused);
  BOOST_TEST(set({{"event", "", "execjob_begin"}}) == "changed");
  BOOST_TEST(set({{"user", "", "pbsuser"}}) == refused);
  BOOST_TEST(set({{"event", "", "execjob_prologue"}, {"user", "", "pbsuser"}}) == "changed");
  BOOST_TEST(set({{"event", "", "queuejob", AttributeOp::INCREMENT}}) == refused);
  BOOST_TEST(s.when(ManageVerb::UNSET, {{"event", "", ""}}) == "changed");
  BOOST_TEST(s.shown(ids::user) == "pbsuser");
}

BOOST_AUTO_TEST_CASE(fail_actions_belong_to_events_that_begin_something) {
  auto s = given_hook();
  const auto set = [&](const char* actions, AttributeOp op = AttributeOp::SET) {
    return s.when(ManageVerb::SET, {{"fail_action", "", actions, op}});
  };
  const auto refused = [](const char* action, const char* needed) {
    return "15136 Can't set hook fail_action value to '" + std::string(action) + "': hook event must contain at least " + needed;
  };
  BOOST_TEST(set("offline_vnodes") == refused("offline_vnodes", "one of execjob_begin, exechost_startup, execjob_prologue"));
  s.when(ManageVerb::SET, {{"event", "", "execjob_begin"}});
  BOOST_TEST(set("offline_vnodes") == "changed");
  BOOST_TEST(set("clear_vnodes_upon_recovery", AttributeOp::INCREMENT) ==
             refused("clear_vnodes_upon_recovery", "an exechost_startup value"));
  BOOST_TEST(set("scheduler_restart_cycle") == "changed");
  s.when(ManageVerb::SET, {{"event", "", "execjob_begin,exechost_startup"}});
  BOOST_TEST(set("offline_vnodes,clear_vnodes_upon_recovery,scheduler_restart_cycle") == "changed");
  BOOST_TEST(set("offline_vnodes", AttributeOp::DECREMENT) == "changed");
  BOOST_TEST(s.shown(ids::fail_action) == "clear_vnodes_upon_recovery,scheduler_restart_cycle");
  BOOST_TEST(s.when(ManageVerb::SET, {{"event", "", "exechost_startup"}}) ==
             refused("scheduler_restart_cycle", "one of execjob_begin, execjob_prologue"));
  BOOST_TEST(s.when(ManageVerb::UNSET, {{"event", "", ""}}) == "changed");
  BOOST_TEST(set("none") == "changed");
  BOOST_TEST(set("none,offline_vnodes") != "changed");
}

BOOST_AUTO_TEST_CASE(freq_belongs_to_periodic_events) {
  auto s = given_hook({{"event", "", "queuejob"}});
  const auto set = [&](const given_values& what) { return s.when(ManageVerb::SET, what); };
  BOOST_TEST(set({{"freq", "", "3"}}) ==
             "15136 set_hook_freq: Can't set hook freq value: hook event must contain at least'exechost_periodic' or 'periodic'");
  BOOST_TEST(s.when(ManageVerb::UNSET, {{"freq", "", ""}}) == "changed");
  BOOST_TEST(set({{"event", "", "exechost_periodic"}, {"freq", "", "3"}}) == "changed");
  BOOST_TEST(set({{"event", "", "queuejob"}}) == "changed");
  BOOST_TEST(s.shown(ids::freq) == "(none)");
}

BOOST_AUTO_TEST_CASE(no_pbshook_is_made_or_deleted) {
  const auto ask = [](hook_story& s, ManageVerb verb) {
    return s.take(model::manage_hook{make_request([&](schema::Request::Builder r) {
                                       auto m = r.initManage();
                                       m.setVerb(verb);
                                       m.setKind(schema::ObjectKind::HOOK);
                                       m.setName("h1");
                                       m.setPbsHook(true);
                                     }),
                                     {}},
                  root());
  };
  hook_story none;
  BOOST_TEST(ask(none, ManageVerb::CREATE) == "15004 Invalid request");
  auto s = given_hook();
  BOOST_TEST(ask(s, ManageVerb::DELETE) == "15004 Invalid request");
  BOOST_TEST(ask(s, ManageVerb::SET) == "15136 cannot set attributes of a 'site' hook");
}

BOOST_AUTO_TEST_CASE(a_configuration_is_what_the_suffix_of_its_file_says) {
  auto s = given_hook();
  const auto config = [&](const std::string& file, const std::string& content) { return s.imports("application/x-config", content, file); };
  BOOST_TEST(config("/etc/site.d/a.json", "{\"a\": [1, 2]}").starts_with("imported"));
  for (const std::string broken : {"{\"a\": 1", "", "{'a': 1}", "a = 1"})
    BOOST_TEST(config("a.json", broken) == "15136 Failed to validate config file, hook 'h1' config file not overwritten");
  for (const std::string file : {"", "-", "config", "/etc/site.d/config", "a.txt", "a.ini", "a.xml", "a.py"})
    BOOST_TEST(config(file, "{").starts_with("imported"), file);
  for (const std::string file : {"bad.exe", "/etc/a.json.old", "a.JSON"})
    BOOST_TEST(config(file, "{}") == "15136 " + file + " contains an invalid suffix, should be one of: .ini .json .py .txt .xml");
  BOOST_TEST(s.imports("application/x-python", "pass\n", "script.sh").starts_with("imported"));
}

BOOST_AUTO_TEST_CASE(what_is_python_is_compiled_before_it_is_taken) {
  BOOST_TEST(model::is_python("application/x-python", "-"));
  BOOST_TEST(model::is_python("application/x-config", "/a.b/settings.py"));
  BOOST_TEST(!model::is_python("application/x-config", "/a.py/settings"));
  BOOST_TEST(!model::is_python("application/x-config", "settings.json"));
}

BOOST_AUTO_TEST_CASE(content_is_imported_and_overwritten) {
  auto s = given_hook();
  BOOST_TEST(s.imports("application/x-python", "import pbs\n") == "imported");
  BOOST_TEST(s.imports("application/x-config", "{}") == "imported");
  BOOST_TEST(s.hook.code.hash == "hash of import pbs\n");
  BOOST_TEST(s.hook.code.size == 11u);
  BOOST_TEST(s.imports("application/x-python", "pass\n") == "imported: hook 'h1' contents overwritten");
  BOOST_TEST(s.hook.config.hash == "hash of {}");
  BOOST_TEST(s.imports("text/plain", "x") == "15136 <content-type> must be application/x-python or application/x-config");
  BOOST_TEST(s.imports("application/x-python", std::string(limits::inline_hook_bytes_max, '#')).starts_with("imported"));
  BOOST_TEST(s.imports("application/x-python", std::string(limits::inline_hook_bytes_max + 1, '#')).starts_with("15136 "));
}

BOOST_AUTO_TEST_SUITE_END()
