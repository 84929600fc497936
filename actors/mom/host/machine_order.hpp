// A run_order with what this machine knows filled in: the account, the directories, the site's scripts. Pure.
#pragma once

#include "actors/mom/host/account.hpp"
#include "actors/mom/host/order_file.hpp"
#include "events/ports/process_host.hpp"

namespace annals::mom {

struct machine {
  std::string mom_priv;
  std::string prologue, epilogue;  // empty: there is none
  std::string terminal;            // the program that owns the terminals of interactive jobs
};

shepherd_order order_on(const machine& here, const ports::run_order& order, const account& user);

}  // namespace annals::mom
