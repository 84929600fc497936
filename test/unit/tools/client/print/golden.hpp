// Golden transcripts as test data: the standard output of one command of a transcript in ../data or of the conformance
// tests, and objects read back from what PBS printed about them (the inverse of the printing under test).
#pragma once

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/table.hpp"
#include "test/support/paths.hpp"
#include "tools/client/print/labels.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client::test {

inline std::string read_file(const std::string& name) {
  std::ifstream in(annals::test::source_dir() + "/test/unit/tools/client/data/" + name, std::ios::binary);
  if (!in) in.open(annals::test::source_dir() + "/test/conformance/golden/data/" + name, std::ios::binary);
  if (!in) throw std::runtime_error("no test data " + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What `command` printed in the transcript, the first time it was given there.
inline std::string golden(const std::string& file, const std::string& command) {
  const std::string text = read_file(file), head = "cmd: " + command + "\n";
  const std::size_t at = text.find(head);
  if (at == std::string::npos) throw std::runtime_error("no '" + command + "' in " + file);
  const std::string mark = "--- stdout\n";
  const std::size_t begin = text.find(mark, at) + mark.size();
  return text.substr(begin, text.find("--- stderr\n", begin) - begin);
}

// An object that owns its bytes.
struct stored_object {
  std::string name;
  std::map<std::pair<attributes::attribute_id, std::string>, std::string> values;
  std::string packed;

  void set(attributes::attribute_id id, const std::string& resource, const std::string& value) {
    values[{id, resource}] = value;
    attributes::attribute_set_writer w;
    for (const auto& [key, v] : values) w.put(key.first, key.second, v);
    packed = w.take();
  }
  object_view view() const { return {name, packed}; }
};

inline std::string epoch_of(const std::string& date) {
  std::tm tm{};
  if (!strptime(date.c_str(), "%a %b %e %H:%M:%S %Y", &tm)) return date;
  return std::to_string(timegm(&tm));
}

inline void set_by_name(stored_object& o, schema::ObjectKind kind, const std::string& name, const std::string& value) {
  const std::string plain = name.substr(0, name.find('.'));
  const attributes::attribute* a = attributes::find(kind, plain);
  if (!a) {
    if (kind != schema::ObjectKind::RESOURCE) throw std::runtime_error("no attribute " + name);
    o.set(plain == "type" ? resource_object::type : resource_object::flag, "", value);
    return;
  }
  const std::string resource = plain.size() < name.size() ? name.substr(plain.size() + 1) : "";
  const bool date = a->type == attributes::value_type::date;
  const auto old = o.values.find({a->id, resource});
  const bool more = a->type == attributes::value_type::limits && old != o.values.end();
  o.set(a->id, resource, date ? epoch_of(value) : more ? old->second + "," + value
                                                       : value);
}

// Objects as qstat -f, pbsnodes or qmgr list print them; `heading` stands before each name.
inline std::vector<stored_object> read_blocks(schema::ObjectKind kind, const std::string& heading,
                                              const std::string& text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\n\t") == 0)
      ++i;
    else
      joined.push_back(text[i]);
  }
  std::vector<stored_object> objects;
  std::size_t at = 0;
  while (at < joined.size()) {
    const std::size_t end = std::min(joined.find('\n', at), joined.size());
    const std::string line = joined.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    if (line[0] != ' ') {
      objects.push_back({line.substr(heading.size()), {}, {}});
      continue;
    }
    const std::size_t name = line.find_first_not_of(' '), equals = line.find(" = ");
    set_by_name(objects.back(), kind, line.substr(name, equals - name), line.substr(equals + 3));
  }
  return objects;
}

// Transcripts were written in UTC.
struct utc {
  utc() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

}  // namespace annals::client::test
