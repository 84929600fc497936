// How the server starts schedulers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "events/ports/scheduler_processes.hpp"

namespace annals::actors {

struct scheduler_hosting {
  ports::scheduler_processes* processes = nullptr;  // outlives the server's actors; null: the server starts none
  // Makes a certificate for the scheduler of this name, with its key: the PEM text of a daemon.pem. Called by helpers; may throw.
  std::function<std::string(const std::string& name)> certificate;
  // Connects to a scheduler's port: one that lives connects to the server then. Called by helpers; empty: nobody is called.
  std::function<void(const std::string& host, std::uint16_t port)> call = {};
};

}  // namespace annals::actors
