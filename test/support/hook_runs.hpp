// Runs a piece of Python as a hook in a real worker and waits for its reply: what tests of the pbs module, of the
// sandbox and of the pool are written with.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "hooks-runtime/pool/worker_pool.hpp"
#include "test/support/paths.hpp"

namespace annals::test {

using hooks::protocol::Verdict;

struct asked_attribute {
  const char* name;
  const char* resource;
  const char* value;
};

struct hook_case {
  std::string source;
  const char* event = "queuejob";
  std::vector<asked_attribute> job = {{"Job_Name", "", "sim"}, {"Priority", "", "5"}, {"Resource_List", "ncpus", "4"}};
  std::optional<std::string> configuration = {};
  std::string run_as = {};
  std::uint32_t alarm_ms = 60'000;  // for whom no alarm is meant: longer than any run takes
  bool primary = true;
  bool debug = false;
  std::vector<std::string> vnodes = {}, failed_vnodes = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool script_job = false;  // no program, and no shell is named
  std::function<void(hooks::protocol::Question::Reader, hooks::protocol::Answer::Builder)> answer = {};
};

class hook_runs {
 public:
  explicit hook_runs(hooks::pool_settings settings = {}) : pool_(with_worker(std::move(settings))) {}

  hooks::sealed_reply run(const hook_case& c) {
    auto promise = std::make_shared<std::promise<hooks::sealed_reply>>();
    auto future = promise->get_future();
    pool_.run(order_of(c), [promise](hooks::sealed_reply r) { promise->set_value(std::move(r)); });
    // A test that waits longer is broken: every run has its alarm.
    if (future.wait_for(std::chrono::seconds(150)) != std::future_status::ready)
      throw std::runtime_error("the pool never answered");
    return future.get();
  }

  hooks::worker_pool& pool() { return pool_; }

  static hooks::hook_run order_of(const hook_case& c) {
    hooks::hook_run order;
    auto code = std::make_shared<hooks::hook_code>();
    code->name = "h1";
    code->source = c.source;
    code->configuration = c.configuration;
    code->hash = hooks::code_hash(code->source, code->configuration);
    order.code = code;
    order.run_as = c.run_as;
    order.request = schema::make<hooks::protocol::Request>([&](hooks::protocol::Request::Builder b) { fill(c, b); });
    if (c.answer)
      order.ask = [answer = c.answer](hooks::sealed_question q, hooks::hook_run::answer_to reply) {
        reply(schema::make<hooks::protocol::Answer>([&](hooks::protocol::Answer::Builder a) { answer(q.get(), a); }));
      };
    return order;
  }

 private:
  static hooks::pool_settings with_worker(hooks::pool_settings s) {
    s.worker_program = annals::test::stage_dir() + "/libexec/pbs_hook_worker";
    if (s.local_node.empty()) s.local_node = "n1";
    return s;
  }

  static void fill_objects(const std::vector<std::string>& names, hooks::protocol::Parameter::Builder p) {
    auto list = p.initObjects(static_cast<unsigned>(names.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setKind(hooks::protocol::ObjectKind::VNODE);
      list[i].setName(names[i]);
      auto attributes = list[i].initAttributes(2);
      attributes[0].setName("state");
      attributes[0].setValue("free");
      attributes[1].setName("resources_available");
      attributes[1].setResource("ncpus");
      attributes[1].setValue("8");
    }
  }

  static void fill(const hook_case& c, hooks::protocol::Request::Builder b) {
    b.setEvent(hooks::find_event(c.event)->bit);
    b.setHookName("h1");
    b.setRequestor("alice");
    b.setRequestorHost("head");
    b.setAlarmMillis(c.alarm_ms);
    b.setPrimary(c.primary);
    b.initHook().setAlarm(c.alarm_ms / 1000);
    b.getHook().setDebug(c.debug);
    auto parameters = b.initParameters(c.script_job ? 6 : 4);
    if (c.script_job) {
      parameters[4].setName("progname");
      parameters[4].setText("");
      parameters[5].setName("argv");
      parameters[5].initTexts(0);
    }
    parameters[0].setName("job");
    auto job = parameters[0].initObject();
    job.setKind(hooks::protocol::ObjectKind::JOB);
    job.setName("12.head");
    auto attributes = job.initAttributes(static_cast<unsigned>(c.job.size()));
    for (unsigned i = 0; i < attributes.size(); ++i) {
      attributes[i].setName(c.job[i].name);
      attributes[i].setResource(c.job[i].resource);
      attributes[i].setValue(c.job[i].value);
    }
    parameters[1].setName("vnode_list");
    fill_objects(c.vnodes, parameters[1]);
    parameters[2].setName("vnode_list_fail");
    fill_objects(c.failed_vnodes, parameters[2]);
    parameters[3].setName("env");
    auto pairs = parameters[3].initPairs(static_cast<unsigned>(c.environment.size()));
    for (unsigned i = 0; i < pairs.size(); ++i) {
      pairs[i].setName(c.environment[i].first);
      pairs[i].setValue(c.environment[i].second);
    }
  }

  hooks::worker_pool pool_;
};

inline std::string message_of(const hooks::sealed_reply& r) { return schema::str(r.get().getMessage()); }

// The reply in one line, for comparing: "accept job.Priority 5->7 log:hello".
inline std::string summary(const hooks::sealed_reply& r) {
  std::ostringstream out;
  const char* const verdicts[] = {"accept", "reject", "error", "alarm"};
  out << verdicts[static_cast<int>(r.get().getVerdict())];
  if (r.get().getMessage().size()) out << " '" << message_of(r) << "'";
  for (const auto c : r.get().getChanges()) {
    out << " " << schema::text(c.getParameter());
    if (c.getObject().size() && schema::text(c.getParameter()) != "job")
      out << "[" << schema::text(c.getObject()) << "]";
    if (c.getAttribute().size()) out << "." << schema::text(c.getAttribute());
    if (c.getResource().size()) out << "." << schema::text(c.getResource());
    out << " " << (c.getHadValue() ? schema::str(c.getBefore()) : "-") << "->";
    if (c.getAfterTexts().size())
      for (const auto t : c.getAfterTexts()) out << "[" << schema::text(t) << "]";
    else
      out << (c.getHasValue() ? schema::str(c.getAfter()) : "-");
  }
  for (const auto line : r.get().getLog()) out << " log:" << schema::text(line.getMessage());
  return out.str();
}

}  // namespace annals::test
