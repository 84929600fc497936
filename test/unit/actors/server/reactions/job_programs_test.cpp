// Random programs of all that jobs have to do with each other: dependencies of every type, arrays, holds, routing queues, deletions,
// reruns. Orders are carried out late, twice, or not before a restart. After each step the job that was spoken to, and at rest all of
// them, are what a plain model says (job_world.hpp). ANNALS_PROGRAM_SEEDS=n runs n programs, ANNALS_PROGRAM_SEED=s just one, and tells
// all of it as it goes.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <iostream>
#include <random>
#include <stdexcept>

#include "events/attributes/ids.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/job_id.hpp"
#include "test/unit/actors/server/reactions/job_site.hpp"
#include "test/unit/actors/server/reactions/job_world.hpp"

using namespace annals;
using namespace annals::test;
using values::dependency;
using values::dependency_type;
using number = job_world::number;
using stage = job_world::stage;
using model::job_phase;

namespace {

struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// As job_world::looks has it.
std::string looks(const model::job_state& job) {
  if (job.ended()) {
    const bool aborted = job.attribute(attributes::job::substate) == "92";
    return "F " + (job.has_exit_status ? std::to_string(job.exit_status) : aborted ? "aborted"
                                                                                   : "deleted");
  }
  const auto letter = model::state_letter(job);
  const bool unrun = job.phase <= job_phase::waiting && !(job.array && !job.array->began.empty());
  std::multiset<std::string> entries;
  for (const auto& d : values::parse_dependencies(model::shown_depend(job)).value_or(std::vector<dependency>())) {
    const auto entry = values::print({d});
    const bool told = values::is_before(d.type) && entries.contains(entry);
    if ((d.type != dependency_type::runone || unrun) && !told) entries.insert(entry);
  }
  std::string out(1, letter);
  out += " " + std::string(job.queue()) + " " + values::print(values::hold_set{job.holds});
  for (const auto& e : entries) out += " " + e;
  if (!job.array) return out;
  std::string running;
  for (const auto& [index, run] : job.array->running) running += (running.empty() ? "" : ",") + std::to_string(index);
  std::string remaining;
  job.array->remaining.each([&](std::uint32_t index) {
    remaining += (remaining.empty() ? "" : ",") + std::to_string(index);
    return true;
  });
  return out + " remaining " + (remaining.empty() ? "-" : remaining) + " running " + (running.empty() ? "-" : running);
}

model::proposed_run proposal(std::uint32_t index, bool by_hand) {
  model::proposed_run p{schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                          auto r = m.initRun();
                          r.setExecVnode("(borg:ncpus=1)");
                          r.setExecHost("borg/0");
                          r.initHosts(1).set(0, "borg");
                          r.setOfArray(index != 0);
                          r.setIndex(index);
                        }),
                        by_hand ? "" : "default"};
  p.asked = by_hand;
  return p;
}

class program {
 public:
  // In each third program there is little rest.
  program(unsigned seed, bool aloud) : random_(seed), aloud_(aloud), hasty_(seed % 3 == 0) {
    queue("workq", "Execution", {});
    queue("other", "Execution", {});
    queue("route", "Route", {"other", "workq"});
    queue("narrow", "Route", {"other"});
  }

  void run() {
    const auto steps = 40 + any(60);
    for (unsigned i = 0; i < steps; ++i) step();
    settle();
    end_all();
  }
  const std::vector<std::string>& story() const { return story_; }

 private:
  // -- words ---------------------------------------------------------------------------------------------------------------------

  unsigned any(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return any(n) == 0; }
  void say(const std::string& text) {
    story_.push_back(text);
    if (aloud_) std::cerr << text << "\n";
  }
  void expect(bool holds, const std::string& text) const {
    if (!holds) throw broken(text);
  }
  static std::string name(number n) {
    return values::is_subjob(n) ? std::to_string(values::array_of(n)) + "[" + std::to_string(values::index_of(n)) + "]" : std::to_string(n);
  }

  void queue(const std::string& called, const char* type, const std::vector<std::string>& destinations) {
    std::string list;
    for (const auto& d : destinations) list += (list.empty() ? "" : ",") + d;
    given_values values{{"queue_type", "", type}, {"enabled", "", "True"}, {"started", "", "True"}};
    if (!list.empty()) values.push_back({"route_destinations", "", list});
    site_.queue(called, values);
    world_.queues[called] = {!list.empty(), true, true, destinations};
  }

  // -- a step: what happens in both worlds -----------------------------------------------------------------------------------------

  void check_job(number n) {
    expect(world_.known(n) == site_.known(n), name(n) + (world_.known(n) ? " is there no more" : " is still there"));
    if (!world_.known(n)) return;
    const auto is = looks(site_.job(n)), expected = world_.looks(n);
    expect(is == expected, name(n) + " is " + is + ", not " + expected);
  }
  void check(const std::string& what, number n, bool may, const job_site::answer& a) {
    say(what + (a.accepted ? "" : ": " + a.text));
    expect(a.accepted == may, what + (may ? " is refused: " + a.text : " is accepted"));
    check_job(n);
    if (values::is_subjob(n)) check_job(values::array_of(n));
  }

  std::optional<number> some_job() {  // mostly one that is not over
    const bool live = any(10) > 0;
    return some_job([&](number, const auto& j) { return !live || j.is != stage::over; });
  }
  template <class Is>
  std::optional<number> some_job(Is is) {
    std::vector<number> all;
    for (const auto& [n, j] : world_.jobs)
      if (is(n, j)) all.push_back(n);
    if (all.empty()) return std::nullopt;
    return all[any(static_cast<unsigned>(all.size()))];
  }

  // Mostly one that is there and not over.
  number some_other() {
    if (one_in(6)) return 1 + any(static_cast<unsigned>(next_ + 1));
    return some_job([](number n, const auto& j) { return !values::is_subjob(n) && j.is != stage::over; }).value_or(1);
  }
  job_world::dependencies some_depend(number self) {
    job_world::dependencies all;
    for (auto left = any(4); left > 0; --left) {
      const auto type = one_in(5) ? dependency_type::on : static_cast<dependency_type>(any(10));
      if (type == dependency_type::on) {
        if (std::none_of(all.begin(), all.end(), [](const auto& d) { return d.type == dependency_type::on; }))
          all.push_back({type, {}, 1 + any(2)});
        continue;
      }
      const number other = some_other();
      if (other == self || other == next_) continue;
      const auto j = world_.jobs.find(other);
      bool brackets = j != world_.jobs.end() && j->second.size > 0;
      if (one_in(15) && type != dependency_type::runone) brackets = !brackets;
      const dependency d{type, job_world::target(other, brackets)};
      if (std::find(all.begin(), all.end(), d) == all.end()) all.push_back(d);
      if (world_.stops_array(all)) all.pop_back();
    }
    return all;
  }

  void step() {
    site_.clock.ns += second;
    switch (any(26)) {
      case 0:
      case 1:
      case 2:
      case 3: return submit();
      case 4:
      case 5:
      case 6: return run_one(one_in(5));
      case 7:
      case 8:
      case 9: return begin_one(one_in(5));
      case 10:
      case 11:
      case 12:
      case 13: return report();
      case 14: return hold();
      case 15: return alter();
      case 16: return move_one();
      case 17: return remove_one();
      case 18: return remove_some();
      case 19: return rerun();
      case 20: return one_in(3) ? change_queue() : purge();
      case 21:
      case 22: return carry_out_some();
      case 23:
      case 24: return hasty_ && any(6) > 0 ? carry_out_some() : settle();
      default: return one_in(3) ? restart() : carry_out_some();
    }
  }

  void submit() {
    const auto n = next_;
    const std::uint32_t size = one_in(3) ? 2 + any(3) : 0;
    const auto depend = any(5) < 3 ? some_depend(n) : job_world::dependencies();
    const std::uint8_t holds = one_in(6) ? job_world::hold::user : 0;
    const std::string to = one_in(4) ? "route" : one_in(8) ? "narrow"
                                             : one_in(6)   ? "other"
                                                           : "workq";
    given_values s{{"Hold_Types", "", holds ? "u" : "n"}};
    if (!depend.empty()) s.push_back({"depend", "", values::print(depend)});
    if (size) s.push_back({"array_indices_submitted", "", "1-" + std::to_string(size)});
    const auto a = site_.submit(n, s, to);
    const bool may = world_.submit(n, size, to, holds, depend);
    if (may || a.accepted) ++next_;
    check("qsub -q " + to + (holds ? " -h" : "") + (size ? " -J 1-" + std::to_string(size) : "") +
              (depend.empty() ? "" : " -W depend=" + values::print(depend)) + " -> " + name(n),
          n, may, a);
  }

  void run_one(bool by_hand) {
    const auto n = some_job([](number, const auto& j) { return j.is == stage::waits && j.size == 0; });
    if (n) run_job(*n, by_hand);
  }
  void run_job(number n, bool by_hand) {
    const auto a = site_.tell(n, proposal(0, by_hand), by_hand ? operator_() : the_scheduler());
    check((by_hand ? "qrun " : "run ") + name(n), n, world_.run(n, by_hand), a);
  }
  void begin_one(bool by_hand) {
    const auto n = some_job([](number, const auto& j) { return j.is == stage::waits && j.size > 0; });
    if (n) begin(*n, 1 + any(world_.jobs.at(*n).size), by_hand);
  }
  void begin(number n, std::uint32_t index, bool by_hand) {
    const auto a = site_.tell(n, proposal(index, by_hand), by_hand ? operator_() : the_scheduler());
    const bool may = world_.begin(n, index, by_hand);
    check((by_hand ? "qrun " : "run ") + name(n) + "[" + std::to_string(index) + "]", n, may, a);
    if (may) check_job(values::subjob_number(n, index));
  }

  void report() {
    const auto n = some_job([](number, const auto& j) { return j.is != stage::waits && j.is != stage::over; });
    if (!n) return;
    const auto& j = world_.jobs.at(*n);
    if (j.is == stage::exiting) return leaves(*n);
    if (j.is == stage::sent && one_in(6)) return refuses(*n);
    if (j.is == stage::sent && any(3) > 0) return starts(*n);
    static constexpr int codes[] = {0, 0, 0, 1, 1, -4, -40};
    exits(*n, j.delete_asked ? 271 : j.rerun_asked ? -11
                                                   : codes[any(7)]);
    if (any(3) > 0) leaves(*n);
  }
  void starts(number n) {
    const auto a = site_.hears(n, [](auto m, const auto& job) { fill(m.initRunStarted().initRef(), job, job.run); });
    check(name(n) + " starts", n, world_.starts(n), a);
  }
  void refuses(number n) {
    const auto a = site_.hears(n, [](auto m, const auto& job) {
      auto r = m.initRunRefused();
      fill(r.initRef(), job, job.run);
      r.setCode(-3);
    });
    check(name(n) + " is not started", n, world_.refuses(n), a);
  }
  void exits(number n, int status) {
    const auto a = site_.hears(n, [&](auto m, const auto& job) {
      auto x = m.initRunExited();
      fill(x.initRef(), job, job.run);
      x.setExitStatus(status);
      fill(x.initHosts(1), "borg", measured{});
    });
    check(name(n) + " exits " + std::to_string(status), n, world_.exits(n, status), a);
  }
  void leaves(number n) {
    const auto a = site_.hears(n, [](auto m, const auto& job) {
      auto l = m.initRunLeft();
      fill(l.initRef(), job, job.run);
      l.setDelivered(true);
    });
    check(name(n) + " leaves", n, world_.leaves(n), a);
  }

  std::optional<number> some_whole() {
    const bool live = any(10) > 0;
    return some_job([&](number n, const auto& j) { return !values::is_subjob(n) && (!live || j.is < stage::exiting); });
  }
  void hold() {
    const auto n = some_whole();
    if (!n) return;
    static constexpr std::pair<std::uint8_t, HoldType> types[] = {{job_world::hold::user, HoldType::USER},
                                                                  {job_world::hold::oper, HoldType::OPERATOR},
                                                                  {job_world::hold::system, HoldType::SYSTEM}};
    const auto& [bit, type] = types[any(3)];
    const auto letter = values::print(values::hold_set{bit});
    const auto action = any(5);
    if (action < 2)
      check("qhold -h " + letter + " " + name(*n), *n, world_.set_hold(*n, bit, true), site_.tell(*n, test::hold({type}), manager()));
    else if (action < 4) release(*n, type, bit);
    else
      check("qalter -h " + letter + " " + name(*n), *n, world_.set_all_holds(*n, bit),
            site_.tell(*n, test::alter({{"Hold_Types", "", letter}}), manager()));
  }
  void release(number n, HoldType type, std::uint8_t bit) {
    check("qrls -h " + values::print(values::hold_set{bit}) + " " + name(n), n, world_.set_hold(n, bit, false),
          site_.tell(n, test::release({type}), manager()));
  }
  void alter() {
    const auto n = some_whole();
    if (!n) return;
    const auto depend = some_depend(*n);
    setting change{"depend", "", depend.empty() ? "" : values::print(depend)};
    if (depend.empty()) change.op = schema::AttributeOp::UNSET;
    const auto a = site_.tell(*n, test::alter({change}), user());
    check("qalter -W depend=" + change.value + " " + name(*n), *n, world_.set_depend(*n, depend), a);
  }
  void move_one() {
    const auto n = some_whole();
    static constexpr const char* names[] = {"workq", "other", "route", "narrow"};
    const std::string to = names[any(4)];
    if (n) check("qmove " + to + " " + name(*n), *n, world_.move(*n, to), site_.tell(*n, test::move(to), user()));
  }

  void remove_one() {
    const auto n = some_job();
    if (!n) return;
    const bool force = one_in(4);
    const auto a = site_.tell(*n, test::remove(force), force ? operator_() : user());
    check(std::string("qdel ") + (force ? "-W force " : "") + name(*n), *n, world_.remove(*n, force), a);
  }
  std::optional<number> some_array() {
    return some_job([](number, const auto& j) { return j.size > 0; });
  }
  // Both ends are the array's.
  std::pair<std::string, std::set<std::uint32_t>> some_subjobs(number array) {
    const auto size = world_.jobs.at(array).size, first = 1 + any(size), last = first + any(size - first + 1);
    std::set<std::uint32_t> some;
    for (auto i = first; i <= last; ++i) some.insert(i);
    const auto range = first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
    return {std::to_string(array) + "[" + range + "].borg", some};
  }
  void remove_some() {
    const auto n = some_array();
    if (!n) return;
    const auto [id, some] = some_subjobs(*n);
    const auto a = site_.tell(*n, model::client_request{make_request([&](auto r) { r.initDeleteJob().setJob(id); })}, user());
    check("qdel " + id, *n, world_.remove_some(*n, some), a);
  }
  void rerun() {
    const auto n = one_in(2) ? some_array() : some_job([](number, const auto& j) { return j.is == stage::sent || j.is == stage::started; });
    if (!n) return;
    const auto& j = world_.jobs.at(*n);
    if (j.size == 0) {
      const bool force = one_in(4);
      const auto a = site_.tell(*n, test::rerun(force), operator_());
      return check(std::string("qrerun ") + (force ? "-W force " : "") + name(*n), *n, world_.rerun(*n, force), a);
    }
    auto [id, some] = some_subjobs(*n);
    const auto a =
        site_.tell(*n, model::client_request{make_request([&, named = id](auto r) { r.initRerunJob().setJob(named); })}, operator_());
    check("qrerun " + id, *n, world_.rerun_some(*n, some), a);
  }
  void purge() {
    const auto n = some_job([](number m, const auto& j) { return j.is == stage::over && !values::is_subjob(m); });
    if (n) check("qdel -x " + name(*n), *n, world_.purge(*n), site_.tell(*n, test::remove(false, true), user()));
  }
  void change_queue() {
    const bool starts = one_in(2);
    const std::string of = starts ? "route" : "other";
    auto& q = world_.queues.at(of);
    bool& is = starts ? q.started : q.enabled;
    set_queue(of, starts ? "started" : "enabled", is = !is);
  }
  void set_queue(const std::string& of, const char* what, bool is) {
    say("set queue " + of + " " + what + " = " + (is ? "True" : "False"));
    site_.change_queue(of, {{what, "", is ? "True" : "False"}});
  }

  // -- what the server does in its own time ------------------------------------------------------------------------------------------

  void carry_out_some() {
    site_.give_orders();
    for (auto left = 1 + any(4); left > 0 && !site_.on_their_way().empty(); --left) carry_out_one();
  }

  // True: something came of it.
  bool carry_out_one() {
    const auto all = site_.on_their_way();
    const auto stream = all[any(static_cast<unsigned>(all.size()))];
    if (one_in(8) && !is_awaited(stream)) site_.repeat_order(stream);
    const auto order = site_.next_order(stream);
    const auto n = site_.number_of(stream);
    bool changed = false, accepted = true;
    if (n != 0) {
      if (const auto* route = std::get_if<reactions::route_job>(&order.what->what)) accepted = changed = carry_out(n, *route);
      else changed = carry_out(n, std::get<reactions::tell_job>(order.what->what), order, accepted);
    }
    if (!accepted) site_.refused(order);
    return changed;
  }
  // Its answer is waited for: it is not given twice.
  bool is_awaited(std::uint64_t stream) { return site_.first_order(stream).what->given == reactions::order::repeat::until_accepted; }

  bool carry_out(number n, const reactions::route_job& route) {
    for (const auto& to : route.destinations) {
      if (!site_.route(n, to).accepted) continue;
      happens(name(n) + " is routed to " + to, n, world_.routes(n, to));
      return true;
    }
    return false;
  }
  void happens(const std::string& what, number n, bool due) {
    say("  " + what);
    expect(due, what + ", and should not");
    check_job(n);
  }

  bool carry_out(number n, const reactions::tell_job& what, const job_site::given& order, bool& accepted) {
    const auto a = site_.tell(n, what.command, what.by, order.command_id, order.what->cause);
    accepted = a.accepted;
    if (!a.changed && !a.text.starts_with("15014 ")) {  // what makes a circle is not counted
      last_useless_ = name(n) + ": " + order.what->target + (a.accepted ? "" : " (" + a.text + ")");
    }
    if (!a.changed) return false;
    if (const auto* told = std::get_if<model::dependency_told>(&what.command)) depends(n, *told);
    else if (const auto* left = std::get_if<model::subjob_told>(&what.command))
      happens(name(n) + " hears of " + std::to_string(left->index), n, world_.hears_of_subjob(n, left->index));
    else if (const auto* forget = std::get_if<model::forget_job>(&what.command))
      happens(name(n) + " is forgotten", n, forget->with_array ? world_.forgets(n) : world_.purge(n));
    else if (const auto r = std::get<model::client_request>(what.command).request.get(); r.isDeleteJob())
      happens(name(n) + " is to be deleted", n, world_.hears_deletion(n, r.getDeleteJob().getForce()));
    else happens(name(n) + " is to run again", n, world_.hears_rerun(n));
    return true;
  }
  void depends(number n, const model::dependency_told& told) {
    using what = model::dependency_told::what;
    const auto entry = values::print({told.other});
    switch (told.is) {
      case what::dependent: return happens(name(n) + " shows " + entry, n, world_.shows(n, told.other));
      case what::counted: return happens(name(n) + " counts " + entry, n, world_.counts(n, told.other));
      case what::met: return happens(name(n) + " has met " + entry, n, world_.hears_met(n, told.other));
      case what::failed:
      case what::unknown: return happens(name(n) + " is aborted for " + entry, n, world_.aborts(n, told.other));
      case what::held: return happens(name(n) + " is held for its set", n, world_.holds_for_set(n));
      case what::freed: return happens(name(n) + " is freed by its set", n, world_.frees_for_set(n));
    }
  }

  // Until nothing comes of anything any more, however long one waits.
  void settle() {
    say("settle");
    last_useless_.clear();
    for (int rounds = 0, quiet = 0; quiet < 2; ++rounds) {
      expect(rounds < 300, "there is no rest: " + last_useless_);
      if (quiet > 0) {
        site_.clock.ns += 31 * second;
        last_useless_.clear();
      }
      bool changed = false;
      site_.give_orders();
      while (!site_.on_their_way().empty()) changed |= carry_out_one();
      quiet = changed ? 0 : quiet + 1;
    }
    check_rest();
  }
  void check_rest() {
    const bool some_exit =
        some_job([](number, const auto& j) { return j.is == stage::exiting; }).has_value();  // they hear nothing of a rerun
    expect(last_useless_.empty() || some_exit, "this is told again and again, for nothing: " + last_useless_);
    for (const auto& [n, j] : world_.jobs) check_job(n);
    expect(site_.count() == world_.jobs.size(), "there are jobs that should not be");
    const auto amiss = world_.unrest();
    expect(amiss.empty(), amiss);
    for (const auto& [q, count] : world_.counts_of_queues())
      expect(site_.ledger().jobs_in_queue(q) == count, q + " has another number of jobs: " + std::to_string(count) + " expected");
  }
  void restart() {
    say("restart");
    site_.restart();
  }

  // -- all of it comes to an end --------------------------------------------------------------------------------------------------------

  void end_all() {
    for (const auto& [q, is] : std::map<std::string, job_world::queue>(world_.queues)) {
      if (!is.started) set_queue(q, "started", world_.queues.at(q).started = true);
      if (!is.enabled) set_queue(q, "enabled", world_.queues.at(q).enabled = true);
    }
    for (int rounds = 0; some_job([](number, const auto& j) { return j.is != stage::over; }); ++rounds) {
      expect(rounds < 60, "not all ends");
      for (const auto& [n, j] : std::map<number, job_world::job>(world_.jobs))
        if (world_.known(n)) further(n);
      settle();
    }
    site_.clock.ns += 20 * 24 * 3600 * second;
    settle();
    expect(world_.jobs.empty() && site_.count() == 0, "the history is not forgotten");
    expect(site_.waits_for_nothing(), "something is waited for");
    restart();
    settle();
  }
  void further(number n) {
    const auto& j = world_.jobs.at(n);
    if (j.is == stage::waits && j.holds != 0) {
      release(n, HoldType::USER, job_world::hold::user);
      release(n, HoldType::OPERATOR, job_world::hold::oper);
      release(n, HoldType::SYSTEM, job_world::hold::system);
    } else if (j.is == stage::waits && j.size == 0) {
      run_job(n, false);
    } else if (j.is == stage::waits && !j.remaining.empty()) {
      begin(n, *j.remaining.begin(), false);
    } else if (j.is == stage::sent || j.is == stage::started) {
      exits(n, j.delete_asked ? 271 : j.rerun_asked ? -11
                                                    : 0);
    } else if (j.is == stage::exiting) {
      leaves(n);
    }
  }

  std::mt19937 random_;
  bool aloud_, hasty_;
  job_site site_;
  job_world world_;
  number next_ = 1;
  std::vector<std::string> story_;
  std::string last_useless_;
};

std::optional<unsigned> number_given(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::optional(static_cast<unsigned>(std::stoul(text))) : std::nullopt;
}

void run_program(unsigned seed, bool aloud) {
  program p(seed, aloud);
  try {
    p.run();
  } catch (const std::exception& why) {
    constexpr std::size_t last = 20;
    std::string told;
    const auto& story = p.story();
    for (auto i = story.size() - std::min(last, story.size()); i < story.size(); ++i) told += story[i] + "\n";
    BOOST_FAIL("ANNALS_PROGRAM_SEED=" << seed << ": " << why.what() << "\n"
                                      << told);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_programs)

BOOST_AUTO_TEST_CASE(any_program_comes_to_what_a_plain_model_says) {
  if (const auto one = number_given("ANNALS_PROGRAM_SEED")) return run_program(*one, true);
  const auto last = number_given("ANNALS_PROGRAM_SEEDS").value_or(200);
  for (unsigned seed = 1; seed <= last; ++seed) run_program(seed, false);
}

BOOST_AUTO_TEST_SUITE_END()
