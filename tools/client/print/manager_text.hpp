// What qmgr's list and print show (pbs guide: qmgr). Pure: from (objects, what was asked) to text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/client/print/labels.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

// "server", "queue", "node", "sched", "resource": the word in set commands.
std::string_view manager_word(schema::ObjectKind kind);

class manager_printer {
 public:
  // asked: attributes named in the command, in its order; empty: all.
  manager_printer(schema::ObjectKind kind, std::span<const std::string> asked);

  // "Queue workq", one attribute per line, a blank line.
  void list(std::string& out, const object_view& object) const;

  // The heading of print for the kind ("# Create queues and set their attributes."); none for schedulers.
  void print_heading(std::string& out) const;
  // Commands that make the object again, with its own heading. Of a server: only `set server` lines.
  // shared: gets what a vnode shares of another one (resources_available.R = @vnode), which must be there before; null: all goes to `out`.
  void print(std::string& out, const object_view& object, std::string* shared = nullptr) const;

 private:
  template <class Each>
  void each_asked(const object_view& object, Each&& each) const;
  void print_attribute(std::string& out, const object_view& object, const label& l, const attributes::entry& e) const;
  bool is_printed(const object_view& object, const label& l, std::string_view value) const;

  schema::ObjectKind kind_;
  labels names_;
  std::vector<std::string> asked_;
};

// A value as qmgr reads it again: in quotes when it holds blanks, commas or quotes.
std::string quoted(std::string_view value);
// Splits at commas; of limits at the commas between brackets: "[u:a=1],[g:b=2]".
std::vector<std::string_view> split_list(std::string_view list, bool limits);
// The queue of a reservation ("R12", "S3", "M4"), which print leaves out.
bool is_reservation_queue(std::string_view name);

}  // namespace annals::client
