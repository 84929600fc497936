// What users may expect of jobs that wait for each other, are arrays, are held, moved, deleted and run again: a plain model to compare the
// server's jobs with. It knows no events and no orders. Every method is one thing that happens and says whether that may be: what people
// and MoMs do, and, under "in its own time", what the server owes. When it owes nothing more, `unrest` says what is still amiss.
// Source: pbs guide, qsub "depend", "job arrays", "routing queues"; docs/design/0054-dependencies.md, 0057-job-arrays.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/dependency.hpp"

namespace annals::test {

class job_world {
 public:
  using number = std::uint64_t;  // of a job or an array; of a subjob values::subjob_number
  using dependency = values::dependency;
  using dependencies = std::vector<dependency>;

  struct queue {
    bool routes = false, enabled = true, started = true;
    std::vector<std::string> destinations = {};
  };
  struct hold {
    static constexpr std::uint8_t user = 1, oper = 2, system = 4;
  };
  enum class stage : std::uint8_t { waits,
                                    sent,  // to its MoM
                                    started,
                                    exiting,
                                    over };
  enum class fate : std::uint8_t { open,
                                   met,
                                   failed };
  struct condition {
    dependency d;
    fate is = fate::open;
  };
  struct job {
    std::uint32_t size = 0;  // an array: of 1 to size
    std::string queue;
    std::set<std::string> was_in;  // queues from which it may be routed until all is at rest
    std::uint8_t holds = 0;
    stage is = stage::waits;
    bool began = false;    // an array: a subjob did; else its MoM has said that it started
    bool was_run = false;  // and queued again: it may show more of its set than is left of that
    std::vector<condition> waits;
    std::set<std::string> shown, to_show;  // who waits for it: "beforeok:3.borg@borg"
    std::vector<dependency> to_count;      // who came before it: what it will wait for
    std::set<std::string> stale;           // entries that it has no longer, of which it may hear until all is at rest
    // Of a set of which one runs. What may be late, and what must have come when all is at rest.
    bool held_by_set = false, may_be_held = false, must_be_held = false, may_be_freed = false, lost_set = false;
    bool delete_asked = false, delete_forced = false, rerun_asked = false;
    std::optional<int> status;  // over: its exit status; exiting: that of its program
    bool aborted = false;
    // Of an array, by index.
    std::set<std::uint32_t> remaining, running, failed, deleting;
    struct news {
      bool returned = false, failed = false, held = false;
    };
    std::map<std::uint32_t, news> unheard;
    // Of a subjob: what its array was asked.
    bool to_delete = false, to_force = false, to_rerun = false;
  };

  std::map<std::string, queue> queues;
  std::map<number, job> jobs;  // until they are forgotten

  // -- what people do ------------------------------------------------------------------------------------------------------

  bool submit(number n, std::uint32_t size, const std::string& queue, std::uint8_t holds, const dependencies& depend);
  bool set_hold(number n, std::uint8_t holds, bool on);   // qhold, qrls, by who may
  bool set_all_holds(number n, std::uint8_t holds);       // qalter -h
  bool set_depend(number n, const dependencies& depend);  // qalter -W depend
  bool move(number n, const std::string& queue);          // qmove
  bool remove(number n, bool force);                      // qdel of a job, an array, or a subjob that runs
  bool remove_some(number array, std::set<std::uint32_t> some);
  bool rerun(number n, bool force);
  bool rerun_some(number array, std::set<std::uint32_t> some);
  bool purge(number n);  // qdel -x of what is over
  bool run(number n, bool by_hand);
  bool begin(number array, std::uint32_t index, bool by_hand);

  // -- what MoMs say: false, there is nothing that they could say it of ------------------------------------------------------

  bool starts(number n);
  bool refuses(number n);
  bool exits(number n, int status);
  bool leaves(number n);

  // -- in its own time ---------------------------------------------------------------------------------------------------------

  bool shows(number n, const dependency& other);
  bool counts(number n, const dependency& other);
  bool hears_met(number n, const dependency& other);
  bool aborts(number n, const dependency& other);
  bool holds_for_set(number n);
  bool frees_for_set(number n);
  bool hears_of_subjob(number array, std::uint32_t index);
  bool hears_deletion(number subjob, bool force);
  bool hears_rerun(number subjob);
  bool forgets(number subjob);
  bool routes(number n, const std::string& queue);

  // Empty: all that the server owes is done. What could be late until now no longer can.
  std::string unrest();

  // Whether of a set that these make more than one would run, and one of them an array: it could not go on.
  bool stops_array(const dependencies& depend);

  bool known(number n) const { return jobs.contains(n); }
  bool over(number n) const { return !known(n) || jobs.at(n).is == stage::over; }
  std::string looks(number n) const;  // "H workq s afterok:1.borg@borg"
  std::map<std::string, std::size_t> counts_of_queues() const;

  static std::string target(number n, bool is_array);  // "1[].borg@borg"

 private:
  job* find(number n);
  job* named(const dependency& d);
  static number number_of(const dependency& d);
  std::string own_target(number n) const { return target(n, jobs.at(n).size > 0); }

  fate look(number n, const dependency& d);
  void take_on(number n, const dependencies& depend);
  void take_on_one(number n, const dependency& d);
  std::string next_from(const std::string& queue) const;
  void begins(number n);
  void tell_after(number n);
  void ends(number n, std::optional<int> status, bool aborted = false);
  void end_of_run(number n);
  void end_array_if_over(number n);
  void wish_deletion(number array, const std::set<std::uint32_t>& some, bool force);
  bool may_wait_for(number n, const dependencies& depend, bool is_new) const;
  static bool has_waits(const job& j);

  struct set {
    std::vector<number> members;
    bool spent = false;  // one has run and is over
  };
  std::vector<set> sets_;
  set* set_of(number n);
  bool join(number n, number with);  // false: the one that ran is over
  void leave(number n, bool ran);
  bool other_runs(number n);
  bool is_blocked(number n);
  static bool runs(const job& j) { return j.is != stage::over && (j.is != stage::waits || j.began); }
  static bool is_unrun(const job& j) { return j.is == stage::waits && !j.began; }

  std::map<number, std::vector<number>> edges_;  // who waits for whom, of those that were not run
};

}  // namespace annals::test
