// Whole objects as text: `qstat -f` (pbs guide: qstat), also the blocks of pbsnodes and `qmgr list`, and the delimiter
// form -F dsv. Pure: from (objects, options) to text.
#pragma once

#include <string>
#include <string_view>

#include "tools/client/print/dates.hpp"
#include "tools/client/print/labels.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

// A line "    name = value" ends at column 79. A longer one goes on after a newline and a TAB: at commas where the
// pieces allow, else anywhere. The continuation of a piece that did not fit counts its TAB as 8 columns; a line that
// begins with a fresh piece has one column less (as measured).
void put_wrapped(std::string& out, std::string_view value, std::size_t column);

// `qstat -f` of jobs, queues and servers.
class full_printer {
 public:
  // heading: "Job Id: ", "Queue: ", "Server: "; wrap: false for -w.
  full_printer(schema::ObjectKind kind, std::string_view heading, bool wrap);
  void put(std::string& out, const object_view& object);  // with the blank line that follows it

 private:
  labels labels_;
  std::string heading_;
  bool wrap_;
  date_text dates_;
};

// One line per object: "Job Id: 1.vm|Job_Name=run1|...". A delimiter inside a value has a backslash before it (pbs
// guide: qstat -F dsv).
class dsv_printer {
 public:
  // epoch_dates: dates stay seconds since 1970 (pbsnodes).
  dsv_printer(schema::ObjectKind kind, std::string_view heading, std::string_view delimiter, bool epoch_dates);
  void put(std::string& out, const object_view& object);

 private:
  void put_value(std::string& out, std::string_view value) const;
  labels labels_;
  std::string heading_, delimiter_;
  bool epoch_dates_;
  date_text dates_;
};

// "name", "name.resource".
void put_attribute_name(std::string& out, const label& l, std::string_view resource);

}  // namespace annals::client
