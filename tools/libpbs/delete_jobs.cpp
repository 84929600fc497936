// Deleting jobs: one, or many with their requests in flight at once, as qdel does.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tools/client/job_ids.hpp"
#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using ifl::text_of;

namespace {

// Requests in flight on one connection: enough to fill a batch of the log, few enough for the server's patience.
constexpr std::size_t in_flight_max = 64;

bool mentions(const char* extend, const char* word) { return text_of(extend).find(word) != std::string::npos; }

using failures = std::vector<ifl::failure>;  // by the place of the job in the list; code 0: it is deleted

void take_answer(ifl::connection& c, std::map<std::uint64_t, int>& asked, failures& failed) {
  const auto answer = c.server.receive();
  const auto at = asked.find((*answer).getId());
  if (at == asked.end()) return;
  if ((*answer).isRejected()) failed[at->second] = {(*answer).getRejected().getCode(), schema::str((*answer).getRejected().getText())};
  asked.erase(at);
}

failures delete_all(ifl::connection& c, const char* const* jobids, int numjobs, const char* extend) {
  failures failed(static_cast<std::size_t>(std::max(numjobs, 0)));
  std::map<std::uint64_t, int> asked;
  const auto own = client::server_name();
  for (int i = 0; i < numjobs; ++i) {
    const auto name = client::parse_job_name(text_of(jobids[i]), own);
    if (!name) {
      failed[i] = {values::pbs_error::unknown_job, {}};
      continue;
    }
    if (asked.size() >= in_flight_max) take_answer(c, asked, failed);
    const auto id = c.server.send([&](schema::Request::Builder r) {
      auto d = r.initDeleteJob();
      d.setJob(name->id);
      d.setForce(mentions(extend, FORCE));
      d.setPurgeHistory(mentions(extend, DELETEHISTORY));
    });
    asked[id] = i;
  }
  while (!asked.empty()) take_answer(c, asked, failed);
  return failed;
}

struct list_deleter {
  void operator()(batch_deljob_status* s) const { pbs_delstatfree(s); }
};

// In front of `behind`, which it owns in any case.
batch_deljob_status* link_of(const std::string& name, std::uint32_t code, batch_deljob_status* behind) {
  std::unique_ptr<batch_deljob_status, list_deleter> kept(behind);
  auto* made = static_cast<batch_deljob_status*>(std::calloc(1, sizeof(batch_deljob_status)));
  if (!made) throw std::bad_alloc();
  made->next = kept.release();
  kept.reset(made);
  made->code = static_cast<int>(code);
  made->name = ::strdup(name.c_str());
  if (!made->name) throw std::bad_alloc();
  return kept.release();
}

}  // namespace

extern "C" {

int pbs_deljob(int connect, const char* job, const char* extend) {
  const int answered = ifl::with_connection(connect, -1, [&](ifl::connection& c) {
    if (const auto failed = delete_all(c, &job, 1, extend); failed[0].code != 0) throw failed[0];
    return 0;
  });
  return answered == 0 ? 0 : pbs_errno;
}

struct batch_deljob_status* pbs_deljoblist(int connect, char** jobids, int numjobs, const char* extend) {
  return ifl::with_connection(connect, static_cast<batch_deljob_status*>(nullptr), [&](ifl::connection& c) {
    const auto failed = delete_all(c, jobids, numjobs, extend);
    batch_deljob_status* list = nullptr;
    for (auto i = failed.size(); i-- > 0;) {
      if (failed[i].code == 0) continue;
      list = link_of(text_of(jobids[i]), failed[i].code, list);
      ifl::note(c, failed[i]);  // the first one's stays
    }
    return list;
  });
}

void pbs_delstatfree(struct batch_deljob_status* status) {
  while (status) {
    batch_deljob_status* const next = status->next;
    std::free(status->name);
    std::free(status);
    status = next;
  }
}

}  // extern "C"
