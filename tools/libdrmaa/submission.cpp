#include "tools/libdrmaa/submission.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <string_view>
#include <variant>

#include "events/values/string_list.hpp"
#include "tools/client/directives.hpp"
#include "tools/client/output_path.hpp"
#include "tools/client/submission.hpp"
#include "tools/client/this_process.hpp"
#include "tools/libdrmaa/error.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

namespace annals::drmaa {

namespace {

std::optional<std::string> environment_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

// -- the native specification -----------------------------------------------------------------------------------------------

// Options that a template has words of its own for, or that have no meaning without a terminal or a script of the user's.
constexpr std::string_view refused_letters = "CIJSXhz";

[[noreturn]] void native_is_bad(const std::string& why) {
  throw error{DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, DRMAA_NATIVE_SPECIFICATION ": " + why};
}

std::string lines_of(const std::vector<std::string>& problems) {
  std::string text;
  for (const auto& p : problems) text += (text.empty() ? "" : "; ") + p;
  return text;
}

client::job_options read_native(const std::string& text, const client::path_facts& paths, std::int64_t now) {
  bool unmatched = false;
  const auto words = client::split_words(text, &unmatched);
  if (unmatched) native_is_bad("a quote is not closed");
  const client::judge check = [&](const client::given& g) { return client::judge_job_option(client::asker::qsub, g, now, paths); };
  const auto line = client::parse_options(client::qsub_command, words, check);
  if (!line.problems.empty()) native_is_bad(lines_of(line.problems));
  if (!line.words.empty() || line.dashes) native_is_bad("options of qsub are wanted, and no script or command");
  for (const auto& o : line.options)
    if (refused_letters.find(o.letter) != std::string_view::npos) native_is_bad(std::string("-") + o.letter + " is not for DRMAA jobs");
  client::job_options options;
  options.put_over(line);
  for (const auto& other : options.others)
    if (other.name == "block" || other.name == "interactive") native_is_bad("-W " + other.name + " is not for DRMAA jobs");
  if (const auto bad = client::check_submission(options, {false, false, environment_value})) native_is_bad(bad->line);
  return options;
}

// -- placeholders -----------------------------------------------------------------------------------------------------------

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
}

void replace_at_start(std::string& text, std::string_view what, const std::string& by) {
  if (text.starts_with(what)) text = by + text.substr(what.size());
}

std::string home_of_user() {
  const passwd* user = getpwuid(getuid());
  return user ? user->pw_dir : "";
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// As a word of the script, where "^array_index^" is known by the job itself.
std::string script_path(std::string path, const std::string& home, const std::string& directory) {
  replace_at_start(path, DRMAA_PLACEHOLDER_HD, home);
  replace_at_start(path, DRMAA_PLACEHOLDER_WD, directory);
  std::string word;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find(DRMAA_PLACEHOLDER_INCR, at), path.size());
    word += quoted(path.substr(at, end - at));
    if (end == path.size()) break;
    word += "\"$PBS_ARRAY_INDEX\"";
    at = end + std::string_view(DRMAA_PLACEHOLDER_INCR).size();
  }
  return word;
}

// -- from a template to a job -------------------------------------------------------------------------------------------------

class preparation {
 public:
  static constexpr const char* array_index = "^array_index^";  // where PBS puts the index of a subjob

  preparation(const job_template& t, std::string index) : t_(t), index_(std::move(index)) {
    if (!t.find(DRMAA_REMOTE_COMMAND)) throw error{DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, DRMAA_REMOTE_COMMAND " is not set"};
    paths_ = client::real_path_facts();
  }

  prepared_job run() {
    if (const auto* native = t_.find(DRMAA_NATIVE_SPECIFICATION)) options_ = read_native(*native, paths_, now_);
    put_letters();
    check_queue();
    client::submit_context context;
    context.paths = paths_;
    context.who = client::this_process(paths_.working_directory);
    context.environment_value = environment_value;
    context.now = now_;
    const client::program_source source{client::program_source::kind::executable, {}, program()};
    auto made = client::make_submission(options_, source, context);
    if (const auto* bad = std::get_if<client::complaint>(&made)) throw error{DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, bad->line};
    auto& what = std::get<client::submission>(made);
    prepared_job job{what.where.queue, std::move(what.attributes)};
    put_attributes(job.attributes);
    return job;
  }

 private:
  // What qsub has options for.
  void put_letters() {
    auto& letters = options_.values;
    const auto take = [&](char letter, const char* name) {
      if (const auto* value = t_.find(name)) letters[letter] = *value;
    };
    take('N', DRMAA_JOB_NAME);
    if (!letters.contains('N')) letters['N'] = "drmaa";
    if (!letters.contains('q')) take('q', DRMAA_JOB_CATEGORY);
    if (t_.is(DRMAA_JS_STATE, DRMAA_SUBMISSION_STATE_HOLD)) letters['h'] = "";
    if (const auto* join = t_.find(DRMAA_JOIN_FILES)) letters['j'] = *join == "y" ? "oe" : "n";
    if (t_.is(DRMAA_BLOCK_EMAIL, "1")) letters['m'] = "n";
    if (const auto* limit = t_.find(DRMAA_WCT_HLIMIT)) client::merge_assignments(options_.resources, {{"walltime", *limit}});
    if (const auto* users = t_.find_vector(DRMAA_V_EMAIL)) {
      std::string all;
      for (const auto& u : *users) all += (all.empty() ? "" : ",") + u;
      if (!all.empty()) letters['M'] = all;
    }
    put_path('o', DRMAA_OUTPUT_PATH);
    put_path('e', DRMAA_ERROR_PATH);
    const char* judged[] = {DRMAA_JOB_NAME, DRMAA_V_EMAIL, DRMAA_OUTPUT_PATH, DRMAA_ERROR_PATH};
    for (std::size_t i = 0; i < std::size(judged); ++i) {
      const char letter = "NMoe"[i];
      const auto* value = options_.find(letter);
      if (value && client::judge_job_option(client::asker::qsub, {letter, *value}, now_, paths_))
        throw error{DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, std::string(judged[i]) + ": PBS takes no \"" + *value + "\""};
    }
  }

  void check_queue() const {
    const auto* queue = options_.find('q');
    if (!queue) return;
    const auto where = client::parse_destination(*queue);
    if (!where || !where->server.empty()) throw error{DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE, "no queue of this server: " + *queue};
  }

  // Where output goes: PBS puts in the index itself.
  void put_path(char letter, const char* name) {
    const auto* text = t_.find(name);
    if (!text) return;
    auto to = parse_path(*text).value();
    replace_at_start(to.path, DRMAA_PLACEHOLDER_HD, home_of_user());
    replace_at_start(to.path, DRMAA_PLACEHOLDER_WD, directory_here());
    if (!to.path.starts_with('/')) to.path = directory_here() + "/" + to.path;
    replace_all(to.path, DRMAA_PLACEHOLDER_INCR, index_);
    options_.values[letter] = to.host.empty() ? to.path : to.host + ":" + to.path;
  }

  // What it has none for.
  void put_attributes(std::vector<client::job_attribute>& attributes) {
    if (const auto* start = t_.find(DRMAA_START_TIME))
      attributes.push_back({ATTR_a, {}, std::to_string(parse_start_time(*start, now_).value())});
    std::string variables;
    if (const auto* all = t_.find_vector(DRMAA_V_ENV))
      for (const auto& v : *all) variables += "," + values::escape_element(v);
    if (!index_.empty() && index_ != array_index) variables += ",PBS_ARRAY_INDEX=" + index_;
    for (auto& a : attributes)
      if (a.name == ATTR_v) a.value += variables;
  }

  // The working directory as paths on this host have it: that of output files.
  std::string directory_here() const {
    const auto* wd = t_.find(DRMAA_WD);
    if (!wd) return paths_.working_directory;
    std::string directory = *wd;
    replace_at_start(directory, DRMAA_PLACEHOLDER_HD, home_of_user());
    replace_all(directory, DRMAA_PLACEHOLDER_INCR, index_);
    return directory;
  }

  // "/bin/sh -c SCRIPT drmaa COMMAND ARGUMENT...", where the script is one line.
  std::vector<std::string> program() const {
    const std::string failed = " || kill -" + std::to_string(could_not_begin_signal) + " $$; ";
    const auto* wd = t_.find(DRMAA_WD);
    const auto home = home_of_user();
    std::string script, input = "/dev/null";
    if (wd) script += "cd " + script_path(*wd, home, {}) + failed;
    if (const auto* from = t_.find(DRMAA_INPUT_PATH)) {
      input = script_path(parse_path(*from).value().path, home, wd ? *wd : paths_.working_directory);
      script += "test -r " + input + " && test ! -d " + input + failed;
    }
    std::vector<std::string> words{"/bin/sh", "-c", script + "exec \"$@\" < " + input, "drmaa", t_.get(DRMAA_REMOTE_COMMAND)};
    if (const auto* arguments = t_.find_vector(DRMAA_V_ARGV)) words.insert(words.end(), arguments->begin(), arguments->end());
    return words;
  }

  const job_template& t_;
  std::string index_;
  std::int64_t now_ = std::time(nullptr);
  client::path_facts paths_;
  client::job_options options_;
};

}  // namespace

prepared_job prepare(const job_template& t, std::optional<int> index) {
  return preparation(t, index ? std::to_string(*index) : "").run();
}

prepared_job prepare(const job_template& t, const bulk_range& range) {
  auto job = preparation(t, preparation::array_index).run();
  job.attributes.push_back(
      {ATTR_J, {}, std::to_string(range.first) + "-" + std::to_string(range.last) + ":" + std::to_string(range.step)});
  return job;
}

}  // namespace annals::drmaa
