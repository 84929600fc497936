// What qstat --why says of a job: sentences, or one JSON object. Pure. Governed by docs/design/0048-why.md.
#pragma once

#include <string>

#include "events/schema/client.capnp.h"
#include "tools/client/print/json.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

// Lines, the first of which begins with the job's id; each ends in a newline. `why` is empty when no scheduler has said anything
// of the job.
void put_why_text(std::string& out, const object_view& job, schema::JobWhy::Reader why);

// The group "Why" of a document as qstat -F json prints it. begin, any number of jobs, end.
class why_json {
 public:
  void begin(std::string& out, std::int64_t now, std::string_view version, std::string_view server) {
    document_.begin(out, now, version, server);
  }
  void put(std::string& out, const object_view& job, schema::JobWhy::Reader why);
  void end(std::string& out) { document_.end(out); }

 private:
  void text(std::string& out, int depth, std::string_view name, std::string_view value);
  void number(std::string& out, int depth, std::string_view name, std::uint64_t value);
  void put_data(std::string& out, schema::Why::Reader why);

  json_document document_{"Why"};
};

}  // namespace annals::client
