// What stat and select requests have in common. Private to projections/status.
#pragma once

#include "events/attributes/ids.hpp"
#include "events/values/pbs_error.hpp"
#include "projections/status/query.hpp"

namespace annals::projections {

inline bool history_allowed(const status& from) {
  return from.server().attributes.get(attributes::server::job_history_enable) == "True";
}

inline void refuse_whole(std::uint64_t id, std::uint64_t sequence, const values::refusal& why, const send_reply& send) {
  send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(id);
    r.setSequence(sequence);
    auto rejected = r.initRejected();
    rejected.setCode(why.code);
    rejected.setText(why.text);
  }));
}

// Of a select. Null: it is refused, or does not look through the history.
std::unique_ptr<answer_in_parts> begin_select(const status& from, const schema::sealed<schema::Request>& request,
                                              const model::requester& by);

}  // namespace annals::projections
