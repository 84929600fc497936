// Opens the server's log if it is all that its witnesses know, and says otherwise what is missing.
// Governed by docs/design/0028-lost-logs.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "events/log/losses.hpp"
#include "events/ports/event_store.hpp"

namespace annals::daemons {

struct log_options {
  bool create = false;       // -t create
  bool accept_loss = false;  // --accept-loss
  std::string by, host;      // who starts the server
};

struct server_log {
  std::unique_ptr<ports::event_store> store;
  std::string identity;  // empty: a new log, which is to be given one
  std::optional<log::loss_to_accept> loss;
  bool is_copy = false;  // it was put there from a copy, or its mark is gone: others may know more of it
};

// Files of server_priv beside the log.
std::string mark_file(const std::string& priv);     // log.mark: how far the log is durable
std::string witness_file(const std::string& priv);  // log.witness: what a MoM knew and the log did not
std::string permit_file(const std::string& priv);   // log.create: pbs_habitat made this home, and it has had no log yet

// Throws std::runtime_error with lines for the administrator when the log must not be used. note: lines that keep nothing back.
server_log open_server_log(const std::string& priv, const log_options& options, const std::function<void(const std::string&)>& note);

// The log begins anew or its loss is written down, and the mark says so: what spoke of the former one goes.
void forget_former_log(const std::string& priv);

}  // namespace annals::daemons
