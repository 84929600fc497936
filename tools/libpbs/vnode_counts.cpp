// pbs_rescquery: how many vnodes there are to have, by their states. Each vnode is counted once.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_error.h"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using ifl::text_of;

namespace {

struct counts {
  int available = 0, allocated = 0, reserved = 0, down = 0;

  // state: as pbsnodes shows it, perhaps several words with commas between them
  void add(std::string_view state) {
    bool has_jobs = false, has_reservation = false;
    for (std::size_t at = 0; at <= state.size();) {
      const auto end = std::min(state.find(',', at), state.size());
      const auto word = state.substr(at, end - at);
      if (word == ND_jobbusy || word == ND_jobexclusive) has_jobs = true;
      else if (word == ND_resv_exclusive) has_reservation = true;
      else if (word != ND_free) return void(++down);
      at = end + 1;
    }
    ++(has_reservation ? reserved : has_jobs ? allocated
                                             : available);
  }
};

// Throws failure.
void check_name(const std::string& name) {
  if (name == "nodes" || name == "nodes=") return;
  const bool asks_for_some = name.starts_with("nodes=");
  const auto why = asks_for_some
                       ? values::refuse_about(PBSE_NOSUP, "vnodes are counted, \"nodes\"; which of them a job gets the scheduler says")
                       : values::refuse_about(PBSE_UNKRESC, name);
  throw ifl::failure{why.code, why.text};
}

int check_names(int connect, char** names, int count) noexcept {
  const int answered = ifl::with_connection(connect, -1, [&](ifl::connection&) {
    if (count < 1 || !names) throw ifl::failure{PBSE_RMNOPARAM, "no names of resources"};
    for (int i = 0; i < count; ++i) check_name(text_of(names[i]));
    return 0;
  });
  return answered == 0 ? 0 : pbs_errno;
}

}  // namespace

extern "C" int pbs_rescquery(int connect, char** names, int count, int* available, int* allocated, int* reserved, int* down) {
  if (const int wrong = check_names(connect, names, count); wrong != 0) return wrong;
  char word[] = ATTR_NODE_state;
  attrl state{nullptr, word, nullptr, nullptr, SET};
  const std::unique_ptr<batch_status, void (*)(batch_status*)> vnodes(pbs_statvnode(connect, nullptr, &state, nullptr), pbs_statfree);
  if (pbs_errno != 0) return pbs_errno;
  counts all;
  for (const auto* v = vnodes.get(); v; v = v->next) all.add(v->attribs ? v->attribs->value : "");
  const std::array<std::pair<int*, int>, 4> answers{
      {{available, all.available}, {allocated, all.allocated}, {reserved, all.reserved}, {down, all.down}}};
  for (const auto& [into, number] : answers) std::fill_n(into, count, number);
  return 0;
}
