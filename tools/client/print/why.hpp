// What qstat --why says of a job: sentences, or one JSON object. Pure. Governed by docs/design/0048-why.md.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "events/schema/client.capnp.h"
#include "tools/client/print/json.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

// Vnodes that reasons name and that can't be used: by name "offline: broken fan", or who has all of it: "filled by 3.borg".
using unusable_vnodes = std::map<std::string, std::string, std::less<>>;
// Jobs that what is told depends on: what a job waits for, the array of a subjob. By id, as they were packed.
using known_jobs = std::map<std::string, std::string, std::less<>>;
// The ids of those that are to be known for this one.
std::vector<std::string> jobs_to_know(const object_view& job);
// Says why the vnode can't be used, from its state, its comment, its jobs and its reservations. Empty: it can.
std::string words_of_state(const object_view& vnode);

// Lines, the first of which begins with the job's id; each ends in a newline. `why` is empty when no scheduler has said anything
// of the job.
void put_why_text(std::string& out, const object_view& job, schema::JobWhy::Reader why, const unusable_vnodes& unusable = {},
                  const known_jobs& others = {});

// The group "Why" of a document as qstat -F json prints it. begin, any number of jobs, end.
class why_json {
 public:
  void begin(std::string& out, std::int64_t now, std::string_view version, std::string_view server) {
    document_.begin(out, now, version, server);
  }
  void put(std::string& out, const object_view& job, schema::JobWhy::Reader why, const unusable_vnodes& unusable = {},
           const known_jobs& others = {});
  void end(std::string& out) { document_.end(out); }

 private:
  void text(std::string& out, int depth, std::string_view name, std::string_view value);
  void number(std::string& out, int depth, std::string_view name, std::uint64_t value);
  void put_data(std::string& out, schema::Why::Reader why, const unusable_vnodes& unusable);
  void put_list(std::string& out, std::string_view name, const std::vector<std::string>& values);

  json_document document_{"Why"};
};

}  // namespace annals::client
