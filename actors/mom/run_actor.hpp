// One run on this host. The rules are in events/model/run.hpp; here their effects: the shepherd, signals, usage, delivery
// of output, and reports to the server until it acknowledges.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "actors/mom/host/start_order.hpp"
#include "actors/runtime/shell.hpp"
#include "events/model/run.hpp"
#include "events/ports/process_host.hpp"

namespace annals::actors {

struct run_aggregate {
  using state = model::run_state;
  using command = model::run_command;
  static constexpr schema::StreamKind kind = schema::StreamKind::RUN;
  static model::outcome decide(const state& s, const command& c, const model::stamp& now, const model::site& site) {
    return model::decide(s, c, now, site);
  }
  static void apply(state& s, const model::event_place& at, schema::Event::Reader e) { model::apply(s, at, e); }
};

// -- between the runs and the MoM's actor ------------------------------------------------------------------------------------

struct to_server { schema::sealed<schema::FromMom> message; };     // sent if the server is there, else dropped
struct server_is_here {};                                          // a new connection: everything owed is told again
struct new_settings { std::shared_ptr<const mom::mom_settings> settings; };      // read again
struct poll_usage { std::uint32_t report_interval_s; };
struct want_script { std::string hash; std::string key; };
struct script_text { std::string text; bool missing = false; };
struct run_gone { std::string key; std::uint64_t job_serial; std::uint32_t run; };

struct mom_parts {
  shell_parts shell;
  ports::process_host* processes = nullptr;
  std::shared_ptr<const mom::mom_settings> settings;
};

class run_actor : public shell<run_aggregate> {
 public:
  run_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, std::string key, std::uint64_t stream, model::site_ptr site);

 protected:
  void on_change() override;
  caf::message_handler more_handlers() override;

 private:
  schema::StartRun::Reader order() const { return state().order.get().getStartRun(); }
  void perform(const model::run_effect& effect);
  void start();
  void kill(const model::kill_program& wish);
  void carry_out(const model::told_wish& wish);
  void place();
  void report();                                   // everything the server was not told, or has not acknowledged
  void poll(const poll_usage& p);
  void command(model::run_command c) { receive({std::move(c), {"pbs_mom", parts_.settings->host, schema::Role::MOM}, {}, nullptr, nullptr, {}, 0, {}}); }
  bool once(const std::string& what) { return did_.insert(what).second; }

  template <class Fill>
  void tell_server(Fill&& fill) { send(mom_, to_server{schema::make<schema::FromMom>(std::forward<Fill>(fill))}); }
  void fill_ref(schema::RunRef::Builder ref) const;
  static void fill_usage(const ports::run_usage& from, schema::Usage::Builder to);

  mom_parts parts_;
  caf::actor mom_;
  std::string key_;
  std::set<std::string> did_;                      // effects started in this life of the process
  std::set<schema::Ack::What> acknowledged_;
  std::optional<std::string> script_;
  std::uint64_t wishes_told_ = 0;                  // the server knows that they are done
  ports::run_usage told_;                          // last usage the server was told
  std::int64_t told_ns_ = 0;
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::envelope<annals::model::run_command>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::to_server)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_is_here)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::new_settings)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::poll_usage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::want_script)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::script_text)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::run_gone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::schema::Ack::What)
