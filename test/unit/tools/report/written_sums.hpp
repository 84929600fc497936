// The sums that accounting files have, computed from their lines and from nothing else: what a report must say.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "events/values/duration.hpp"
#include "events/values/size.hpp"
#include "projections/accounting/accounting.hpp"
#include "tools/report/report.hpp"

namespace annals::test {

using reporting::exact;

struct written_sum {
  std::map<std::string, int> jobs;  // and how many runs each had
  std::int64_t runs = 0, walltime_s = 0, cput_s = 0, core_s = 0, mem_kb_max = 0;
  exact mem_kb_s = 0, naccelerators_s = 0, asked_kb_s = 0;
};

// A line's letter, its id, and "name" or "name.resource" to the value. Values here have no blanks.
struct written_line {
  char letter;
  std::string id;
  std::map<std::string, std::string> fields;

  explicit written_line(const std::string& line) : letter(line[20]), id(line.substr(22, line.find(';', 22) - 22)) {
    std::istringstream in(line.substr(line.find(';', 22) + 1));
    for (std::string field; in >> field;)
      if (const auto at = field.find('='); at != std::string::npos) fields[field.substr(0, at)] = field.substr(at + 1);
  }
  std::string text(const std::string& name) const {
    const auto at = fields.find(name);
    return at == fields.end() ? "" : at->second;
  }
  std::int64_t number(const std::string& name) const { return text(name).empty() ? 0 : std::stoll(text(name)); }
  std::int64_t seconds(const std::string& name) const { return values::parse_duration(text(name)).value_or(0); }
  std::int64_t kb(const std::string& name) const {
    const auto size = values::parse_size(text(name));
    return size ? static_cast<std::int64_t>(size->to_kb()) : 0;
  }
};

// By the value of a field of E, R and C ("user"); none: the line has not that field.
class written_sums {
 public:
  explicit written_sums(std::string field) : field_(std::move(field)) {}

  std::map<std::string, written_sum> groups;

  void add(const written_line& l) {
    if (l.letter == 'u' || l.letter == 'e') {
      phases_[l.id].push_back(l);
      return;
    }
    if (std::string("ERC").find(l.letter) == std::string::npos || l.text("exec_host").empty()) return;
    auto& sum = groups[l.fields.contains(field_) ? l.text(field_) : "(none)"];
    ++sum.jobs[l.id];
    ++sum.runs;
    sum.walltime_s += l.seconds("resources_used.walltime");
    sum.cput_s += l.seconds("resources_used.cput");
    sum.mem_kb_max = std::max(sum.mem_kb_max, l.kb("resources_used.mem"));
    auto phases = phases_[l.id];
    phases_.erase(l.id);
    if (phases.empty()) phases.push_back(l);
    for (const auto& p : phases) add_phase(sum, p);
  }

  void forget(const std::string& id) { phases_.erase(id); }

 private:
  static void add_phase(written_sum& sum, const written_line& p) {
    const auto walltime_s = p.seconds("resources_used.walltime");
    sum.core_s += p.number("resources_used.ncpus") * walltime_s;
    sum.mem_kb_s += exact{p.kb("resources_used.mem")} * walltime_s;
    sum.naccelerators_s += exact{p.number("Resource_List.naccelerators")} * walltime_s;
    sum.asked_kb_s += exact{p.kb("Resource_List.mem")} * walltime_s;
  }

  std::string field_;
  std::map<std::string, std::vector<written_line>> phases_;  // of runs that go on, by job
};

}  // namespace annals::test
