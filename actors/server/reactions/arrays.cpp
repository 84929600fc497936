// What becomes of a subjob is told to its array: that it has ended, or is the array's again. What is asked of an array as a whole, or of a
// range of its subjobs, is told to those that have begun: to end, or to be run again. When an array leaves the history its subjobs do.
// Governed by docs/design/0057-job-arrays.md.
#include <map>
#include <set>
#include <unordered_map>

#include "actors/server/reactions/all.hpp"
#include "events/log/place.hpp"
#include "events/model/job/failed_starts.hpp"
#include "events/values/job_indices.hpp"
#include "events/values/number.hpp"

namespace annals::reactions {

namespace {

using values::index_set;

constexpr std::size_t orders_at_once = 256;  // that are out: each commit looks at all of them

// Asked of a subjob by way of its array.
struct wish {
  std::uint64_t cause = 0;
  model::requester by;
  bool force = false, purge = false, no_mail = false;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.cause, self.by, self.force, self.purge, self.no_mail);
  }
};

struct subjob {
  std::uint64_t array = 0;  // its number
  std::uint32_t index = 0, run = 0;
  std::int64_t run_count = 0;
  bool ended = false;
  bool delete_seen = false, force_seen = false, rerun_seen = false;
  std::optional<wish> deletion, rerun;
  std::uint64_t forget_cause = 0;  // its array is forgotten; 0: it is not
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.array, self.index, self.run, self.run_count, self.ended, self.delete_seen, self.force_seen, self.rerun_seen, self.deletion,
       self.rerun, self.forget_cause);
  }
};

struct array {
  std::uint64_t serial = 0;
  values::index_range indices;
  std::map<std::uint32_t, std::uint64_t> subjobs;  // index -> stream, of those that are not forgotten
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.serial, self.indices, self.subjobs);
  }
};

struct news {
  std::uint64_t array = 0;  // its number
  model::subjob_told what;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.array, self.what);
  }
};

template <class Fill>
model::client_request request(Fill fill) {
  return {schema::make<schema::Request>(fill)};
}

class of_arrays final : public stored_reaction<of_arrays> {
 public:
  bool fold(const log::record& record) override {
    if (!record.event().isJob()) return false;
    const auto at = log::place_of(record);
    const auto event = record.event().getJob();
    if (event.isQueued()) return on_queued(at, event.getQueued());
    if (const auto s = subjobs_.find(at.stream); s != subjobs_.end()) return on_subjob(at, s->second, event);
    if (const auto a = array_of_serial_.find(at.stream); a != array_of_serial_.end()) return on_array(at, a->second, event);
    return false;
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    const model::requester server{"root", at.settings.host_name, schema::Role::SERVER};
    for (auto n = news_.begin(); n != news_.end() && orders.size() < orders_at_once; ++n)
      if (const auto a = arrays_.find(n->second.array); a != arrays_.end())
        orders.push_back(make_order({.cause = n->first,
                                     .target = "array " + std::to_string(a->second.serial) + " " + std::to_string(n->second.what.index),
                                     .what = tell_job{a->second.serial, n->second.what, server}}));
    for (auto b = busy_.begin(); b != busy_.end() && orders.size() < orders_at_once; ++b) give(*b, server, orders);
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.arrays_, self.array_of_serial_, self.subjobs_, self.news_, self.busy_);
  }

 private:
  bool on_queued(const model::event_place& at, schema::JobQueued::Reader e) {
    const auto number = e.getNumber();
    if (const auto indices = values::parse_index_range(schema::text(e.getIndices()))) {
      arrays_[number] = {at.stream, *indices, {}};
      array_of_serial_[at.stream] = number;
    }
    if (!values::is_subjob(number)) return false;
    auto& s = subjobs_[at.stream];
    s.array = values::array_of(number);
    s.index = values::index_of(number);
    s.run = e.getRuns() + 1;
    for (auto a : e.getAttributes())
      if (a.getName() == "run_count") s.run_count = values::parse_integer(schema::text(a.getValue())).value_or(0);
    arrays_[s.array].subjobs[s.index] = at.stream;
    return false;
  }

  // -- a subjob ----------------------------------------------------------------------------------------------------------

  bool on_subjob(const model::event_place& at, subjob& s, schema::JobEvent::Reader event) {
    if (event.isAssigned()) {
      ++s.run_count;
      return false;
    }
    if (event.isDeleteRequested()) {
      s.delete_seen = true;
      s.force_seen |= event.getDeleteRequested().getForce();
    } else if (event.isRerunRequested()) {
      s.rerun_seen = true;
    } else if (event.isEnded()) {
      on_ended(at, s, event.getEnded());
    } else if (event.isRequeued()) {
      on_requeued(at, s, event.getRequeued());
    } else if (event.isForgotten()) {
      forget(at.stream, s);
      return true;
    } else {
      return false;
    }
    look_at(at.stream, s);
    return true;
  }

  void on_ended(const model::event_place& at, subjob& s, schema::JobEnded::Reader e) {
    s.ended = true;
    news_[at.sequence] = {
        s.array, {.index = s.index, .run = s.run, .failed = !e.getHasExitStatus() || e.getExitStatus() != 0}};
  }

  void on_requeued(const model::event_place& at, subjob& s, schema::JobRequeued::Reader e) {
    if (e.getWaitUntil() > 0) --s.run_count;  // a start whose files could not be staged in is none
    news_[at.sequence] = {s.array,
                          {.index = s.index,
                           .run = s.run,
                           .requeued = true,
                           .run_count = s.run_count,
                           .held = e.getHolds().size() > 0 ? schema::str(e.getComment()) : std::string(),
                           .not_started = model::fails_start(e.getExitStatus()) || e.getWaitUntil() > 0,
                           .comment = schema::str(e.getComment())}};
  }

  void forget(std::uint64_t serial, const subjob& s) {
    busy_.erase(serial);
    if (const auto a = arrays_.find(s.array); a != arrays_.end()) {
      if (const auto at = a->second.subjobs.find(s.index); at != a->second.subjobs.end() && at->second == serial)
        a->second.subjobs.erase(at);
      drop_if_over(a);
    }
    subjobs_.erase(serial);
  }

  // -- an array ----------------------------------------------------------------------------------------------------------

  bool on_array(const model::event_place& at, std::uint64_t number, schema::JobEvent::Reader event) {
    auto& a = arrays_.at(number);
    if (event.isSubjobLeft()) {
      settle(number, event.getSubjobLeft());
    } else if (event.isSubjobsAsked()) {
      on_asked(at, a, event.getSubjobsAsked());
    } else if (event.isDeleteRequested()) {
      const auto e = event.getDeleteRequested();
      for (const auto& [index, serial] : a.subjobs)
        wish_deletion(serial, {at.sequence, at.by, e.getForce(), e.getPurgeHistory(), e.getNoMail()});
    } else if (event.isEnded()) {
      std::erase_if(news_, [&](const auto& n) { return n.second.array == number; });
    } else if (event.isForgotten()) {
      on_forgotten(at, number);
    } else {
      return false;
    }
    return true;
  }

  void settle(std::uint64_t number, schema::SubjobLeft::Reader e) {
    for (auto n = news_.begin(); n != news_.end(); ++n)
      if (n->second.array == number && n->second.what.index == e.getIndex() && n->second.what.run == e.getRun()) {
        news_.erase(n);
        return;
      }
  }

  void on_asked(const model::event_place& at, const array& a, schema::SubjobsAsked::Reader e) {
    const auto asked = index_set::parse(schema::text(e.getIndices()), a.indices).value_or(index_set(a.indices));
    for (const auto& [index, serial] : a.subjobs) {
      if (!asked.has(index)) continue;
      if (!e.getRerun()) {
        wish_deletion(serial, {at.sequence, at.by, e.getForce(), false, e.getNoMail()});
      } else {
        auto& s = subjobs_.at(serial);
        s.rerun = wish{at.sequence, at.by, e.getForce()};
        look_at(serial, s);
      }
    }
  }

  void wish_deletion(std::uint64_t serial, wish what) {
    auto& s = subjobs_.at(serial);
    s.deletion = std::move(what);
    s.rerun.reset();
    look_at(serial, s);
  }

  void on_forgotten(const model::event_place& at, std::uint64_t number) {
    const auto a = arrays_.find(number);
    array_of_serial_.erase(at.stream);
    for (const auto& [index, serial] : a->second.subjobs) {
      auto& s = subjobs_.at(serial);
      s.forget_cause = at.sequence;
      look_at(serial, s);
    }
    a->second.serial = 0;
    drop_if_over(a);
  }

  using arrays_by_number = std::unordered_map<std::uint64_t, array>;
  void drop_if_over(arrays_by_number::iterator a) {
    if (a->second.serial == 0 && a->second.subjobs.empty()) arrays_.erase(a);
  }

  // -- what a subjob is owed -----------------------------------------------------------------------------------------------

  static bool owes_deletion(const subjob& s) {
    return s.deletion && !s.ended && (!s.delete_seen || (s.deletion->force && !s.force_seen));
  }
  static bool owes_rerun(const subjob& s) { return s.rerun && !s.ended && !s.rerun_seen && !s.delete_seen; }

  void look_at(std::uint64_t serial, const subjob& s) {
    if (owes_deletion(s) || owes_rerun(s) || (s.forget_cause != 0 && s.ended)) busy_.insert(serial);
    else busy_.erase(serial);
  }

  void give(std::uint64_t serial, const model::requester& server, std::vector<order_ptr>& orders) const {
    const auto& s = subjobs_.at(serial);
    const auto order_for = [&](const char* to_do, std::uint64_t cause, model::job_command what, const model::requester& by) {
      orders.push_back(make_order(
          {.cause = cause, .target = std::string(to_do) + " " + std::to_string(serial), .what = tell_job{serial, std::move(what), by}}));
    };
    if (s.forget_cause != 0 && s.ended) return order_for("forget", s.forget_cause, model::forget_job{true}, server);
    if (owes_deletion(s))
      return order_for("delete", s.deletion->cause, request([&](schema::Request::Builder r) {
                         auto d = r.initDeleteJob();
                         d.setForce(s.deletion->force);
                         d.setPurgeHistory(s.deletion->purge);
                         d.setNoMail(s.deletion->no_mail);
                       }),
                       s.deletion->by);
    order_for("rerun", s.rerun->cause, request([&](schema::Request::Builder r) { r.initRerunJob().setForce(s.rerun->force); }),
              s.rerun->by);
  }

  arrays_by_number arrays_;                                           // by number, until they and all their subjobs are forgotten
  std::unordered_map<std::uint64_t, std::uint64_t> array_of_serial_;  // serial -> number
  std::unordered_map<std::uint64_t, subjob> subjobs_;                 // by serial, until they are forgotten
  std::map<std::uint64_t, news> news_;                                // that arrays have not taken in, by the sequence of what happened
  std::set<std::uint64_t> busy_;                                      // subjobs that are owed an order
};

}  // namespace

std::unique_ptr<reaction> arrays() { return std::make_unique<of_arrays>(); }

}  // namespace annals::reactions
