// The lists of -l, -W and -v, job ids and destinations. Property: what a list was read into can be written and read
// again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/client/assignments.hpp"
#include "tools/client/job_environment.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/option_values.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annals::client;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  parse_resource_list(text);
  parse_attribute_list(text);
  parse_destination(text);
  is_dependency_list(text);
  is_staging_list(text);
  is_array_range(text);
  if (const auto name = parse_job_name(text, "q1")) {
    if (!parse_job_name(name->id, "q1")) std::abort();  // a completed id is an id
  }
  const environment_lookup none = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  if (const auto variables = parse_variable_list(text, none)) {
    std::string again;
    for (const auto& v : *variables) {
      std::string quoted;
      for (char c : v.name + "=" + v.value) {
        if (c == ',' || c == '"' || c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
      }
      again += (again.empty() ? "" : ",") + quoted;
    }
    if (parse_variable_list(again, none) != variables) std::abort();
  }
  return 0;
}
