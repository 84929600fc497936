// The calls about reservations but their status: one request each. What pbs_rsub would add from its own environment is added here
// when the attributes have none of it.
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "tools/client/reservation_options.hpp"
#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using ifl::text_of;

namespace {

namespace pbs_error = values::pbs_error;

std::string id_of(const char* reservation) {
  const auto name = client::parse_reservation_name(text_of(reservation), client::server_name());
  if (!name) throw ifl::failure{pbs_error::unknown_reservation, {}};
  return name->id;
}

std::vector<client::job_attribute> read(const attropl* attributes) {
  std::vector<client::job_attribute> out;
  for (const attropl* a = attributes; a; a = a->next)
    out.push_back({text_of(a->name), text_of(a->resource), text_of(a->value),
                   text_of(a->value).empty() ? schema::AttributeOp::UNSET : schema::AttributeOp::SET});
  return out;
}

void complete_variables(std::vector<client::job_attribute>& attributes) {
  for (const auto& a : attributes)
    if (a.name == ATTR_v) return;
  client::reservation_asker who;
  who.host = client::this_host();
  who.environment_value = client::own_environment;
  if (const passwd* user = getpwuid(getuid())) who.user = user->pw_name;
  attributes.push_back({ATTR_v, {}, client::reservation_variables(who)});
}

// The id in the answer, for free().
char* answered_id(const client::reply& answer) {
  const auto r = *answer;
  if (r.isRejected()) throw ifl::failure{r.getRejected().getCode(), schema::str(r.getRejected().getText())};
  if (!r.isReservation()) throw ifl::failure{pbs_error::protocol, {}};
  char* const id = strdup(r.getReservation().getReservation().cStr());
  if (!id) throw std::bad_alloc();
  return id;
}

}  // namespace

extern "C" {

char* pbs_submit_resv(int connect, struct attropl* attributes, const char*) {
  return ifl::with_connection(connect, static_cast<char*>(nullptr), [&](ifl::connection& c) {
    auto what = read(attributes);
    complete_variables(what);
    return ifl::with_attributes(c, attributes, [&] {
      return answered_id(c.server.call([&](schema::Request::Builder r) {
        auto s = r.initSubmitReservation();
        client::fill(s.initAttributes(static_cast<unsigned>(what.size())), what);
        s.setSubmitHost(client::this_host());
      }));
    });
  });
}

char* pbs_modify_resv(int connect, const char* reservation, struct attropl* attributes, const char* extend) {
  return ifl::with_connection(connect, static_cast<char*>(nullptr), [&](ifl::connection& c) {
    const auto id = id_of(reservation);
    const auto what = read(attributes);
    return ifl::with_attributes(c, attributes, [&] {
      return answered_id(c.server.call([&](schema::Request::Builder r) {
        auto a = r.initAlterReservation();
        a.setReservation(id);
        client::fill(a.initChanges(static_cast<unsigned>(what.size())), what);
        a.setForce(text_of(extend).find(FORCE) != std::string::npos);
      }));
    });
  });
}

int pbs_delresv(int connect, const char* reservation, const char*) {
  const int answered = ifl::with_connection(connect, -1, [&](ifl::connection& c) {
    const auto id = id_of(reservation);
    ifl::done_text(c.server.call([&](schema::Request::Builder r) { r.initDeleteReservation().setReservation(id); }));
    return 0;
  });
  return answered == 0 ? 0 : pbs_errno;
}

}  // extern "C"
