// A JSON document as it is written, with its values. Values that are JSON numbers stand without quotes, all else is a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace annals::client {

// A whole document: begin, any number of objects inside one group, end. A group without objects is left out.
class json_document {
 public:
  explicit json_document(std::string_view group) : group_(group) {}  // "Jobs", "Queue", "Server", "nodes"
  void begin(std::string& out, std::int64_t now, std::string_view version, std::string_view server);
  void open_object(std::string& out, std::string_view name);
  void close_object(std::string& out) { close(out, 2); }
  void end(std::string& out);

  // Inside an object: members stand at depth 3, those of a member that is an object itself at depth 4.
  void key(std::string& out, int depth, std::string_view name);
  void open(std::string& out, int depth, std::string_view name);
  void close(std::string& out, int depth);

 private:
  std::string group_;
  bool any_ = false;   // an object was put
  bool first_ = true;  // nothing stands yet in the innermost braces
};

// "..." with what JSON must escape, escaped; a byte that is no UTF-8 is U+FFFD.
void put_json_string(std::string& out, std::string_view text);
void put_json_value(std::string& out, std::string_view value);  // a number as it is, else a string
void put_json_list(std::string& out, const std::vector<std::string_view>& texts);
bool is_json_number(std::string_view text);

}  // namespace annals::client
