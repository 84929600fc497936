#include "tools/libpbs/connections.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>

#include "tools/client/job_ids.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

namespace annals::ifl {

namespace pbs_error = values::pbs_error;

namespace {

// Handles are small, positive and used again, as programs that count them expect.
class table {
 public:
  int add(std::shared_ptr<connection> c) {
    const std::lock_guard held(guard_);
    int handle = 1;
    while (open_.contains(handle)) ++handle;
    open_.emplace(handle, std::move(c));
    return handle;
  }
  std::shared_ptr<connection> find(int handle) {
    const std::lock_guard held(guard_);
    const auto at = open_.find(handle);
    return at == open_.end() ? nullptr : at->second;
  }
  bool remove(int handle) {
    const std::lock_guard held(guard_);
    return open_.erase(handle) > 0;
  }

 private:
  std::mutex guard_;
  std::map<int, std::shared_ptr<connection>> open_;
};

// Never destroyed: threads may use the library while the process ends.
table& connections() {
  static auto* all = new table;
  return *all;
}

}  // namespace

void set_error(std::uint32_t code) { pbs_errno = static_cast<int>(code); }

std::shared_ptr<connection> find_connection(int handle) { return connections().find(handle); }

failure current_failure() {
  try {
    throw;
  } catch (const failure& f) {
    return f;
  } catch (const client::session_error& e) {
    return {e.code, e.what()};
  } catch (const std::bad_alloc&) {
    return {pbs_error::system_error, "out of memory"};
  } catch (const std::exception& e) {
    return {pbs_error::protocol, e.what()};
  } catch (...) {
    return {pbs_error::internal, {}};
  }
}

void note(connection& c, const failure& f) {
  set_error(f.code);
  try {
    c.error_text = f.text.empty() ? std::string(values::pbs_error_text(f.code)) : f.text;
  } catch (const std::bad_alloc&) {
    c.error_text.clear();
  }
}

std::string done_text(const client::reply& answer) {
  const auto r = *answer;
  if (r.isRejected()) throw failure{r.getRejected().getCode(), schema::str(r.getRejected().getText())};
  if (!r.isDone()) throw failure{pbs_error::protocol, {}};
  return schema::str(r.getDone());
}

int request(int handle, const client::request_fill& fill) noexcept {
  const int answered = with_connection(handle, -1, [&](connection& c) {
    done_text(c.server.call(fill));
    return 0;
  });
  return answered == 0 ? 0 : pbs_errno;
}

}  // namespace annals::ifl

using namespace annals;

extern "C" {

int* __pbs_errno_location(void) {
  thread_local int number = 0;
  return &number;
}

char** __pbs_server_location(void) {
  thread_local char* name = nullptr;
  return &name;
}

int pbs_connect(const char* server) {
  thread_local std::string name;
  ifl::set_error(0);
  try {
    const auto given = ifl::text_of(server);
    name = given.empty() ? client::server_name() : given;
    pbs_server = name.data();
    return ifl::connections().add(std::make_shared<ifl::connection>(client::session::open(given)));
  } catch (...) {
    ifl::set_error(ifl::current_failure().code);
    return -1;
  }
}

int pbs_connect_extend(const char* server, const char* extend_data) {
  if (ifl::text_of(extend_data).empty()) return pbs_connect(server);
  ifl::set_error(ifl::pbs_error::no_support);
  return -1;
}

// A connection is a descriptor.
int pbs_query_max_connections(void) {
  ifl::set_error(0);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  return static_cast<int>(std::min<rlim_t>(files.rlim_cur, INT_MAX));
}

int pbs_disconnect(int connect) {
  ifl::set_error(0);
  if (ifl::connections().remove(connect)) return 0;
  ifl::set_error(ifl::pbs_error::bad_disconnect);
  return -1;
}

char* pbs_default(void) {
  thread_local std::string name;
  ifl::set_error(0);
  try {
    name = client::server_name();
    return name.data();
  } catch (...) {
    ifl::set_error(ifl::current_failure().code);
    return nullptr;
  }
}

char* pbs_geterrmsg(int connect) {
  const auto c = ifl::find_connection(connect);
  if (!c) return nullptr;
  const std::lock_guard its_turn(c->turn);
  return c->error_text.empty() ? nullptr : c->error_text.data();
}

// A table of texts that live as long as the library: PBS has them without const.
char* pbse_to_txt(int number) {
  if (number <= 0) return nullptr;
  const auto text = values::pbs_error_text(static_cast<std::uint32_t>(number));
  return text.empty() ? nullptr : const_cast<char*>(text.data());
}

struct ecl_attribute_errors* pbs_get_attribute_errors(int connect) {
  const auto c = ifl::find_connection(connect);
  if (!c) return nullptr;
  const std::lock_guard its_turn(c->turn);
  return c->wrong.told();
}

}  // extern "C"
