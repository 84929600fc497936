// The calls that change jobs: one request each.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "events/values/hold_set.hpp"
#include "tools/client/hold_list.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/own_job.hpp"
#include "tools/client/release_request.hpp"
#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using ifl::text_of;

namespace {

// Runs a request for one job whose id must be well-formed; `attributes` are what it is about.
template <class Fill>
int for_job(int connect, const char* job, Fill&& fill, const attrl* attributes = nullptr) noexcept {
  const int answered = ifl::with_connection(connect, -1, [&](ifl::connection& c) {
    const auto name = client::parse_job_name(text_of(job), client::server_name());
    if (!name) throw ifl::failure{values::pbs_error::unknown_job, {}};
    return ifl::with_attributes(c, attributes, [&] {
      ifl::done_text(c.server.call([&](schema::Request::Builder r) { fill(r, name->id); }));
      return 0;
    });
  });
  return answered == 0 ? 0 : pbs_errno;
}

// Hold letters; null or "" are the user's hold.
int holds(int connect, const char* job, const char* letters, schema::JobHolds::Builder (*init)(schema::Request::Builder)) noexcept {
  return for_job(connect, job, [&](schema::Request::Builder r, const std::string& id) {
    const auto set = values::parse_hold_set(text_of(letters).empty() ? USER_HOLD : letters);
    if (!set) throw ifl::failure{values::pbs_error::invalid_request, {}};
    client::fill(init(r), id, *set);
  });
}

// "a+b" are two names; what stands between two '+' is one, even if it is nothing.
std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find('+', at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

client::release_request release_of(const std::string& nodes, const std::string& keep) {
  if (!nodes.empty() && !keep.empty())
    throw ifl::failure{values::pbs_error::invalid_request, "names of nodes and what is kept do not go together"};
  if (nodes.empty() && keep.empty()) return {};
  auto wanted = keep.empty() ? client::release_named(names_of(nodes)) : client::release_but(keep);
  if (!wanted) throw ifl::failure{wanted.error().code, wanted.error().text};
  return std::move(*wanted);
}

}  // namespace

extern "C" {

int pbs_alterjob(int connect, const char* job, struct attrl* attributes, const char*) {
  const auto fill = [&](schema::Request::Builder r, const std::string& id) {
    auto alter = r.initAlterJob();
    alter.setJob(id);
    unsigned count = 0;
    for (const attrl* a = attributes; a; a = a->next) ++count;
    auto list = alter.initChanges(count);
    unsigned i = 0;
    for (const attrl* a = attributes; a; a = a->next, ++i) {
      list[i].setName(text_of(a->name));
      list[i].setResource(text_of(a->resource));
      list[i].setValue(text_of(a->value));
      list[i].setOp(text_of(a->value).empty() ? schema::AttributeOp::UNSET : schema::AttributeOp::SET);
    }
  };
  return for_job(connect, job, fill, attributes);
}

int pbs_asyalterjob(int connect, const char* job, struct attrl* attributes, const char* extend) {
  return pbs_alterjob(connect, job, attributes, extend);
}

int pbs_holdjob(int connect, const char* job, const char* letters, const char*) {
  return holds(connect, job, letters, [](schema::Request::Builder r) { return r.initHoldJob(); });
}

int pbs_rlsjob(int connect, const char* job, const char* letters, const char*) {
  return holds(connect, job, letters, [](schema::Request::Builder r) { return r.initReleaseJob(); });
}

int pbs_runjob(int connect, const char* job, const char* location, const char*) {
  return for_job(connect, job, [&](schema::Request::Builder r, const std::string& id) {
    auto run = r.initRunJob();
    run.setJob(id);
    run.setExecVnode(text_of(location));
  });
}

int pbs_asyrunjob(int connect, const char* job, const char* location, const char* extend) {
  return pbs_runjob(connect, job, location, extend);
}

int pbs_rerunjob(int connect, const char* job, const char* extend) {
  return for_job(connect, job, [&](schema::Request::Builder r, const std::string& id) {
    auto rerun = r.initRerunJob();
    rerun.setJob(id);
    rerun.setForce(text_of(extend).find(FORCE) != std::string::npos);
  });
}

int pbs_movejob(int connect, const char* job, const char* destination, const char*) {
  return for_job(connect, job, [&](schema::Request::Builder r, const std::string& id) {
    auto m = r.initMoveJob();
    m.setJob(id);
    m.setDestination(text_of(destination));
  });
}

int pbs_sigjob(int connect, const char* job, const char* signal, const char*) {
  return for_job(connect, job, [&](schema::Request::Builder r, const std::string& id) {
    auto s = r.initSignalJob();
    s.setJob(id);
    s.setSignal(text_of(signal));
  });
}

int pbs_msgjob(int connect, const char* job, int file, const char* message, const char*) {
  return for_job(connect, job, [&](schema::Request::Builder r, const std::string& id) {
    auto m = r.initMessageJob();
    m.setJob(id);
    m.setText(text_of(message));
    m.setToErrors((file & MSG_ERR) != 0 || (file & MSG_OUT) == 0);
    m.setToOutput((file & MSG_OUT) != 0);
  });
}

int pbs_relnodesjob(int connect, const char* job, const char* nodes, const char* extend) {
  return for_job(connect, job, [&](schema::Request::Builder r, const std::string& id) {
    if (const auto why = client::why_not_several(id)) throw ifl::failure{why->code, why->text};
    client::fill(r.initReleaseNodes(), id, release_of(text_of(nodes), text_of(extend)));
    r.getReleaseNodes().setInJob(client::is_own_job(id));
  });
}

int pbs_orderjob(int connect, const char* job1, const char* job2, const char*) {
  return for_job(connect, job1, [&](schema::Request::Builder r, const std::string& id) {
    auto o = r.initOrderJobs();
    o.setFirst(id);
    const auto other = client::parse_job_name(text_of(job2), client::server_name());
    o.setSecond(other ? other->id : text_of(job2));
  });
}

}  // extern "C"
