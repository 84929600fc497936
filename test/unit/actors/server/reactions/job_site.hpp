// The server's jobs without its actors: their rules, the ledger, the log and the reactions that connect them. Orders wait until somebody
// carries them out, one by one, as messages on their way do: of one job in order, of several in any.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/server/reactions/reaction_set.hpp"
#include "events/log/place.hpp"
#include "events/model/settings_fold.hpp"
#include "test/support/folded_log.hpp"
#include "test/support/goes_on_alike.hpp"
#include "test/support/model_builders.hpp"

namespace annals::test {

class job_site {
 public:
  struct answer {
    bool accepted = false, changed = false;
    std::string text;
  };
  using given = reactions::reaction_set::given;

  job_site();
  void queue(const std::string& name, const given_values& attributes);
  void change_queue(const std::string& name, const given_values& attributes);

  answer submit(std::uint64_t number, const given_values& attributes, const std::string& queue);
  answer tell(std::uint64_t number, const model::job_command& command, const model::requester& by, const std::string& command_id = {},
              std::uint64_t cause = 0);
  // As the MoM of a run reports.
  template <class Fill>
  answer hears(std::uint64_t number, Fill fill_it) {
    const auto& job = this->job(number);
    return tell(number, test::report([&](auto m) { fill_it(m, job); }), the_server());
  }
  answer route(std::uint64_t number, const std::string& queue);

  bool known(std::uint64_t number) const { return streams_.contains(number); }
  const model::job_state& job(std::uint64_t number) const { return jobs_.at(streams_.at(number)); }
  std::size_t count() const { return streams_.size(); }
  std::uint64_t number_of(std::uint64_t stream) const;  // 0: it is no more

  // Orders that go out now are on their way from here on.
  std::size_t give_orders();
  std::vector<std::uint64_t> on_their_way() const;  // streams that are told something
  const given& first_order(std::uint64_t stream) const { return on_way_.at(stream).front(); }
  given next_order(std::uint64_t stream);
  void repeat_order(std::uint64_t stream) { on_way_.at(stream).push_back(on_way_.at(stream).front()); }
  void refused(const given& order) { reactions_->refused(order.name, clock.ns); }
  bool waits_for_nothing() const { return !reactions_->next_ns(clock.ns); }

  // The server dies and starts, from a checkpoint in the middle of the log: what is on its way is lost.
  void restart();
  const model::ledger& ledger() const { return ledger_; }

  virtual_clock clock;

 private:
  std::uint64_t write(std::uint64_t stream, model::event event);
  answer write(log::append what);
  void fold(const log::record& record);
  void fold_job(const log::record& record);
  void go_on_from(const std::string& checkpoint);

  log::memory_event_store store_;
  log::event_log log_{store_, clock};
  model::settings_fold settings_;
  model::ledger ledger_;
  std::unique_ptr<reactions::reaction_set> reactions_;
  std::map<std::uint64_t, model::job_state> jobs_;     // by stream
  std::map<std::uint64_t, std::uint64_t> streams_;     // by number, of those that are not forgotten
  std::map<std::string, std::uint64_t> queues_;        // their streams
  std::map<std::uint64_t, std::deque<given>> on_way_;  // by the stream that is told
};

}  // namespace annals::test
