// What MoMs say: reports go to their jobs and are acknowledged when they are durable; runs that nobody wants any more are
// discarded. Part of the gateway's actor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hooks/mom_hook_routes.hpp"
#include "actors/gateway/hosts/hello_lines.hpp"
#include "actors/gateway/hosts/log_marks.hpp"
#include "actors/gateway/hosts/reported_vnodes.hpp"

namespace annals::actors {

class mom_routes {
 public:
  mom_routes(actor_registry& board, mom_hook_routes& hooks) : board_(board), hooks_(hooks) {}

  void on_message(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message) { lines_.put(said{peer, std::move(message)}); }
  void on_closed(const peer_closed& c) { lines_.put(c); }
  // A host that is no node any more is turned away, so that it says hello again when it is one. Jobs that have a run on a host which is
  // created anew post again what they owe it.
  void folded(const log::record& record);
  void on_missing(const run_missing& m);
  void on_discard_settled(const discard_settled& d);
  // Something of a run whose host has been away for too long: refused if that has said hello meanwhile. A hello that comes before the
  // job has answered waits for the answer. With a reply.
  void tell_job_while_away(const std::string& host, std::uint64_t number, envelope<model::job_command> e);
  // A host that is there learns at once that its run is no longer wanted, another with its next hello.
  void discard(const run_name& run, const std::string& on);
  // A message that is not kept for a host that is not there.
  bool is_here(const std::string& host) const { return here_.contains(host); }
  void tell(const std::string& host, const schema::sealed<schema::ToMom>& message) const {
    if (const auto at = here_.find(host); at != here_.end()) at->second->send(message);
  }
  // qterm -m: every MoM that is here, or comes meanwhile, ends. then: when they are gone, or have had their time.
  void stop_all(std::function<void()> then);
  using failed_scheduler = std::function<void(const std::string& host, schema::SchedulerFailed::Reader failed)>;
  void hear_failed_schedulers(failed_scheduler hear) { failed_scheduler_ = std::move(hear); }
  // Who has said its hello, and knows nothing that the log lacks.
  void hear_agreement(std::function<void(const std::string& host)> hear) { agreed_ = std::move(hear); }
  void on_marked(const log_marked& m) { marks_.on_marked(m, tell_all()); }
  void on_mark_timer() { marks_.on_timer(tell_all()); }

 private:
  using said = hello_lines::said;
  // In the order of the lines.
  void hear(said& s);
  void hear(const peer_closed& c);
  void route(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message);
  bool is_node(const wire::connection_ptr& peer);  // another one is turned away, and so is who is not
  bool is_itself(const wire::connection_ptr& peer, schema::MomHello::Reader hello) const;
  void on_hello(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message);
  void on_read(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message, hello_findings found);
  void on_host_created(const std::string& host);
  void on_given_up(const std::string& host);
  void host_is_rid(std::uint64_t serial, model::run_gone_from gone);
  struct foreign_runs {
    std::vector<run_name> unwanted, kept;
  };
  foreign_runs runs_unknown(schema::MomHello::Reader hello, const std::string& on, const hello_findings& found);
  log_marks::teller tell_all() const;
  void tell_to_end(const std::string& host, const wire::connection_ptr& peer);
  void look_whether_all_ended();
  void discarded(const std::string& on, schema::RunRef::Reader ref);
  void end_unwanted(schema::RunRef::Reader ref, const std::string& on);
  void report(const wire::connection_ptr& peer, schema::RunRef::Reader ref, schema::Ack::What what,
              const schema::sealed<schema::FromMom>& message);
  void answered_usage(schema::RunUsage::Reader told, const std::string& host);
  void on_want_blob(const wire::connection_ptr& peer, schema::WantBlob::Reader wanted);
  void send_blob(const wire::connection_ptr& peer, const run_name& of, const std::string& hash, std::uint64_t size);

  actor_registry& board_;
  mom_hook_routes& hooks_;
  log_marks marks_{board_};
  hello_lines lines_{[this](hello_lines::item&& what) { std::visit([this](auto& w) { hear(w); }, what); }};
  std::map<std::string, wire::connection_ptr> here_;  // hosts that said hello
  std::set<std::string> strangers_;                   // that are no nodes: the log has a line of each
  // Blobs that are being read: for each connection, run and blob once at a time, or a MoM could have the disk read without end.
  struct blob_request {
    std::uint64_t peer, serial;
    std::uint32_t run;
    std::string hash;
    auto operator<=>(const blob_request&) const = default;
  };
  std::set<blob_request> reading_;
  // A hello that comes while runs of its host are given up waits: what it is compared with is about to change.
  struct giving_up {
    std::size_t runs = 0;
    wire::connection_ptr peer;
    schema::sealed<schema::FromMom> hello;
    hello_findings found;
  };
  std::map<std::string, giving_up> giving_up_;
  reported_vnodes vnodes_{board_};
  failed_scheduler failed_scheduler_;
  std::function<void(const std::string& host)> agreed_;
  std::function<void()> ended_all_;  // empty: the MoMs are not to end, or nobody waits for it
};

}  // namespace annals::actors
