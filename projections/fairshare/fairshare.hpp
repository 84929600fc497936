// The fairshare usage of each scheduler's entities: a fold of the log. Whoever folds the same records has the same numbers, to the
// last bit, whenever he asks; so usage is exact after any crash, and counting it again is folding it again.
//
// Counted is what each report of a job's usage adds to the report before, by the scheduler's formula, for the entity that the job
// has at that moment. Decay is no event: at every multiple of decay_seconds after the policy's event all usage is multiplied with
// decay_factor, and that is computed when somebody asks. Governed by docs/design/0042-fairshare.md.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "events/model/context.hpp"
#include "events/model/job/job.hpp"
#include "events/model/scheduler/fairshare.hpp"
#include "events/values/fairshare_entity.hpp"
#include "events/values/stored_state.hpp"
#include "events/values/usage_formula.hpp"

namespace annals::projections {

struct entity_usage {
  std::string entity;
  double usage = 0;
  bool operator==(const entity_usage&) const = default;
};

// Hears what happens to the usage of one entity, in the order of the log (fairshare_why.hpp).
class fairshare_listener {
 public:
  virtual ~fairshare_listener() = default;
  virtual void scaled(double factor) = 0;  // decays since what was heard before, together
  virtual void used(const model::job_state& job, double amount, std::int64_t wall_ns) = 0;
  virtual void set(double usage, const std::string& by, std::int64_t wall_ns) = 0;
  virtual void forgotten() = 0;
};

class fairshare {
 public:
  using visit_job = std::function<void(const model::job_state&)>;
  using each_job = std::function<void(const visit_job&)>;

  fairshare() = default;
  fairshare(fairshare&&) = default;  // and no copy: names of entities are looked up where they lie
  fairshare& operator=(fairshare&&) = default;

  // An event of a scheduler object; `jobs` visits the jobs that are that scheduler's and have a run (asked at a new policy).
  void fold(const model::event_place& at, const std::string& scheduler, schema::SchedulerEvent::Reader event, const each_job& jobs);
  // An event of a job, after the job took it in; `scheduler`: whose job it is. Cheap unless `wants(event)`.
  void fold(const model::event_place& at, const model::job_state& job, std::string_view scheduler, schema::JobEvent::Reader event);
  bool wants(schema::JobEvent::Reader event) const;

  // Times are those of somebody who asks, nanoseconds since 1970; before the last record's nothing decays.
  double usage(std::string_view scheduler, std::string_view entity, std::int64_t wall_ns) const;
  std::vector<entity_usage> usages(std::string_view scheduler, std::int64_t wall_ns) const;  // those there are, by name
  std::int64_t last_decay_ns(std::string_view scheduler, std::int64_t wall_ns) const;        // 0: never
  model::fairshare_policy policy(std::string_view scheduler) const;

  // What a scheduler has not been told yet (projections/scheduling): the usages that changed since it was told for the last time, or
  // `all` of them when each one did. `told` belongs to who asks; nothing while fairshare is off.
  struct told {
    std::uint64_t change = 0, upheaval = 0;
    std::int64_t period = 0;
  };
  struct news {
    bool all = false;
    std::vector<entity_usage> usages;
  };
  news news_for(std::string_view scheduler, std::int64_t wall_ns, told& told) const;

  // For one question about the past; null: nobody listens. What is asked decays to `at_the_end` when the fold is over.
  void listen(std::string scheduler, std::string entity, fairshare_listener* listener);
  void tell_decay_until(std::int64_t wall_ns);

  // All that was folded, for a checkpoint; who listens is no part of it.
  void store(stored::writer& to) const { to(tables_, tables_on_, counted_); }
  void restore(stored::reader& from) { from(tables_, tables_on_, counted_); }

 private:
  struct entity {
    std::string name;
    double usage = model::fairshare_usage_min;
    std::int64_t period = 0;   // up to which `usage` has decayed
    std::uint64_t change = 0;  // number of its last change
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.name, self.usage, self.period, self.change);
    }
  };
  using entities = std::list<entity>;  // the latest change last
  struct name_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  // The usage of one scheduler.
  struct table {
    std::uint64_t scheduler = 0;  // its stream
    model::fairshare_policy policy;
    values::fairshare_entity form = values::fairshare_entity::euser;
    values::usage_formula formula;
    std::int64_t began_ns = 0;  // of the policy: periods of decay are counted from here
    std::int64_t by_hand_ns = 0;
    entities all;
    std::unordered_map<std::string_view, entities::iterator, name_hash, std::equal_to<>> by_name;  // names live in `all`
    std::uint64_t changes = 0;
    std::uint64_t upheavals = 1;  // policy, decay by hand, trim: each usage is another one
    void store(stored::writer& to) const;
    void restore(stored::reader& from);
  };
  struct counted {
    std::uint32_t run = 0;
    double amount = 0;            // by the formula of this scheduler's table
    std::uint64_t scheduler = 0;  // its stream
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.run, self.amount, self.scheduler);
    }
  };

  const table* find(std::string_view scheduler) const;
  table& table_of(const model::event_place& at, const std::string& scheduler);
  static std::int64_t period_at(const table& t, std::int64_t wall_ns);
  static double decayed(const table& t, double usage, std::int64_t periods);
  static double usage_now(const table& t, const entity& e, std::int64_t period);
  double worth(const table& t, const model::job_state& job) const;
  void turn(table& t, bool on);
  void begin_policy(const model::event_place& at, const std::string& scheduler, table& t, schema::FairsharePolicy::Reader said,
                    const each_job& jobs);
  entity& touch(const std::string& scheduler, table& t, std::string_view name, std::int64_t wall_ns);
  void bring_up(const std::string& scheduler, const table& t, entity& e, std::int64_t period) const;
  void bring_all_up(const std::string& scheduler, table& t, std::int64_t wall_ns);
  void scale(const std::string& scheduler, const table& t, entity& e, double factor) const;
  bool heard(std::string_view scheduler, std::string_view entity) const;

  std::map<std::string, table, std::less<>> tables_;  // by scheduler
  std::size_t tables_on_ = 0;
  std::unordered_map<std::uint64_t, counted> counted_;  // by job's serial: what was counted of the run it has
  std::string heard_scheduler_, heard_entity_;
  fairshare_listener* listener_ = nullptr;
};

}  // namespace annals::projections
