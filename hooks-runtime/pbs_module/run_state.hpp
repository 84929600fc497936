// What one run of a script has done so far: its input, and what will be in its Reply. There is one at a time, because a
// worker runs one script at a time; the Python objects find it through current().
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/resources.hpp"
#include "events/schema/message.hpp"
#include "hooks-runtime/catalog/events.hpp"
#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks {

// What does not change between the runs of a worker.
struct hook_home {
  std::string hook_name;
  std::string local_node;
  std::string configuration_file;  // path; empty: none
  std::vector<std::pair<std::string, std::string>> pbs_conf;
  attributes::resource_catalogue resources;
  bool on_mom = false;
  bool may_start_processes = true, may_use_network = true;  // by the sandbox
  std::string_view server_name() const;                     // PBS_SERVER of pbs.conf; empty: unknown
  std::uint64_t output_bytes_max = UINT64_MAX;
};

struct made_change {
  const char* parameter = "";  // of the catalogue
  std::string object;
  protocol::ObjectKind kind = protocol::ObjectKind::JOB;
  std::string attribute, resource;
  std::optional<std::string> before, after;
  std::vector<std::string> after_texts;
  bool only_on_reject = false;
};

class run_state {
 public:
  using asker = std::function<schema::sealed<protocol::Answer>(const schema::sealed<protocol::Question>&)>;
  struct line {
    std::uint32_t level;
    std::string job, message;
  };
  // Hears of each line when it is logged; the reply has them too.
  using line_taker = std::function<void(const line&)>;
  run_state(const hook_home& home, protocol::Request::Reader request, asker ask, line_taker said = {});
  ~run_state();
  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;

  const hook_home& home() const { return home_; }
  std::uint64_t serial() const { return serial_; }  // of this run in this process, from 1
  protocol::Request::Reader request() const { return request_; }
  const hook_event& event() const { return *event_; }

  void change(made_change&& what);  // one per attribute and object: the last value wins, the first "before" stays
  void log(std::uint32_t level, std::string job, std::string message);
  // The sandbox refuses it; `setting` of the configuration's annals_sandbox allows it. Each is told once, and some at most.
  void refused(const std::string& what, const char* setting);
  // Actions in the order of the script; each once.
  enum class act { rerun,
                   remove,
                   restart_cycle,
                   reboot };
  void action(act what, std::string text);
  void released(std::string job, std::string keep_select, std::vector<std::string> vnodes);
  void custom_resource(std::string name, std::string type);
  schema::sealed<protocol::Answer> ask(const schema::sealed<protocol::Question>& question);

  void accept() { rejected_ = false; }
  void reject(std::string message, int code);
  void fail(std::string message, std::string traceback);  // verdict error

  void write(protocol::Reply::Builder reply);

 private:
  struct done {
    act what;
    std::string text;
  };
  struct released_nodes {
    std::string job, keep_select;
    std::vector<std::string> vnodes;
  };
  // By what is changed.
  struct by_place {
    bool operator()(const made_change* a, const made_change* b) const;
  };
  struct asked {
    schema::sealed<protocol::Question> question;
    std::string answer_hash;
  };
  bool fits(std::size_t bytes);
  bool changes_fit() const;
  void write_actions(protocol::Reply::Builder reply) const;

  const hook_home& home_;
  std::uint64_t serial_;
  protocol::Request::Reader request_;
  const hook_event* event_;
  asker ask_;
  line_taker said_;
  std::deque<made_change> changes_;
  std::set<made_change*, by_place> change_at_;  // points into changes_
  std::vector<line> log_;
  std::set<std::string> refused_;
  std::vector<std::variant<done, released_nodes>> actions_;
  std::vector<asked> asked_;
  std::map<std::string, std::string> custom_;
  std::uint64_t bytes_ = 0;
  std::uint32_t log_dropped_ = 0;
  bool rejected_ = false, failed_ = false;
  std::string message_, traceback_;
  int code_ = 0;
};

// The run that is going on. Scripts can't run without one; a script's module-level code that was imported earlier can't
// reach it later, as each run has its own.
run_state* current();

}  // namespace annals::hooks
