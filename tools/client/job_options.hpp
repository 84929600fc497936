// The options that qsub and qalter share: what each letter may hold, and the job attribute it becomes
// (pbs guide: qsub, qalter, job attributes). Pure but for judging -a (the clock) and -o/-e (are hosts known).
//
// Judging happens while options are read, so that mistakes are reported in their order; everything after that works on
// values that were judged good.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/schema/client.capnp.h"
#include "tools/client/assignments.hpp"
#include "tools/client/options.hpp"
#include "tools/client/output_path.hpp"

namespace annals::client {

// Which command asks: a few rules differ.
enum class asker : std::uint8_t { qsub,
                                  qalter };

// Is the value of this option good? As options.hpp's judge. `now`: seconds since 1970. "-W name=value" is judged as the
// option would be that sets the same attribute.
std::optional<std::string> judge_job_option(asker who, const given& g, std::int64_t now, const path_facts& facts);

// Options of several sources, each over the one before: default_qsub_arguments, directives, command line.
struct job_options {
  std::map<char, std::string> values;  // by letter, without l and W
  std::vector<assignment> resources;   // every -l, by name
  std::vector<assignment> others;      // every -W, by name

  void put_over(const command_line& line);
  void put_over(const job_options& stronger);
  bool has(char letter) const { return values.count(letter) != 0; }
  const std::string* find(char letter) const;
  const std::string* other(std::string_view name) const;
};

struct job_attribute {
  std::string name, resource, value;
  schema::AttributeOp op = schema::AttributeOp::SET;
  bool operator==(const job_attribute&) const = default;
};

// The attributes that options set. qalter unsets what has an empty value; qsub leaves it out. Not among them: what
// needs the submitter's environment (-v, -V), what names no attribute (-q, -z, ...), Job_Name of a job without -N.
std::vector<job_attribute> attributes_of(asker who, const job_options& options, std::int64_t now,
                                         const path_facts& facts);

void fill(capnp::List<schema::Attribute>::Builder list, const std::vector<job_attribute>& attributes);

}  // namespace annals::client
