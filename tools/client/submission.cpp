#include "tools/client/submission.hpp"

#include <algorithm>

#include "events/attributes/table.hpp"
#include "events/values/job_texts.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/directives.hpp"
#include "tools/client/option_values.hpp"

namespace annals::client {

namespace {

constexpr option qsub_options[] = {
    {'a', "date_time", "not before this time: [[[[CC]YY]MM]DD]hhmm[.SS]"},
    {'A', "account", "account string"},
    {'c', "interval", "checkpoint: n, s, c, c=minutes, w, w=minutes"},
    {'C', "prefix", "prefix of directives in the script (default #PBS; empty: none are read)"},
    {'e', "path", "where standard error goes"},
    {'f', nullptr, "stay in the foreground (always so)"},
    {'h', nullptr, "submit with a user hold"},
    {'I', nullptr, "interactive job: this terminal becomes the job's"},
    {'j', "oe|eo|n", "join standard output and error"},
    {'J', "X-Y[:Z][%n]", "job array: a subjob for each index from X to Y in steps of Z; at most n run at once"},
    {'k', "keep", "keep output on the execution host: o, e, oe, n, with d: write directly"},
    {'l', "resources", "resources: name=value,..."},
    {'m', "events", "mail at: a (abort), b (begin), e (end), n (never)"},
    {'M', "users", "who gets the mail"},
    {'N', "name", "job name"},
    {'o', "path", "where standard output goes"},
    {'p', "priority", "-1024 to 1023"},
    {'P', "project", "project"},
    {'q', "destination", "queue, @server or queue@server"},
    {'r', "y|n", "may the job be rerun"},
    {'R', "o|e|oe", "files to delete instead of delivering them"},
    {'S', "path", "shell that runs the script: path[@host],..."},
    {'u', "users", "user to run as: user[@host],..."},
    {'v', "variables", "environment of the job: NAME or NAME=value,..."},
    {'V', nullptr, "take the whole environment along"},
    {'W', "attributes", "further attributes: name=value,..."},
    {'X', nullptr, "X programs of the interactive job appear on this display"},
    {'z', nullptr, "do not print the job's id"},
};

constexpr char qsub_usage[] =
    "usage: qsub [-a date_time] [-A account_string] [-c interval]\n"
    "\t[-C directive_prefix] [-e path] [-f ] [-h ] [-I [-X]] [-j oe|eo] [-J X-Y[:Z]]\n"
    "\t[-k keep] [-l resource_list] [-m mail_options] [-M user_list]\n"
    "\t[-N jobname] [-o path] [-p priority] [-P project] [-q queue] [-r y|n]\n"
    "\t[-R o|e|oe] [-S path] [-u user_list] [-W otherattributes=value...]\n"
    "\t[-v variable_list] [-V ] [-z] [script | -- command [arg1 ...]]\n"
    "       qsub --version\n";

complaint said(std::string line, int status) { return {std::move(line), status, false}; }
complaint misused(std::string line) { return {std::move(line), 2, true}; }
complaint refused(const values::refusal& why) {
  return said(refusal_line("qsub", why.code, why.text), exit_status(why.code));
}

complaint not_served(std::string_view what) { return refused(values::refuse_about(pbs_error::no_support, what)); }

// -J "X-Y[:Z]", and behind a '%' how many of them may run at once; without one: nothing.
struct array_range {
  std::string_view indices;
  std::optional<std::string_view> at_once;
};
array_range split_range(std::string_view text) {
  const auto percent = text.find('%');
  if (percent == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, percent), text.substr(percent + 1)};
}

std::optional<complaint> check_forwarding(const job_options& options, const submit_facts& facts) {
  if (!options.has('X')) return std::nullopt;
  if (!is_interactive(options)) return misused("qsub: -X is for interactive jobs only");
  const std::string* list = options.find('v');
  const auto chosen = list == nullptr ? std::nullopt : parse_variable_list(*list, facts.environment_value);
  const auto is_display = [](const assignment& a) { return a.name == "DISPLAY"; };
  if (chosen && std::any_of(chosen->begin(), chosen->end(), is_display)) return misused("qsub: -X cannot be used with -v DISPLAY");
  return std::nullopt;
}

std::optional<complaint> check_array(const job_options& options) {
  const std::string* range = options.find('J');
  const std::string* at_once = options.other("max_run_subjobs");
  if (range == nullptr) {
    if (at_once != nullptr || options.other("indexed_output") != nullptr) return refused(values::refuse(pbs_error::not_an_array));
    return std::nullopt;
  }
  if (options.has('r') && *options.find('r') == "n") return misused("qsub:  cannot submit non-rerunable Array Job");
  if (const auto count = split_range(*range).at_once) {
    if (at_once != nullptr) return misused("qsub: multiple max_run_subjobs values found");
    if (!is_count(*count)) return said("qsub: Error (15014) submitting job", exit_status(pbs_error::bad_value));
  }
  return std::nullopt;
}

// PBS's qsub knows the names of attributes; a dotted one is sent and comes back with the server's text.
std::optional<complaint> check_others(const job_options& options) {
  for (const assignment& w : options.others) {
    if (attributes::find(schema::ObjectKind::JOB, w.name) == nullptr) {
      if (w.name.find('.') != std::string::npos) return refused(values::refuse(pbs_error::undefined_attribute));
      return said("qsub: Error (15002) submitting job", exit_status(pbs_error::undefined_attribute));
    }
    if (w.name == "array") return not_served("-W array");
    if (is_boolean_attribute(w.name) && !w.value.empty() && !values::parse_boolean(w.value))
      return said("qsub: Error (15014) submitting job", exit_status(pbs_error::bad_value));
  }
  return std::nullopt;
}

bool is_zero_interval(std::string_view checkpoint) {
  return checkpoint.size() > 2 && checkpoint.find_first_not_of('0', 2) == std::string_view::npos;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void add_array(std::vector<job_attribute>& out, const std::string& range) {
  const auto [indices, at_once] = split_range(range);
  out.push_back({"array_indices_submitted", "", std::string(indices)});
  if (at_once) out.push_back({"max_run_subjobs", "", without_leading_zeros(*at_once)});
}

// Whatever -W says besides: nobody waits for such a job's end.
void become_interactive(std::vector<job_attribute>& out) {
  std::erase_if(out, [](const job_attribute& a) { return a.name == "interactive" || a.name == "block"; });
  out.push_back({"interactive", "", "True"});
}

// The program of a job that has no script, in the form that job descriptions use. '<', '>' and '&' stay as they are.
void add_executable(std::vector<job_attribute>& out, const std::vector<std::string>& words) {
  out.push_back({"executable", "", "<jsdl-hpcpa:Executable>" + words[0] + "</jsdl-hpcpa:Executable>"});
  std::string arguments;
  for (std::size_t i = 1; i < words.size(); ++i)
    arguments += "<jsdl-hpcpa:Argument>" + words[i] + "</jsdl-hpcpa:Argument>";
  if (!arguments.empty()) out.push_back({"argument_list", "", arguments});
}

// In a directive words may stand between options; they are told last.
constexpr command directive_command = {"qsub", qsub_usage, qsub_options};

// PBS shows the words that belong to no option at the end.
std::string directive_error(const command_line& directive) {
  std::string line = "qsub: directive error: ";
  for (const std::string& word : directive.spelled) line += word + " ";
  if (directive.dashes) line += "-- ";
  for (const std::string& word : directive.words) line += word + " ";
  return line;
}

std::string lines_of(const std::vector<std::string>& problems) {
  std::string lines;
  for (const std::string& p : problems) lines += (lines.empty() ? "" : "\n") + p;
  return lines;
}

}  // namespace

bool is_interactive(const job_options& options) {
  const std::string* other = options.other("interactive");
  return options.has('I') || (other != nullptr && values::equal_any_case(*other, "true"));
}

std::optional<complaint> check_interactive(const job_options& options, const submit_facts& facts) {
  if (is_interactive(options) && !facts.terminal) {
    return said("qsub:\tstandard input and output must be a terminal for\n\tinteractive job submission", 1);
  }
  if (is_interactive(options) && options.has('J')) {
    return misused("qsub: interactive and array job submission cannot be used together");
  }
  if (options.has('X') && !facts.has_display) return misused("qsub: DISPLAY not set");
  return std::nullopt;
}

std::string interactive_warnings(const job_options& options) {
  std::string lines;
  const std::string* block = options.other("block");
  if (const std::string* rerun = options.find('r'); rerun != nullptr && *rerun == "y")
    lines += "qsub (Warning): Interactive jobs will be treated as not rerunnable\n";
  if (block != nullptr && values::parse_boolean(*block).value_or(false))
    lines += "qsub (Warning) : setting \"block\" attribute as \"true\" for an interactive job will not return job's exit status\n";
  return lines;
}

const command qsub_command = {"qsub", qsub_usage, qsub_options, true};

std::variant<program_source, complaint> source_of(const command_line& line) {
  using kind = program_source::kind;
  if (line.dashes) {
    if (line.words.empty()) return misused("");
    return program_source{kind::executable, {}, line.words};
  }
  if (line.words.size() > 1) return misused("");
  if (line.words.empty() || line.words[0] == "-") return program_source{};
  return program_source{kind::file, line.words[0], {}};
}

std::string directive_prefix(const command_line& line, const char* dprefix) {
  if (const std::string* given = line.find('C')) return *given;
  return dprefix != nullptr ? std::string(dprefix) : std::string(default_directive_prefix);
}

std::variant<command_line, complaint> read_directives(std::string_view script, std::string_view prefix,
                                                      const judge& check) {
  const directive_scan scan = scan_directives(script, prefix);
  if (scan.has_cr_lf) return said("qsub: script contains cr, lf", 1);
  // A list that can't be read is a mistake of the directive; another value is told as that of the command line is.
  const judge check_lists = [&](const given& g) { return g.letter == 'l' || g.letter == 'W' ? check(g) : std::nullopt; };
  command_line all;
  for (const std::string& text : scan.lines) {
    bool unmatched = false;
    const std::vector<std::string> words = split_words(text, &unmatched);
    if (unmatched) return said("qsub: unmatched ", 1);
    const command_line one = parse_options(directive_command, words, check_lists);
    if (!one.problems.empty() || !one.words.empty() || one.dashes) {
      std::vector<std::string> told = one.problems;
      told.push_back(directive_error(one));
      return said(lines_of(told), 1);
    }
    const auto bad_values = parse_options(directive_command, words, check).problems;
    if (!bad_values.empty()) return misused(lines_of(bad_values));
    all.options.insert(all.options.end(), one.options.begin(), one.options.end());
  }
  return all;
}

std::optional<complaint> check_submission(const job_options& options, const submit_facts& facts) {
  if (auto bad = check_interactive(options, facts)) return bad;
  if (const std::string* points = options.find('m'); points != nullptr && points->find('j') != std::string::npos) {
    if (!options.has('J')) return said("qsub: mail option 'j' can not be used without array job", 1);
    if (points->find_first_of("abe") == std::string::npos) return misused("qsub: illegal -m value");  // of what in the subjobs?
  }
  if (const std::string* name = options.find('N'); name != nullptr && name->size() > values::job_name_chars_max) {
    return said("qsub: Job name is too long ", 2);
  }
  if (const std::string* queue = options.find('q'); queue != nullptr && !parse_destination(*queue)) {
    return said("qsub: illegally formed destination: " + *queue, 2);
  }
  if (const std::string* c = options.find('c'); c != nullptr && is_zero_interval(*c)) {
    return refused(values::refuse(pbs_error::bad_value));
  }
  if (const std::string* v = options.find('v'); v != nullptr && !parse_variable_list(*v, facts.environment_value)) {
    return said("qsub: cannot send environment with the job", 1);
  }
  if (auto bad = check_forwarding(options, facts)) return bad;
  if (auto bad = check_array(options)) return bad;
  return check_others(options);
}

std::variant<submission, complaint> make_submission(const job_options& options, const program_source& source,
                                                    const submit_context& context) {
  submission out;
  job_options named = options;
  if (!named.has('N')) named.values['N'] = source.from == program_source::kind::file ? base_name(source.file) : "STDIN";
  if (!values::is_job_name(named.values['N']))
    return misused("qsub: illegal -N value");  // also of a script's name, as PBS says it
  if (named.values['N'].size() > values::job_name_chars_max) return said("qsub: Job name is too long ", 2);

  out.attributes = attributes_of(asker::qsub, named, context.now, context.paths);
  std::vector<assignment> chosen;
  if (const std::string* v = options.find('v'))
    chosen = parse_variable_list(*v, context.environment_value).value_or(chosen);
  out.attributes.push_back({"Variable_List", "", variable_list(context.who, chosen, options.has('V'))});
  if (!context.arguments.empty()) out.attributes.push_back({"Submit_arguments", "", context.arguments});
  if (const std::string* range = options.find('J')) add_array(out.attributes, *range);
  if (source.from == program_source::kind::executable) add_executable(out.attributes, source.executable);

  if (const std::string* q = options.find('q')) out.where = parse_destination(*q).value_or(destination{});
  const std::string* block = options.other("block");
  out.interactive = is_interactive(options);
  if (out.interactive) become_interactive(out.attributes);
  out.block = !out.interactive && block != nullptr && values::parse_boolean(*block).value_or(false);
  out.forwards_x = out.interactive && options.has('X');
  out.quiet = options.has('z');
  return out;
}

int blocked_exit_status(std::int32_t status) {
  if (status > 256) return 128 + (status - 256) % 128;
  return status & 255;
}

}  // namespace annals::client
