// qsub's reading of a script: the #PBS lines of any bytes, each through the option reader and the judges of every
// value.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/client/submission.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annals::client;
  const std::string_view script(reinterpret_cast<const char*>(data), size);
  const path_facts facts{"q1", "/home/u", [](const std::string&) { return false; },
                         [](const std::string&) { return true; }};
  const judge check = [&](const given& g) { return judge_job_option(asker::qsub, g, 1795220955, facts); };
  auto read = read_directives(script, "#PBS", check);
  auto* line = std::get_if<command_line>(&read);
  if (line == nullptr) return 0;
  job_options options;
  options.put_over(*line);
  const environment_lookup none = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  if (check_submission(options, {true, true, none})) return 0;
  const auto made = make_submission(options, {}, {{}, facts, none, 1795220955, ""});
  // Options that were judged good make a job, and every job has a name.
  if (!std::holds_alternative<submission>(made)) std::abort();
  return 0;
}
