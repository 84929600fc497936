// Who holds what on which vnode: a fold over JobAssigned and VnodeHandedBack. The ledger checks new assignments against
// it, pbsnodes prints it, the scheduler sees it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "events/schema/event.capnp.h"
#include "events/schema/message.hpp"

namespace annals::model {

// An amount of a resource: sizes in kb, everything else as a number.
struct amount {
  double value = 0;
  bool is_size = false;
  std::string print() const;            // "2", "1024kb", "0.5"
  bool operator==(const amount&) const = default;
};
using amounts = std::map<std::string, amount, std::less<>>;
// Reads "2", "1gb", "0.5". Text that is no number: nothing is assigned of it, `ok` is false.
amount read_amount(std::string_view text, bool* ok = nullptr);

// How one vnode may be used by a job (pbs guide: sharing).
enum class hold_kind : std::uint8_t { shared, exclusive };
hold_kind hold_of(std::string_view place, std::string_view sharing);

struct vnode_job {
  std::uint64_t job = 0;                // serial
  std::string id;
  std::string host;
  std::vector<std::uint32_t> slots;     // cpu slots; {one} too for a part without cpus
  amounts held;
  bool exclusive = false;
  bool operator==(const vnode_job&) const = default;
};

struct vnode_use {
  amounts assigned;
  std::vector<vnode_job> jobs;          // in the order they came
  std::int64_t last_used_s = 0;         // when the last job left
  std::vector<std::string> maintenance; // ids of jobs that an administrator suspended on it
  bool exclusive() const;
  bool operator==(const vnode_use&) const = default;
};

class assignment_book {
 public:
  // sharing_of(vnode) and host_of(vnode) tell what the book does not keep; an unknown vnode has sharing "" and its own name.
  struct vnode_facts { std::string_view host; std::string_view sharing; };
  template <class Facts>
  void assign(std::uint64_t job, std::string_view id, schema::JobAssigned::Reader e, Facts&& facts) {
    for (auto& part : parts_of(schema::text(e.getExecVnode()))) add(job, id, schema::text(e.getPlace()), part, facts(part.vnode));
  }
  // A suspended job gives up what it holds, or a part of it; a resumed one takes it again.
  void suspend(std::uint64_t job, std::string_view id, schema::JobSuspended::Reader e);
  template <class Facts>
  void resume(std::uint64_t job, std::string_view id, schema::JobResumed::Reader e, Facts&& facts) {
    if (e.getAdmin()) end_maintenance(id);
    if (e.getPartly()) return change_held(job, schema::text(e.getTaken()), +1);
    for (auto& part : parts_of(schema::text(e.getTaken()))) add(job, id, schema::text(e.getPlace()), part, facts(part.vnode));
  }
  // Everything the job holds on that host.
  void hand_back(std::uint64_t job, std::string_view host, std::int64_t when_s);
  void end_maintenance(std::string_view id);   // of every vnode that this job keeps under maintenance
  // Puts in a vnode as another book had it: slots and amounts follow from jobs that may be long forgotten.
  void restore(const std::string& vnode, vnode_use use);

  const vnode_use* find(std::string_view vnode) const;
  const std::map<std::string, vnode_use, std::less<>>& vnodes() const { return vnodes_; }

  // What an exec_vnode asks of each vnode, parts of the same vnode added up.
  struct part { std::string vnode; amounts asked; std::uint32_t cpus = 0; };
  static std::vector<part> parts_of(std::string_view exec_vnode);

 private:
  void change_held(std::uint64_t job, std::string_view exec_vnode, int sign);
  void add(std::uint64_t job, std::string_view id, std::string_view place, const part& p, vnode_facts facts);
  std::map<std::string, vnode_use, std::less<>> vnodes_;
  std::unordered_map<std::uint64_t, std::vector<std::string>> vnodes_of_job_;   // by serial
};

}  // namespace annals::model
