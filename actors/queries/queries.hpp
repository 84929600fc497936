// Answers to what is asked of a status: of its present here, of a past moment by who reads the log (past_actor). A long list goes out in
// parts, and others are answered between them. Part of the query actor. Governed by docs/design/0008-status.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>

#include "actors/queries/followed_status.hpp"
#include "actors/queries/hook_views.hpp"
#include "actors/queries/long_answers.hpp"
#include "actors/server/messages.hpp"
#include "events/ports/clock.hpp"

namespace annals::actors {

// The next part of a long list is to be made.
using next_part_atom = caf::atom_constant<caf::atom("nextpart")>;

class queries final : public commit_watcher {
 public:
  // Who takes requests that are no questions to a status. False: they are not known.
  using take_other = std::function<bool(const query&)>;
  queries(caf::event_based_actor* self, followed_status& of, caf::actor past, const ports::clock* clock, take_other others)
      : self_(self), of_(of), past_(std::move(past)), clock_(clock), others_(std::move(others)) {}

  void receive(query& q);
  void receive(view_wanted& w);
  void go_on();  // next_part_atom came

  void folded(const log::record&) override {}
  void all_folded() override;
  bool waits() const override { return !early_.empty() || !early_views_.empty(); }

 private:
  const projections::status& now() const { return of_.now(); }
  void answer(const query& q);
  template <class Work>
  void answer_with(const query& q, Work&& work);
  bool make_part(const query& q, projections::answer_in_parts& rest, std::size_t rows);
  void answer_whole(const query& q);
  void answer_stat(const query& q, schema::Request::Reader request, const projections::send_reply& send);
  void look(const view_wanted& w);
  bool takes_long(schema::Stat::Reader asked) const;
  std::optional<schema::sealed<schema::Reply>> subjob_to_begin(schema::Stat::Reader asked) const;

  caf::event_based_actor* self_;
  followed_status& of_;
  const caf::actor past_;
  const ports::clock* clock_;
  const take_other others_;
  std::deque<query> early_;              // asked for a position not folded yet
  std::deque<view_wanted> early_views_;  // the same, for hooks
  long_answers in_parts_;
  bool goes_on_soon_ = false;  // next_part_atom is in the mailbox, or will be
};

}  // namespace annals::actors
