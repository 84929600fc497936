// Asking the server about objects, and reading the answer as its pieces come.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/client/print/object.hpp"
#include "tools/client/query/moment.hpp"
#include "tools/client/session.hpp"

namespace annals::client {

struct stat_question {
  schema::ObjectKind kind = schema::ObjectKind::JOB;
  std::vector<std::string> names;                    // empty: all
  std::span<const attributes::attribute_id> wanted;  // empty: all
  schema::History history = schema::History::LIVE;
  moment at;
  std::string queue;
  std::vector<std::string> users;
  std::string states;
  bool why = false;      // of the jobs that are named
  bool subjobs = false;  // behind each array its subjobs too
  // Of finished jobs, none of them named: those that ended at or after this second since 1970, and so many of them; 0: all.
  std::int64_t since_s = 0;
  std::uint64_t newest = 0;
};

struct refused_name {
  std::string name;
  std::uint32_t code;
  std::string text;
};
struct stat_outcome {
  std::vector<refused_name> unknown;    // in the order asked
  std::optional<refused_name> refused;  // the whole question was; the name is empty
};

// `each` sees every object; what it is given lives until it returns. `piece_done` is called after each reply.
stat_outcome ask(session& server, const stat_question& question, const std::function<void(const object_view&)>& each,
                 const std::function<void()>& piece_done = {});

// Of named jobs, with why they wait; of one that nothing is said of that is empty.
stat_outcome ask_why(session& server, const stat_question& question,
                     const std::function<void(const object_view&, schema::JobWhy::Reader)>& each);

// Objects that own their bytes, for what must be seen as a whole.
struct kept_object {
  std::string name, packed;
  object_view view() const { return {name, packed}; }
};
stat_outcome ask_all(session& server, const stat_question& question, std::vector<kept_object>& into);

}  // namespace annals::client
