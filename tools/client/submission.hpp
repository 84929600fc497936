// What qsub makes of its options, its directives and its script: the pure middle of qsub, between reading and sending
// (pbs guide: qsub). Every check that PBS's qsub makes itself is here; what only the server can know it refuses itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/client/job_environment.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/job_options.hpp"
#include "tools/client/options.hpp"

namespace annals::client {

extern const command qsub_command;

// A complaint that ends the command: this line, perhaps the usage text, this exit status. An empty line: only the
// usage.
struct complaint {
  std::string line;
  int status = 1;
  bool with_usage = false;
  bool operator==(const complaint&) const = default;
};

// Where the job's program comes from, as the command line says.
struct program_source {
  enum class kind : std::uint8_t { standard_input,
                                   file,
                                   executable };
  kind from = kind::standard_input;
  std::string file;
  std::vector<std::string> executable;  // program and arguments
};
std::variant<program_source, complaint> source_of(const command_line& line);

// The options of the script's #PBS lines (none for an executable), each over the one before.
std::variant<command_line, complaint> read_directives(std::string_view script, std::string_view prefix,
                                                      const judge& check);

// -C, else PBS_DPREFIX, else "#PBS".
std::string directive_prefix(const command_line& line, const char* dprefix);

struct submit_facts {
  bool terminal = false;  // standard input and output are one
  bool has_display = false;
  environment_lookup environment_value = nullptr;
};
// What is wrong with options that are well-formed one by one, or not served in this release.
std::optional<complaint> check_submission(const job_options& options, const submit_facts& facts);

struct submission {
  destination where;
  std::vector<job_attribute> attributes;
  bool block = false;
  bool interactive = false;
  bool forwards_x = false;
  bool quiet = false;  // -z
};
struct submit_context {
  submitter who;
  path_facts paths;
  environment_lookup environment_value;
  std::int64_t now = 0;   // seconds since 1970
  std::string arguments;  // the command line behind "qsub"
};
// -I or -W interactive=true.
bool is_interactive(const job_options& options);
// What forbids these options to be those of an interactive job, or that it forwards X; known before a script is read.
std::optional<complaint> check_interactive(const job_options& options, const submit_facts& facts);
// What qsub says of options that an interactive job takes otherwise than they sound; each line with its end.
std::string interactive_warnings(const job_options& options);

// For options that check_submission accepted.
std::variant<submission, complaint> make_submission(const job_options& options, const program_source& source,
                                                    const submit_context& context);

// The exit status of "qsub -W block=true" for a job's Exit_status: killed by signal n is 128 + n; -29 (the walltime) is 227.
int blocked_exit_status(std::int32_t job_exit_status);

}  // namespace annals::client
