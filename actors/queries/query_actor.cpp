#include "actors/queries/query_actor.hpp"

#include <utility>

#include "actors/queries/queries.hpp"

namespace annals::actors {

namespace {

struct answering {
  followed_status status;
  std::unique_ptr<leading_part> leads;  // null: nobody does
  queries asked;

  answering(caf::event_based_actor* self, query_parts& parts)
      : status({std::move(parts.now), std::move(parts.index), std::move(parts.inbox), [self] { self->send(self, commits_wait{}); },
                std::move(parts.hurry)}),
        leads(parts.leading ? parts.leading(self, status) : nullptr),
        asked(self, status, std::move(parts.past), parts.clock, [this](const query& q) { return leads && leads->take(q); }) {
    if (leads) status.watch(*leads);
    status.watch(asked);
  }
};

}  // namespace

caf::behavior query_actor(caf::event_based_actor* self, query_parts parts) {
  self->set_exception_handler([stop = parts.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      stop(std::string("the status failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  const auto a = std::make_shared<answering>(self, parts);
  caf::message_handler questions{
      [=](const commits_wait&) { a->status.up_to_date([] {}); },
      [=](query& q) { a->status.up_to_date([&] { a->asked.receive(q); }); },
      [=](next_part_atom) { a->status.up_to_date([&] { a->asked.go_on(); }); },
      [=](view_wanted& w) { a->asked.receive(w); },
      [](const disk_state&) {},
  };
  return a->leads ? questions.or_else(a->leads->messages()) : questions;
}

}  // namespace annals::actors
