#include "tools/report/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "events/values/moment.hpp"
#include "tools/client/option_error.hpp"
#include "tools/client/version.hpp"
#include "tools/report/limits.hpp"

namespace annals::reporting {
namespace {

struct given_words {
  std::vector<std::string> by, resources;
  std::string from, to, form = "text";
};

// A script whose variable is empty means something else than everything.
CLI::Validator not_empty() {
  return {[](std::string& text) { return std::string(text.empty() ? "must not be empty" : ""); }, "", "not_empty"};
}

std::int64_t time_named(const char* option, const std::string& text, std::int64_t now_ns) {
  const auto at = values::parse_moment(text, now_ns);
  if (!at || at->sequence != 0) throw CLI::ValidationError(option, "must be a time, not \"" + text + "\": " + values::time_forms);
  return at->wall_ns;
}

void take_period(asked& a, const given_words& given, std::int64_t now_ns) {
  if (!given.from.empty()) a.in.from_ns = time_named("--from", given.from, now_ns);
  if (!given.to.empty()) a.in.until_ns = time_named("--to", given.to, now_ns);
  if (a.in.from_ns >= a.in.until_ns) throw CLI::ValidationError("--to", "must be later than --from");
}

void take_groups(asked& a, const given_words& given) {
  for (const auto& word : given.by) {
    const auto d = dimension_named(word);
    if (!d) throw CLI::ValidationError("--by", "can't be \"" + word + "\": it is " + CLI::detail::join(dimension_names(), ", "));
    if (std::find(a.by.begin(), a.by.end(), *d) == a.by.end()) a.by.push_back(*d);
  }
  if (a.by.empty()) a.by.push_back(dimension::user);
}

void take_resources(asked& a, const given_words& given) {
  for (const auto& name : given.resources) {
    if (!is_resource_name(name)) throw CLI::ValidationError("--resource", "can't be \"" + name + "\": this is no name of a resource");
    if (std::find(a.resources.begin(), a.resources.end(), name) == a.resources.end()) a.resources.push_back(name);
  }
  if (a.resources.size() > limits::resources_max) throw CLI::ValidationError("--resource", "can be at most 100 resources");
}

void take_form(asked& a, const std::string& word) {
  constexpr const char* words[] = {"text", "csv", "json", "html"};
  const auto at = std::find(std::begin(words), std::end(words), word) - std::begin(words);
  a.form = static_cast<report_form>(at);
}

}  // namespace

std::variant<asked, int> read_command_line(int argc, char** argv, std::int64_t now_ns) {
  asked a;
  given_words given;
  CLI::App app("Tells what users, groups, projects, accounts and queues used, how long they waited and what it costs.", "pbs_report");
  app.set_version_flag("--version", client::version_line());
  app.add_option("source", a.source,
                 "a database that pbs_export wrote (a file of SQLite, or postgresql://...), or the directory of a log; without it the log "
                 "of this host")
      ->check(not_empty());
  app.add_option("--by", given.by,
                 "a line for each user, group, project, account, queue, reservation, day or month, several with commas; else user")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--from", given.from, "runs that ended at this time or later")->check(not_empty());
  app.add_option("--to", given.to, "runs that ended before this time")->check(not_empty());
  app.add_option("--resource", given.resources, "how much was held of these resources too, with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--rates", a.rates, "a file of prices")->check(not_empty());
  app.add_option("--format", given.form, "the form of the report; else text")->check(CLI::IsMember({"text", "csv", "json", "html"}));
  app.add_option("--title", a.title, "what stands above it");
  app.add_option("--schema", a.schema, "of PostgreSQL: the schema that has the tables (default: annals)");
  try {
    app.parse(argc, argv);
    take_period(a, given, now_ns);
    take_groups(a, given);
    take_resources(a, given);
    take_form(a, given.form);
  } catch (const CLI::ParseError& e) {
    return client::print_option_error(app, e);
  }
  return a;
}

}  // namespace annals::reporting
