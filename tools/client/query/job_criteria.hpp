// What qselect's options ask of jobs, as criteria for the server (pbs guide: qselect). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/schema/client.capnp.h"

namespace annals::client {

struct job_criterion {
  std::string name, resource;  // attribute as in qstat -f, resource of a resource list
  schema::CompareOp op = schema::CompareOp::EQ;
  std::string value;  // canonical text
  bool operator==(const job_criterion&) const = default;
};

// "[.gt.]value": the operator in front, eq without one. An unknown operator counts as eq (as PBS has it).
struct compared {
  schema::CompareOp op;
  std::string_view value;
};
compared split_operator(std::string_view text);

// Each answers nothing for a value that is illegal for its option.
std::optional<job_criterion> time_criterion(std::string_view text, std::int64_t now);            // -t "q.gt.202001010000"
std::optional<job_criterion> execution_time_criterion(std::string_view text, std::int64_t now);  // -a
std::optional<job_criterion> checkpoint_criterion(std::string_view text);                        // -c
std::optional<job_criterion> hold_criterion(std::string_view text);                              // -h
std::optional<job_criterion> state_criterion(std::string_view text);                             // -s
std::optional<std::vector<job_criterion>> resource_criteria(std::string_view text);              // -l "ncpus.gt.1,mem.ge.1gb"

}  // namespace annals::client
