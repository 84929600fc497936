// What becomes of a job is told to those that depend on it (-W depend): who waits for it, that it was started or has ended, that it is not
// there. Their own rules decide (events/model/job/dependencies.cpp). What is owed is kept as it comes up, so that a hundred thousand jobs
// that wait for one cost no more than each for another one. Source: pbs guide, qsub, "depend". Governed by
// docs/design/0054-dependencies.md.
#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <unordered_map>

#include "actors/server/reactions/all.hpp"
#include "events/model/runone_sets.hpp"
#include "events/values/dense_map.hpp"
#include "events/values/dependency.hpp"
#include "events/values/job_id.hpp"

namespace annals::reactions {

namespace {

using told = model::dependency_told;
using values::dependency;
using values::dependency_type;

// Orders that are out: while some are being written, others are folded, and each commit looks at all of them. The next ones follow when
// half of them are done, so that they go to the log many at a time.
constexpr std::size_t at_once = 4096;

constexpr std::uint64_t no_job = UINT64_MAX;

class dependents final : public stored_reaction<dependents> {
 public:
  bool fold(const log::record& record) override {
    if (!record.event().isJob()) return false;
    const auto serial = record.get().getStream();
    const auto event = record.event().getJob();
    now_ = record.sequence();
    changed_ = false;
    if (!event.isQueued() && !numbers_.contains(serial)) return false;  // a subjob: its array is what others wait for
    if (event.isQueued()) on_queued(serial, event.getQueued());
    else if (event.isAltered()) on_altered(serial, event.getAltered().getChanges());
    else if (event.isAssigned()) on_assigned(serial);
    else if (event.isSubjobBegan()) on_subjob_began(serial);
    else if (event.isStarted()) on_started(serial);
    else if (event.isRequeued()) on_requeued(serial);
    else if (event.isHeld() && has_system(event.getHeld())) on_held(serial, event.getHeld(), record.get().getWho().getRole());
    else if (event.isReleased() && has_system(event.getReleased())) on_released(serial);
    else if (event.isEnded()) on_ended(serial, event.getEnded());
    else if (event.isForgotten()) forget(serial);
    return changed_;
  }

  std::vector<order_ptr> owed(const moment& at) override {
    by_ = {"root", at.settings.host_name, schema::Role::SERVER};
    std::vector<order_ptr> orders;
    orders.reserve(std::min(owed_.size(), at_once));
    const auto most = out_ > at_once / 2 ? out_ : at_once;
    for (auto o = owed_.begin(); o != owed_.end() && orders.size() < most; ++o) {
      if (!o->order) o->order = order_of(*o);
      orders.push_back(o->order);
    }
    out_ = orders.size();
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: of_job_, because it follows from owed_
    // not stored: out_, by_, because they are of the last look
    // not stored: now_, changed_, because each record sets them
    io(self.jobs_, self.numbers_, self.waiting_, self.waits_for_, self.sets_, self.names_, self.shows_, self.owed_, self.server_);
  }
  void restored() {
    out_ = 0;
    of_job_.clear();
    for (auto d = owed_.begin(); d != owed_.end(); ++d) of_job_[d->serial][{d->is, values::print({d->other})}] = d;
  }

 private:
  enum class progress : std::uint8_t { waits,
                                       assigned,
                                       started,  // its host has said so
                                       over };
  enum class end : std::uint8_t { good,
                                  bad,
                                  deleted,    // before it was run
                                  aborted };  // for its own dependency
  struct job {
    std::uint64_t serial : 56 = 0;
    progress is : 2 = progress::waits;
    end how : 2 = end::good;
    bool is_array : 1 = false;
    bool held : 1 = false;  // for its set, by an order of this reaction
    // In one number: there may be a million jobs.
    void store(stored::writer& to) const {
      to.number(std::uint64_t{serial} << 6 | static_cast<std::uint64_t>(is) << 4 | static_cast<std::uint64_t>(how) << 2 |
                std::uint64_t{is_array} << 1 | std::uint64_t{held});
    }
    void restore(stored::reader& from) {
      const auto n = from.number();
      serial = n >> 6;
      is = static_cast<progress>(n >> 4 & 3);
      how = static_cast<end>(n >> 2 & 3);
      is_array = (n >> 1 & 1) != 0;
      held = (n & 1) != 0;
    }
  };
  struct condition {
    dependency d;
    std::uint64_t number;  // of the other job; no_job: on, or there is none
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.d, self.number);
    }
  };
  struct waiting_job {
    std::string target;  // "13.borg@borg": as others show it
    std::vector<condition> on;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.target, self.on);
    }
  };
  struct deed {
    std::uint64_t cause, serial;
    told::what is;
    dependency other;
    order_ptr order{};  // made when it goes out first
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      // not stored: order, because it is made when it goes out
      io(self.cause, self.serial, self.is, self.other);
    }
  };
  using deeds = std::map<std::pair<told::what, std::string>, std::list<deed>::iterator>;  // of one job; with the entries' texts

  static bool has_system(schema::JobHeld::Reader e) {
    for (auto h : e.getHolds())
      if (h == schema::HoldType::SYSTEM) return true;
    return false;
  }

  // -- what is owed ------------------------------------------------------------------------------------------------------

  void owe(std::uint64_t serial, told::what is, const dependency& other) {
    const auto [at, fresh] = of_job_[serial].try_emplace({is, values::print({other})});
    if (!fresh) return;
    at->second = owed_.insert(owed_.end(), {now_, serial, is, other});
    changed_ = true;
  }
  bool is_owed(std::uint64_t serial, told::what is, const dependency& other) const {
    const auto all = of_job_.find(serial);
    return all != of_job_.end() && all->second.contains({is, values::print({other})});
  }
  // A hold may be there already: then nothing comes of it that could be folded.
  order_ptr order_of(const deed& d) const {
    const bool of_hold = d.is == told::what::held || d.is == told::what::freed;
    const bool of_end = (d.is == told::what::met || d.is == told::what::failed) && judges_end(d.other.type);
    return make_order(
        {.cause = d.cause,
         .target = "job " + std::to_string(d.serial) + " " + std::to_string(static_cast<int>(d.is)) + " " + values::print({d.other}),
         .what = tell_job{d.serial, told{d.is, d.other}, by_, {}, true},
         .given = of_hold ? order::repeat::until_accepted : order::repeat::until_folded,
         .remembered = !of_end});
  }
  // How a job ended stays as it is: told again, it finds its entry gone, or comes to the same.
  static bool judges_end(dependency_type type) {
    return type == dependency_type::afterok || type == dependency_type::afternotok || type == dependency_type::afterany;
  }
  template <class Which>  // of what is told, and the entry's text
  void settle_entries(std::uint64_t serial, Which which) {
    const auto all = of_job_.find(serial);
    if (all == of_job_.end()) return;
    for (auto d = all->second.begin(); d != all->second.end();)
      if (which(d->first)) d = settle(all->second, d);
      else ++d;
    if (all->second.empty()) of_job_.erase(all);
  }
  template <class Which>
  void settle(std::uint64_t serial, Which which) {
    settle_entries(serial, [&](const auto& told) { return which(told.first); });
  }
  deeds::iterator settle(deeds& of, deeds::iterator d) {
    if (d->second->order) --out_;
    owed_.erase(d->second);
    changed_ |= out_ <= at_once / 2;  // or else no other one goes out
    return of.erase(d);
  }
  // Who else is in its set: it has left it.
  void settle_set(std::uint64_t serial) {
    settle_entries(serial, [](const auto& told) { return told.first == told::what::dependent && is_of_set(told.second); });
  }
  static bool is_of_set(const std::string& entry) { return entry.starts_with("runone:"); }
  void settle_entry(std::uint64_t serial, const std::string& entry, std::initializer_list<told::what> by) {
    const auto all = of_job_.find(serial);
    if (all == of_job_.end()) return;
    for (const auto is : by)
      if (const auto d = all->second.find({is, entry}); d != all->second.end()) settle(all->second, d);
    if (all->second.empty()) of_job_.erase(all);
  }

  // -- jobs --------------------------------------------------------------------------------------------------------------

  job& job_of(std::uint64_t serial) { return jobs_.at(numbers_.at(serial)); }
  const job* find(std::uint64_t number) const {
    return jobs_.find(number);
  }

  // An array is named with its brackets, any other job without.
  std::uint64_t number_in(std::string_view job) const {
    const auto id = values::parse_job_id(job);
    if (!id || (id->form != values::id_form::job && id->form != values::id_form::array)) return no_job;
    const auto* known = find(id->number);
    return known && known->is_array != (id->form == values::id_form::array) ? no_job : id->number;
  }

  void on_queued(std::uint64_t serial, schema::JobQueued::Reader e) {
    if (values::is_subjob(e.getNumber())) return;
    numbers_.put(serial, e.getNumber());
    job j;
    j.serial = serial;
    j.is_array = e.getIndices().size() > 0;
    jobs_.put(e.getNumber(), j);
    if (server_.empty()) server_ = schema::str(e.getId()).substr(schema::text(e.getId()).find('.') + 1);
    for (auto a : e.getAttributes())
      if (a.getName() == "depend") begin_waiting(serial, schema::str(e.getId()), schema::text(a.getValue()));
  }

  void on_altered(std::uint64_t serial, capnp::List<schema::Attribute>::Reader changes) {
    for (auto c : changes) {
      if (c.getName() == "Hold_Types" && schema::text(c.getValue()).find('s') == std::string_view::npos) on_released(serial);
      if (c.getName() != "depend") continue;
      const auto text = schema::text(c.getValue());
      if (c.getOp() == schema::AttributeOp::INCREMENT) came(serial, schema::str(c.getValue()));
      else if (c.getOp() == schema::AttributeOp::DECREMENT) went(serial, schema::str(c.getValue()));
      else replace(serial, c.getOp() == schema::AttributeOp::UNSET ? std::string_view() : text);
    }
  }

  void begin_waiting(std::uint64_t serial, const std::string& id, std::string_view depend) {
    auto& w = waiting_[serial];
    w.target = id + "@" + id.substr(std::min(id.size(), id.find('.') + 1));
    w.on.clear();
    for (auto& d : values::parse_dependencies(depend).value_or(std::vector<dependency>())) {
      const auto number = number_in(d.job);
      if (d.type == dependency_type::runone) shows_[numbers_.at(serial)].insert(number);
      w.on.push_back({std::move(d), number});
    }
    const auto conditions = w.on;
    for (const auto& c : conditions) begin_waiting(serial, c);
  }

  void begin_waiting(std::uint64_t serial, const condition& c) {
    if (values::is_after(c.d.type)) return wait_for(serial, c.d, c.number);
    if (values::is_before(c.d.type)) return come_before(serial, c.d, c.number);
    if (c.d.type == dependency_type::runone) return join_set(serial, c.d, c.number);
  }

  void wait_for(std::uint64_t serial, const dependency& d, std::uint64_t number) {
    const auto* other = find(number);
    if (!other) return owe(serial, told::what::unknown, d);
    if (other->is == progress::over) return judge_late(serial, d, other->how);
    if (other->is == progress::started && d.type == dependency_type::after) return owe(serial, told::what::met, d);
    waits_for_[number].insert(serial);
    const dependency mirror{values::mirror_of(d.type), waiting_.at(serial).target};
    if (!said_before(other->serial, mirror)) owe(other->serial, told::what::dependent, mirror);
  }

  // An order may have been on its way while one of both left the set, or came back to it.
  void show_beside(std::uint64_t serial, const dependency& other) {
    const auto number = numbers_.at(serial), beside = number_in(other.job);
    shows_[number].insert(beside);
    if (!are_beside(number, beside) && job_of(serial).is != progress::over) owe(serial, told::what::met, other);
  }
  bool are_beside(std::uint64_t number, std::uint64_t beside) const {
    const auto all = sets_.others(number);
    return std::find(all.begin(), all.end(), beside) != all.end();
  }
  // What it waited for has gone, and its hold with that: another one of its set may run.
  void hold_again(std::uint64_t serial, const dependency& gone) {
    const auto number = numbers_.at(serial);
    if (gone.type != dependency_type::runone) {
      settle(serial, [](told::what is) { return is == told::what::held; });
      return hold_beside_runner(number);
    }
    const auto beside = number_in(gone.job);
    shows_[number].erase(beside);
    if (are_beside(number, beside)) owe(serial, told::what::dependent, as_runner(beside));
  }

  // Of a job that was not run.
  std::unordered_map<std::uint64_t, waiting_job>::const_iterator waiting(std::uint64_t serial) const {
    return jobs_.at(numbers_.at(serial)).is == progress::waits ? waiting_.find(serial) : waiting_.end();
  }

  // It asked for that itself, and shows it.
  bool said_before(std::uint64_t serial, const dependency& d) const {
    const auto w = waiting(serial);
    return w != waiting_.end() && std::any_of(w->second.on.begin(), w->second.on.end(), [&](const auto& c) { return c.d == d; });
  }

  void come_before(std::uint64_t serial, const dependency& d, std::uint64_t number) {
    const auto* other = find(number);
    if (!other || other->is == progress::over) return owe(serial, told::what::unknown, d);
    const dependency counted{values::mirror_of(d.type), waiting_.at(serial).target};
    if (counts_left(other->serial) > 0 && !said_before(other->serial, counted)) owe(other->serial, told::what::counted, counted);
  }

  std::size_t counts_left(std::uint64_t serial) const {
    const auto w = waiting(serial);
    if (w == waiting_.end()) return 0;
    std::size_t left = 0;
    for (const auto& c : w->second.on) left += c.d.count;
    const auto owed = of_job_.find(serial);
    if (owed == of_job_.end()) return left;
    const auto taken = static_cast<std::size_t>(
        std::count_if(owed->second.begin(), owed->second.end(), [](const auto& d) { return d.first.first == told::what::counted; }));
    return left - std::min(left, taken);
  }

  // qalter: what was there before no longer counts.
  void replace(std::uint64_t serial, std::string_view depend) {
    const auto number = numbers_.at(serial);
    const auto& known = job_of(serial);
    settle(serial, [](told::what is) { return is != told::what::dependent && is != told::what::freed; });
    settle_set(serial);
    leave_set(number);
    const auto w = waiting_.find(serial);
    if (w != waiting_.end()) {
      for (const auto& c : w->second.on) take_back_count(serial, c);
      w->second.on.clear();
    }
    if (!depend.empty() && known.is == progress::waits)
      begin_waiting(serial, known.is_array ? values::array_id(number, server_) : values::id_of_number(number, server_), depend);
    free_if_alone(serial);
  }

  // It no longer says that it comes before that one, which has not counted it yet.
  void take_back_count(std::uint64_t serial, const condition& c) {
    const auto* other = find(c.number);
    if (!other || !values::is_before(c.d.type)) return;
    settle_entry(other->serial, values::print({{values::mirror_of(c.d.type), waiting_.at(serial).target}}), {told::what::counted});
  }

  // An entry that was added: a job waits for this one, or took a count and is waited for.
  void came(std::uint64_t serial, const std::string& entry) {
    settle_entry(serial, entry, {told::what::dependent, told::what::counted});
    const auto all = values::parse_dependencies(entry);
    if (all && all->front().type == dependency_type::runone) show_beside(serial, all->front());
    const auto w = waiting_.find(serial);
    if (!all || w == waiting_.end() || !values::is_after(all->front().type)) return;
    const condition added{all->front(), number_in(all->front().job)};
    w->second.on.push_back(added);
    drop_uncounted(serial, w->second);
    begin_waiting(serial, added);
  }
  // An order that was on its way may have taken the last count: whoever came after that comes too late.
  void drop_uncounted(std::uint64_t serial, const waiting_job& w) {
    const auto all = of_job_.find(serial);
    if (all == of_job_.end()) return;
    std::set<std::pair<std::uint64_t, std::string>> owed;  // oldest first
    for (const auto& [what, deed] : all->second)
      if (what.first == told::what::counted) owed.emplace(deed->cause, what.second);
    std::size_t left = 0;
    for (const auto& c : w.on) left += c.d.count;
    for (; owed.size() > left; owed.erase(std::prev(owed.end())))
      settle_entry(serial, std::prev(owed.end())->second, {told::what::counted});
  }

  void went(std::uint64_t serial, const std::string& entry) {
    settle_entry(serial, entry, {told::what::met});
    const auto all = values::parse_dependencies(entry);
    if (all) hold_again(serial, all->front());
    const auto w = waiting_.find(serial);
    if (!all || w == waiting_.end()) return;
    auto& on = w->second.on;
    const auto& gone = all->front();
    const auto at = std::find_if(on.begin(), on.end(), [&](const condition& c) {
      return gone.type == dependency_type::on ? c.d.type == gone.type : c.d == gone;
    });
    if (at == on.end()) return;
    if (gone.type == dependency_type::on && at->d.count > gone.count) at->d.count -= gone.count;
    else on.erase(at);
  }

  // -- sets of which one job runs ----------------------------------------------------------------------------------------

  dependency as_runner(std::uint64_t number) const { return {dependency_type::runone, names_.at(number)}; }

  void join_set(std::uint64_t serial, const dependency& d, std::uint64_t with) {
    const auto number = numbers_.at(serial);
    const auto* other = find(with);
    if (!other) return owe(serial, told::what::unknown, d);
    if (other->is == progress::over) return owe(serial, told::what::failed, d);
    names_[with] = d.job;
    names_[number] = waiting_.at(serial).target;
    sets_.join(number, with);
    if (other->is != progress::waits) sets_.runs(with);
    auto members = sets_.others(number);
    members.push_back(number);
    for (const auto one : members)
      for (const auto another : members)
        if (one != another && !shows_[one].contains(another)) owe(jobs_.at(one).serial, told::what::dependent, as_runner(another));
    for (const auto one : members) hold_beside_runner(one);
    if (const auto runner = sets_.runner_beside(number); runner && !runs(*runner)) owe(serial, told::what::failed, d);
  }

  bool runs(std::uint64_t number) const {
    const auto* j = find(number);
    return j && (j->is == progress::assigned || j->is == progress::started);
  }
  void hold_beside_runner(std::uint64_t number) {
    const auto& j = jobs_.at(number);
    const auto runner = sets_.runner_beside(number);
    if (runner && runs(*runner) && j.is == progress::waits) owe(j.serial, told::what::held, as_runner(*runner));
  }

  // The others that still wait; who runs only forgets.
  void tell_set(std::uint64_t number, told::what is) {
    for (const auto other : sets_.others(number))
      if (const auto& j = jobs_.at(other); j.is == progress::waits || is == told::what::met) owe(j.serial, is, as_runner(number));
  }

  void leave_set(std::uint64_t number) {
    tell_set(number, told::what::met);
    sets_.leave(number);
    names_.erase(number);
    shows_.erase(number);
  }

  void on_requeued(std::uint64_t serial) {
    job_of(serial).is = progress::waits;
    wait_again(serial);
    const auto number = numbers_.at(serial);
    sets_.waits(number);
    for (const auto other : sets_.others(number)) {
      const auto beside = jobs_.at(other).serial;
      settle(beside, [](told::what is) { return is == told::what::held; });
      hold_beside_runner(other);  // there may be two: they ran before they came together
      free_if_alone(beside);
    }
    if (const auto runner = sets_.runner_beside(number); runner && !runs(*runner)) fail_with_set(serial);
    else free_if_alone(serial);
  }

  // It was run beside the one that ran.
  void fail_with_set(std::uint64_t serial) {
    for (const auto beside : shows_[numbers_.at(serial)])
      if (names_.contains(beside)) return owe(serial, told::what::failed, as_runner(beside));
  }

  // -- its holds -----------------------------------------------------------------------------------------------------------

  // What people and failed runs hold has a comment.
  void on_held(std::uint64_t serial, schema::JobHeld::Reader e, schema::Role by) {
    settle(serial, [](told::what is) { return is == told::what::held; });
    job_of(serial).held |= by == schema::Role::SERVER && e.getComment().size() == 0;
    free_if_alone(serial);
  }
  void on_released(std::uint64_t serial) {
    job_of(serial).held = false;
    settle(serial, [](told::what is) { return is == told::what::freed; });
  }
  void free_if_alone(std::uint64_t serial) {
    const auto number = numbers_.at(serial);
    if (job_of(serial).held && !sets_.runner_beside(number))
      owe(serial, told::what::freed, {dependency_type::runone, values::id_of_number(number, server_)});
  }

  // -- what becomes of the job that others wait for --------------------------------------------------------------------------

  template <class Judge>
  void tell_dependents(std::uint64_t number, Judge judge) {
    const auto all = waits_for_.find(number);
    if (all == waits_for_.end()) return;
    for (const auto serial : all->second) {
      const auto w = waiting_.find(serial);
      if (w == waiting_.end()) continue;
      for (const auto& c : w->second.on)
        if (c.number == number && values::is_after(c.d.type)) judge(serial, c.d);
    }
  }

  void on_assigned(std::uint64_t serial) {
    job_of(serial).is = progress::assigned;
    stop_waiting(serial);
    hold_set_of(serial);
    tell_begun(serial);
  }

  void hold_set_of(std::uint64_t serial) {
    sets_.runs(numbers_.at(serial));
    for (const auto other : sets_.others(numbers_.at(serial)))
      settle(jobs_.at(other).serial, [](told::what is) { return is == told::what::freed; });
    tell_set(numbers_.at(serial), told::what::held);
  }

  // An array begins with the first of its subjobs. If that was run by hand, the others still wait; it is not deleted any more for what
  // it waits for.
  void on_subjob_began(std::uint64_t serial) {
    if (job_of(serial).is != progress::waits) return;
    settle(serial, [](told::what is) { return is != told::what::dependent && is != told::what::met && is != told::what::freed; });
    hold_set_of(serial);
    on_started(serial);
  }

  // Who asked for it when it was on its way already.
  void on_started(std::uint64_t serial) {
    job_of(serial).is = progress::started;
    tell_begun(serial);
  }

  void tell_begun(std::uint64_t serial) {
    tell_dependents(numbers_.at(serial), [&](std::uint64_t other, const dependency& d) {
      if (d.type == dependency_type::after) owe(other, told::what::met, d);
    });
  }

  void on_ended(std::uint64_t serial, schema::JobEnded::Reader e) {
    auto& j = job_of(serial);
    const bool ran = e.getHasExitStatus() && j.is != progress::waits;  // a deleted array has an exit status in any case
    j.is = progress::over;
    j.how = ran ? (e.getExitStatus() == 0 ? end::good : end::bad) : e.getReason().size() > 0 ? end::aborted
                                                                                             : end::deleted;
    stop_waiting(serial);
    waiting_.erase(serial);
    settle(serial, [](told::what) { return true; });
    const auto how = j.how;
    const auto number = numbers_.at(serial);
    if (ran) tell_set(number, told::what::failed);
    else tell_set(number, told::what::met);
    sets_.leave(number);
    shows_.erase(number);
    // PBS leaves those held that wait for a job which was deleted before it ran.
    if (how != end::deleted) tell_dependents(number, [&](std::uint64_t other, const dependency& d) { judge(other, d, how); });
    waits_for_.erase(number);
  }

  void judge(std::uint64_t serial, const dependency& d, end how) {
    const bool ok = how == end::good;
    const bool is_met = d.type == dependency_type::afterany || (d.type == dependency_type::afterok && ok) ||
                        (d.type == dependency_type::afternotok && !ok);
    if (is_met) return owe(serial, told::what::met, d);
    if (job_of(serial).is == progress::waits && !is_owed(serial, told::what::met, d)) owe(serial, told::what::failed, d);
  }
  // It was over when it was named. That it ran is then enough for `after`.
  void judge_late(std::uint64_t serial, const dependency& d, end how) {
    if (d.type == dependency_type::after && (how == end::good || how == end::bad)) return owe(serial, told::what::met, d);
    judge(serial, d, how);
  }

  // While it runs; what it still waited for, when it was run by hand, it waits for again when it is queued again.
  void stop_waiting(std::uint64_t serial) {
    settle_entries(serial, [](const auto& told) {
      const bool forgets = told.first == told::what::met && is_of_set(told.second);
      return told.first != told::what::dependent && told.first != told::what::freed && !forgets;
    });
    const auto w = waiting_.find(serial);
    if (w == waiting_.end()) return;
    for (const auto& c : w->second.on)
      if (const auto all = waits_for_.find(c.number); all != waits_for_.end()) all->second.erase(serial);
  }
  void wait_again(std::uint64_t serial) {
    const auto w = waiting_.find(serial);
    if (w == waiting_.end()) return;
    for (auto& c : w->second.on) {
      if (!values::is_after(c.d.type)) continue;
      c.number = number_in(c.d.job);
      wait_for(serial, c.d, c.number);
    }
  }

  void forget(std::uint64_t serial) {
    names_.erase(numbers_.at(serial));
    jobs_.erase(numbers_.at(serial));
    numbers_.erase(serial);
  }

  values::dense_map<job> jobs_;                                           // by number, until they are forgotten
  values::dense_numbers numbers_;                                         // by serial
  std::unordered_map<std::uint64_t, waiting_job> waiting_;                // that have a depend and are not over: by serial
  std::unordered_map<std::uint64_t, std::set<std::uint64_t>> waits_for_;  // by number: serials of those that wait for it
  model::runone_sets sets_;
  std::unordered_map<std::uint64_t, std::string> names_;              // of jobs that are or were in one: "12.borg@borg"
  std::unordered_map<std::uint64_t, std::set<std::uint64_t>> shows_;  // which others of its set a job shows
  std::list<deed> owed_;                                              // oldest first
  std::size_t out_ = 0;                                               // of these, the first: their orders are made
  std::unordered_map<std::uint64_t, deeds> of_job_;                   // the same, by who is told
  std::string server_;                                                // as ids have it
  std::uint64_t now_ = 0;                                             // sequence of the record that is folded
  bool changed_ = false;
  model::requester by_;
};

}  // namespace

std::unique_ptr<reaction> dependencies() { return std::make_unique<dependents>(); }

}  // namespace annals::reactions
