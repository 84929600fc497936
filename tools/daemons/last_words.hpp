// What daemons tell a local peer before they turn it away, or cut it off for a frame that is too large. The reply is to no request:
// its number is 0.
#pragma once

#include <vector>

#include "actors/link/wire/wire.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/tm.capnp.h"
#include "events/values/pbs_error.hpp"

namespace annals::daemons {

namespace detail {

// Who was turned away has asked one thing at most. A program that knows no replies to 0 takes this one for its answer.
inline std::vector<std::uint64_t> addressed_to(wire::refusal why) {
  return why == wire::refusal::no_room ? std::vector<std::uint64_t>{0, 1} : std::vector<std::uint64_t>{0};
}

}  // namespace detail

// To commands and libpbs.
inline std::vector<schema::sealed_message> server_last_words(wire::refusal why, const std::string& text) {
  std::vector<schema::sealed_message> all;
  for (const auto id : detail::addressed_to(why))
    all.push_back(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
      r.setId(id);
      auto rejected = r.initRejected();
      rejected.setCode(why == wire::refusal::no_room ? values::pbs_error::no_connections : values::pbs_error::protocol);
      rejected.setText(text);
    }));
  return all;
}

// To callers of TM.
inline std::vector<schema::sealed_message> mom_last_words(wire::refusal why, const std::string& text) {
  constexpr std::uint32_t system_error = 17000;  // of tm.h
  std::vector<schema::sealed_message> all;
  for (const auto question : detail::addressed_to(why))
    all.push_back(schema::make<schema::TmReply>([&](schema::TmReply::Builder r) {
      r.setQuestion(question);
      auto failed = r.initFailed();
      failed.setCode(system_error);
      failed.setText(text);
    }));
  return all;
}

}  // namespace annals::daemons
