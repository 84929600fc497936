// How many unfinished jobs there are, how many of them are in state Q, and what they ask for: at the server and in each queue, of each
// user, group and project and of all together. Part of the ledger, a pure fold of the jobs' events, so that a restart counts the same.
// Governed by docs/design/0043-limits.md.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/schema/event/job.capnp.h"
#include "events/values/limit_table.hpp"

namespace annals::model {

// An amount of a resource as limits count it: whole kb, seconds, ten-thousandths of a number. Of a canonical text; nothing: it is no
// amount. Rounded up or down where it is not whole: what is asked up, what a limit allows down.
std::optional<std::int64_t> limit_amount(std::string_view text, bool up);

// Whom a job counts for.
struct job_owner {
  std::string_view user, group, project;
  std::string_view name(values::limit_kind kind) const;  // "" of all together
};

using resource_number = std::uint16_t;
struct asked_amount {
  resource_number resource;
  std::int64_t amount;
  bool operator==(const asked_amount&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.resource, self.amount);
  }
};

// What is remembered of a job until it ends.
struct counted_job {
  std::array<std::uint32_t, 2 * values::limit_kinds.size()> tallies{};  // numbers of its tallies: of the server, then of its queue
  std::vector<asked_amount> asked;
  std::uint8_t holds = 0;
  bool waits = false;    // for its execution time
  bool runs = false;     // from its assignment until it is queued again
  bool counted = false;  // false: not yet, or it has ended
  bool is_array = false;
  std::uint32_t weight = 1;  // of an array: subjobs that have not begun; those that have count for themselves
  bool in_q() const { return counted && !runs && holds == 0 && !waits; }
  bool operator==(const counted_job&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.tallies, self.asked, self.holds, self.waits, self.runs, self.counted, self.is_array, self.weight);
  }
};

class job_counts {
 public:
  __extension__ using sum = __int128;  // of any number of amounts
  struct asked_sums {
    sum all = 0, in_q = 0;
    bool operator==(const asked_sums&) const = default;
    // Half by half: events/values/stored_state.hpp knows no numbers of this width.
    void store(auto& to) const {
      for (const auto s : {all, in_q}) to(static_cast<std::int64_t>(s >> 64), static_cast<std::uint64_t>(s));
    }
    void restore(auto& from) {
      for (auto* s : {&all, &in_q}) {
        std::int64_t high = 0;
        std::uint64_t low = 0;
        from(high, low);
        *s = sum(high) << 64 | low;
      }
    }
  };
  struct tally {
    std::string place, name;
    values::limit_kind kind = values::limit_kind::all;
    std::uint64_t jobs = 0, in_q = 0;
    std::uint64_t holders = 0;      // that count here, some perhaps with no weight
    std::vector<asked_sums> asked;  // by number of the resource; shorter: nothing was asked
    bool operator==(const tally&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.place, self.name, self.kind, self.jobs, self.in_q, self.holders, self.asked);
    }
  };

  // The place: a queue's name, or "" for the server. nullptr: nobody there.
  const tally* find(std::string_view place, values::limit_kind kind, std::string_view name) const;
  std::size_t size() const { return tallies_.size() - free_.size(); }
  sum asked_of(const tally& t, std::string_view resource, bool in_q) const;
  job_owner owner_of(const counted_job& job) const;
  std::int64_t asked_by(const counted_job& job, std::string_view resource) const;  // 0: nothing

  void add(counted_job& job, std::string_view queue, const job_owner& owner);
  void remove(counted_job& job);
  // The job is another one from here on; `change` changes holds, waits and runs.
  template <class Change>
  void update(counted_job& job, Change&& change) {
    const bool before = job.in_q();
    change(job);
    if (job.in_q() != before) count_in_q(job, before ? -1 : +1);
  }
  void weigh(counted_job& job, std::uint32_t weight);
  void move(counted_job& job, std::string_view queue);
  void change_owner(counted_job& job, const job_owner& owner);
  void ask(counted_job& job, std::string_view resource, std::string_view value);  // "" or no amount: nothing of it
  bool operator==(const job_counts&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.places_, self.tallies_, self.free_, self.resources_);
  }

 private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  template <class T>
  using by_name = std::unordered_map<std::string, T, text_hash, std::equal_to<>>;
  using place = std::array<by_name<std::uint32_t>, values::limit_kinds.size()>;  // numbers of tallies

  std::uint32_t tally_at(std::string_view place, values::limit_kind kind, std::string_view name);
  void count(std::uint32_t tally_number, const counted_job& job, int sign);
  void count_all(const counted_job& job, std::size_t from, std::size_t to, int sign);
  void count_in_q(const counted_job& job, int sign);
  void find_tallies(counted_job& job, std::size_t from, std::string_view place, const job_owner& owner);
  void free_if_empty(std::uint32_t number);

  by_name<place> places_;
  std::deque<tally> tallies_;  // whose names stay where they are
  std::vector<std::uint32_t> free_;
  by_name<resource_number> resources_;
};

}  // namespace annals::model
