#include "tools/client/job_requests.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tools/client/job_ids.hpp"
#include "tools/client/named_jobs.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/session.hpp"

namespace annals::client {

namespace {

// Requests in flight on one connection: enough to fill a batch of the log, few enough for the server's patience.
constexpr std::size_t in_flight_max = 64;

struct result {
  std::string line;  // for stderr; empty: nothing to say
  int status = 0;
};

result result_of(const job_requests& what, schema::Reply::Reader reply, const std::string& id) {
  if (!reply.isRejected()) return {};
  const auto r = reply.getRejected();
  const bool named = r.getCode() != pbs_error::job_has_finished || what.names_finished_job;
  return {refusal_line(what.command, r.getCode(), schema::text(r.getText()), named ? id : ""),
          exit_status(r.getCode())};
}

class conversation {
 public:
  conversation(const job_requests& what, std::span<const std::string> words) : what_(what), words_(words) {}

  int run() {
    const std::string own = server_name();
    for (const std::string& word : words_) {
      const auto name = parse_job_name(word, own);
      if (name && what_.each_once && !named_.add(name->server, name->id)) continue;
      if (name)
        ask(*name);
      else
        results_.push_back({std::string(what_.command) + ": illegally formed job identifier: " + word, 1});
    }
    while (!asked_.empty()) take_one();
    return print();
  }

 private:
  struct question {
    std::size_t index;
    std::string id;
  };

  // Jobs of another server than the one before: a new connection, once all is answered.
  void ask(const job_name& name) {
    if (!server_ || name.server != at_) {
      while (!asked_.empty()) take_one();
      server_ = std::make_unique<session>(session::with_first_request(name.server));
      at_ = name.server;
    }
    if (asked_.size() >= in_flight_max) take_one();
    const auto id = server_->send([&](schema::Request::Builder r) { what_.fill(r, name.id); });
    asked_[id] = {results_.size(), name.id};
    results_.emplace_back();
  }

  void take_one() {
    const reply r = server_->receive();
    const auto at = asked_.find((*r).getId());
    if (at == asked_.end()) return;
    results_[at->second.index] = result_of(what_, *r, at->second.id);
    asked_.erase(at);
  }

  int print() const {
    int status = 0;
    for (const result& r : results_) {
      if (!r.line.empty()) print_error("%s\n", r.line.c_str());
      if (r.status != 0) status = r.status;
    }
    return status;
  }

  const job_requests& what_;
  std::span<const std::string> words_;
  std::unique_ptr<session> server_;
  std::string at_;
  named_jobs named_;
  std::map<std::uint64_t, question> asked_;
  std::vector<result> results_;
};

}  // namespace

int request_for_each_job(const job_requests& what, std::span<const std::string> words) {
  return conversation(what, words).run();
}

}  // namespace annals::client
