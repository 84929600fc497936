// The table of connections of libpbs, and what every call does around its work: find the connection, take its turn, turn what
// goes wrong into pbs_errno. No exception leaves the library. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "events/values/pbs_error.hpp"
#include "tools/client/session.hpp"
#include "tools/libpbs/attribute_errors.hpp"
#include "tools/libpbs/failure.hpp"
#include "tools/libpbs/given_text.hpp"

namespace annals::ifl {

struct connection {
  explicit connection(client::session s) : server(std::move(s)) {}
  std::mutex turn;
  client::session server;
  std::string error_text;  // of the last call; empty: it succeeded
  attribute_errors wrong;  // of the last call
};

void set_error(std::uint32_t code);
std::shared_ptr<connection> find_connection(int handle);  // null: there is none
failure current_failure();                                // inside a catch block: what was thrown
void note(connection& c, const failure& f);

// Runs work(connection); it answers a value, or throws failure. `failed` is the call's answer then.
template <class Answer, class Work>
Answer with_connection(int handle, Answer failed, Work&& work) noexcept {
  set_error(0);
  const auto c = find_connection(handle);
  if (!c) {
    set_error(values::pbs_error::bad_disconnect);
    return failed;
  }
  const std::lock_guard its_turn(c->turn);
  c->error_text.clear();
  c->wrong.clear();
  try {
    return work(*c);
  } catch (...) {
    note(*c, current_failure());
    return failed;
  }
}

// Runs work(), a part of with_connection's; when what it fails with is about one of these attributes, pbs_get_attribute_errors tells.
template <class List, class Work>
auto with_attributes(connection& c, const List* given, Work&& work) {
  try {
    return work();
  } catch (const failure& f) {
    c.wrong.find(given, f);
    throw;
  }
}

// A request without an answer but "done" or a refusal: 0 or the error number, as the integer calls of PBS have it.
int request(int handle, const client::request_fill& fill) noexcept;
// Its text (a new job's id). Throws failure for a refusal.
std::string done_text(const client::reply& answer);

}  // namespace annals::ifl
