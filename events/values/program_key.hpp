// By which a host knows a run of a job, and each program of it. Their texts name files in mom_priv/jobs and spool, and cgroups, which
// a MoM of a later release must find again: they are printed and read here and nowhere else.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace annals::values {

// "12.borg.1". Sorts by the job's number and index, not by its text: run 1 of 2.borg comes before that of 10.borg.
struct run_key {
  std::string job;        // its id: "12.borg", "12[3].borg"
  std::uint32_t run = 0;  // runs of a job are counted
  bool operator==(const run_key&) const = default;
  std::strong_ordering operator<=>(const run_key& other) const;
};

// "12.borg.1-2": a program beside the run's own, which is task 1.
struct task_key {
  run_key run;
  std::uint32_t task = 0;
  auto operator<=>(const task_key&) const = default;
};

// "12.borg.1-c3": the site's script that answers request 3 of the run, to checkpoint it.
struct checkpoint_key {
  run_key run;
  std::uint64_t request = 0;
  auto operator<=>(const checkpoint_key&) const = default;
};

// What a shepherd looks after: the run's own program, one of its tasks, or a script that checkpoints it. Sorts by run.
class program_key {
 public:
  program_key() = default;
  program_key(run_key own) : which_(std::move(own)) {}
  program_key(task_key task) : which_(std::move(task)) {}
  program_key(checkpoint_key script) : which_(std::move(script)) {}

  const run_key& run() const;
  bool is_own() const { return std::holds_alternative<run_key>(which_); }
  const task_key* task() const { return std::get_if<task_key>(&which_); }                    // null: it is none
  const checkpoint_key* checkpoint() const { return std::get_if<checkpoint_key>(&which_); }  // null: it is none

  bool operator==(const program_key&) const = default;
  std::strong_ordering operator<=>(const program_key& other) const;

 private:
  std::variant<run_key, task_key, checkpoint_key> which_;
};

std::string print(const run_key& key);
std::string print(const task_key& key);
std::string print(const checkpoint_key& key);
std::string print(const program_key& key);

// Nothing: no text that print() makes of a key of a job or subjob with its server.
std::optional<program_key> parse_program_key(std::string_view text);
// Whether its text is read again as the same: what came in a message may have any words for a job's id.
bool is_well_formed(const program_key& key);

}  // namespace annals::values
