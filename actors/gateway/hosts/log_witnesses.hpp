// What the gateway needs to hear MoMs as witnesses of the log (log_marks.hpp).
#pragma once

#include <functional>
#include <string>

#include "actors/link/wire/signing.hpp"
#include "events/log/losses.hpp"

namespace annals::actors {

struct log_witnesses {
  std::string log;                                              // its identity; the server's start fills it in
  std::function<wire::signature(schema::byte_span text)> sign;  // of marks that MoMs keep; empty: they are told none
  // Whether a server of this cluster signed it; empty: what MoMs say is not heard.
  std::function<bool(schema::byte_span text, const std::string& signature, const std::string& certificate)> signed_by_us;
  // The log lacks what the witness knows: keeps its word for the next start and stops the server.
  std::function<void(const log::witness&, const std::string& text)> log_is_short;
  // The log was put there from a copy, or its mark is gone: hosts may know more, and are asked first. trusted: they have agreed, or had the
  // time to; may be empty.
  bool is_copy = false;
  std::function<void()> trusted = {};
  // Runs that the log does not know are discarded, also those that may be of a part that was lost.
  bool discard_unknown_runs = false;
};

}  // namespace annals::actors
