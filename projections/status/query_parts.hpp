// Parts of the answers to stat and select requests, for the sources that make these answers. Private to projections/status.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/context.hpp"
#include "events/values/pbs_error.hpp"
#include "projections/status/answer_in_parts.hpp"
#include "projections/status/effort.hpp"
#include "projections/status/privacy.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

inline bool history_allowed(const status& from) {
  return from.server().attributes.get(attributes::server::job_history_enable) == "True";
}

inline std::int64_t seconds_of(const status& from, std::int64_t now_ns) { return std::max(now_ns, from.wall_ns()) / 1'000'000'000; }

inline void refuse_whole(std::uint64_t id, std::uint64_t sequence, const values::refusal& why, const send_reply& send) {
  send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(id);
    r.setSequence(sequence);
    auto rejected = r.initRejected();
    rejected.setCode(why.code);
    rejected.setText(why.text);
  }));
}

// Which attributes go out: by what the requester may see and what was wanted. It lives no longer than the requester's viewer.
class filter {
 public:
  filter(schema::ObjectKind kind, const viewer& by, capnp::List<std::uint16_t>::Reader wanted);
  bool passes(attributes::attribute_id id) const { return id < shown_.size() && shown_[id]; }
  void leave_out(attributes::attribute_id id);
  // Appends what goes out of a row, packed, to `to`.
  void append(const attributes::attribute_set& row, std::string& to) const;
  // As others than its owner see a job (projections/status/privacy.hpp).
  void append_for_others(const attributes::attribute_set& row, std::string& to) const;
  std::string apply(const attributes::attribute_set& row) const;

 private:
  template <class HasOtherForm, class AppendOther>
  void append_runs(const attributes::attribute_set& row, std::string& to, const HasOtherForm& has_other_form,
                   const AppendOther& append_other) const;
  const viewer& by_;
  std::vector<char> shown_;  // by id; no vector<bool>, for it is asked of each attribute of each row
};

// Gathers rows and sends them in pieces.
class piecewise {
 public:
  piecewise(std::uint64_t id, std::uint64_t sequence, const send_reply& send) : id_(id), sequence_(sequence), send_(send) {}
  using fill_why = std::function<void(schema::JobWhy::Builder)>;
  // append_row(to) appends the row to what `to` has already. Gives the size of the row.
  template <class AppendRow>
  std::size_t add_made(std::string_view name, const AppendRow& append_row, fill_why why = {}) {
    const auto begin = packed_.size();
    append_row(packed_);
    const auto size = packed_.size() - begin;
    added(name, std::move(why));
    return size;
  }
  void add(std::string_view name, std::string_view packed) {
    add_made(name, [&](std::string& to) { to += packed; });
  }
  void unknown(std::string_view name, const values::refusal& why) { unknown_.emplace_back(name, why); }
  // Sends what has been gathered. `last`: the answer is complete.
  void flush(bool last);

 private:
  void added(std::string_view name, fill_why why);
  void send(bool last);
  void fill(schema::Objects::Builder objects) const;
  std::size_t words() const;
  std::uint64_t id_, sequence_;
  const send_reply& send_;
  struct row {
    std::size_t end, name_end;  // in packed_ and names_; it begins where the one before ends
    fill_why why;               // empty: nothing is said of it
  };
  std::vector<row> rows_;
  std::string packed_, names_;  // of all rows, one behind the other
  std::vector<std::pair<std::string, values::refusal>> unknown_;
};

// A list that is left and gone on with. `asked` lives as long as it.
class stat_list {
 public:
  virtual ~stat_list() = default;
  // Goes on while effort is left. False: the list is complete.
  virtual bool go_on(const status& from, piecewise& out, std::int64_t now_s, effort& left) = 0;
};
std::unique_ptr<stat_list> list_of_jobs(const status& from, schema::Stat::Reader asked, const model::requester& by);
// by_host: names are hosts, of each of which all vnodes are told.
std::unique_ptr<stat_list> list_of_nodes(const status& from, schema::Stat::Reader asked, const model::requester& by, bool by_host);

std::unique_ptr<answer_in_parts> begin_select(const status& from, const schema::sealed<schema::Request>& request,
                                              const model::requester& by);

}  // namespace annals::projections
