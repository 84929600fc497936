// qstat: the status of jobs, queues and servers (pbs guide: qstat), now or at a moment of the past (--at).
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <memory>

#include "events/attributes/ids.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/option_values.hpp"
#include "tools/client/options.hpp"
#include "tools/client/print/object_form.hpp"
#include "tools/client/print/why.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/output.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/client/version.hpp"

namespace {

using namespace annals;
using namespace annals::client;
using schema::ObjectKind;

constexpr option options[] = {
    {'a', nullptr, "jobs in the alternative format"},
    {'i', nullptr, "as -a, jobs that do not run"},
    {'r', nullptr, "as -a, jobs that run"},
    {'H', nullptr, "as -a, finished jobs"},
    {'T', nullptr, "as -a, with the estimated start"},
    {'s', nullptr, "as -a, with comments"},
    {'n', nullptr, "as -a, with hosts"},
    {'1', nullptr, "with -n or -s: on the job's line"},
    {'u', "users", "as -a, jobs of these users"},
    {'G', nullptr, "as -a, sizes in gigabytes"},
    {'M', nullptr, "as -a, sizes in megawords"},
    {'t', nullptr, "subjobs too"},
    {'J', nullptr, "job arrays only"},
    {'x', nullptr, "finished jobs too"},
    {'p', nullptr, "percentage done instead of cpu time"},
    {'E', nullptr, "group the jobs by server"},
    {'f', nullptr, "every attribute"},
    {'w', nullptr, "wide columns; with -f: no wrapping"},
    {'F', "format", "with -f: json or dsv"},
    {'D', "delim", "with -F dsv: what stands between attributes"},
    {'Q', nullptr, "queues"},
    {'q', nullptr, "queues in the alternative format"},
    {'B', nullptr, "servers"},
};
constexpr command qstat = {
    "qstat",
    "usage: \n"
    "qstat [-f] [-J] [-p] [-t] [-x] [-E] [-F format | -w] [-D delim] [ job_identifier... | destination... ]\n"
    "qstat [-a|-i|-r|-H|-T] [-J] [-t] [-u user] [-n] [-s] [-G|-M] [-1] [-w]\n"
    "\t[ job_identifier... | destination... ]\n"
    "qstat -Q [-f] [-F format] [-D delim] [ destination... ]\n"
    "qstat -q [-G|-M] [ destination... ]\n"
    "qstat -B [-f] [-F format] [-D delim] [ server_name... ]\n"
    "qstat --version\n",
    options};

constexpr const char why_help[] = "  --why                why the named jobs wait, or what they do; with -F json as data\n";

constexpr const char finished_help[] =
    "  --since MOMENT       with -x or -H: of finished jobs those that ended then or later\n"
    "  --newest N           with -x or -H: of finished jobs so many, with the highest numbers\n";

constexpr int cannot_connect = 255;

// Reads once what the letters ask for.
struct given_options {
  explicit given_options(const command_line& line) : given(line) {}
  bool has(char c) const { return given.has(c); }
  bool any(std::string_view letters) const {
    for (const char c : letters)
      if (has(c)) return true;
    return false;
  }
  int count(std::string_view letters) const {
    int n = 0;
    for (const char c : letters) n += has(c);
    return n;
  }
  bool alternative() const { return any("airHTsnuGM"); }
  bool conflict() const {
    return (has('F') && !any("QBq") && alternative()) || (has('1') && !any("ns")) ||
           (has('F') && (!has('f') || has('w'))) || (has('D') && format() != object_format::dsv) || count("QqB") > 1 || count("irHT") > 1 ||
           count("GM") > 1 || (has('q') && has('f')) || (any("QqB") && any("airHTsnuJxp1E"));
  }
  bool is_torques() const { return has('f') && has('1') && !any("ns"); }  // qstat -f -1
  object_format format() const {
    return has('F') ? parse_object_format(*given.find('F')).value_or(object_format::text) : object_format::text;
  }
  size_unit unit() const {
    return has('G') ? size_unit::gigabytes : has('M') ? size_unit::megawords
                                                      : size_unit::as_given;
  }

  const command_line& given;
};

// --since and --newest.
struct which_finished {
  std::int64_t since_s = 0;
  std::uint64_t newest = 0;
  bool given() const { return since_s != 0 || newest != 0; }
};

struct kind_words {
  ObjectKind kind;
  const char* heading;
  const char* group;
};
kind_words kind_of(const given_options& w) {
  if (w.any("Qq")) return {ObjectKind::QUEUE, "Queue: ", "Queue"};
  if (w.has('B')) return {ObjectKind::SERVER, "Server: ", "Server"};
  return {ObjectKind::JOB, "Job Id: ", "Jobs"};
}

std::unique_ptr<object_form> make_form(const given_options& w, std::int64_t now, const std::string& server) {
  const kind_words k = kind_of(w);
  if (w.format() == object_format::json) return json_form(k.kind, k.group, now, pbs_version(), server);
  if (w.format() == object_format::dsv) return dsv_form(k.kind, k.heading, w.has('D') ? *w.given.find('D') : "|");
  if (w.has('f') && (k.kind != ObjectKind::JOB || !w.alternative())) return full_form(k.kind, k.heading, !w.has('w'));
  if (w.has('Q')) return queue_table_form();
  if (w.has('B')) return server_table_form();
  if (w.has('q')) return queue_list_form(w.unit(), server);
  if (!w.alternative()) return job_table_form({.wide = w.has('w'), .percent = w.has('p')});
  return job_list_form({.wide = w.has('w'),
                        .comments = w.has('s'),
                        .hosts = w.has('n'),
                        .same_line = w.has('1'),
                        .estimates = w.has('T'),
                        .by_start = !w.has('a'),
                        .unit = w.unit()},
                       now, server);
}

// qstat --why: why jobs wait, or what they do.
class why_run {
 public:
  why_run(const command_line& line, const moment& at) : words_(line.words), json_(line.has('F')), at_(at), server_name_(server_name()) {}

  int go() {
    const auto now = at_.seconds_or(std::time(nullptr));
    if (json_) document_.begin(out_.text(), now, pbs_version(), short_server_name(server_name_));
    for (const auto& word : words_) ask_about(word);
    if (json_) document_.end(out_.text());
    out_.flush();
    return out_.failed() && status_ == 0 ? 1 : status_;
  }

 private:
  struct told_job {
    kept_object what;
    schema::sealed<schema::JobWhy> why;
  };

  void ask_about(const std::string& word) {
    const auto id = parse_job_name(word, server_name_);
    if (!id) {
      out_.flush();
      print_error("qstat: illegally formed job identifier: %s\n", word.c_str());
      status_ = 1;
      return;
    }
    stat_question q;
    q.names = {id->id};
    q.at = at_;
    q.why = true;
    std::vector<told_job> told;
    const auto outcome = ask_why(open(id->server), q, [&](const object_view& job, schema::JobWhy::Reader why) {
      told.push_back({{std::string(job.name), std::string(job.packed)}, schema::copy_of<schema::JobWhy>(why)});
    });
    const auto unusable = unusable_of(told, id->server);
    const auto others = others_of(told, id->server);
    for (const auto& job : told)
      if (json_) document_.put(out_.text(), job.what.view(), *job.why, unusable, others);
      else put_why_text(out_.text(), job.what.view(), *job.why, unusable, others);
    if (outcome.refused) refuse(*outcome.refused);
    for (const auto& unknown : outcome.unknown) refuse(unknown);
  }

  // False: there is none.
  static bool each_once(std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return !names.empty();
  }

  // The server's answer has those that are there, and that who asks may see.
  known_jobs others_of(const std::vector<told_job>& jobs, const std::string& server) {
    namespace ids = attributes::job;
    static constexpr attributes::attribute_id wanted[] = {ids::job_state, ids::stime, ids::Exit_status, ids::max_run_subjobs,
                                                          ids::array_state_count};
    stat_question q;
    q.wanted = wanted;
    q.history = schema::History::ALSO;
    q.at = at_;
    for (const auto& job : jobs) std::ranges::move(jobs_to_know(job.what.view()), std::back_inserter(q.names));
    known_jobs all;
    if (!each_once(q.names)) return all;
    ask(open(server), q, [&](const object_view& job) { all.emplace(job.name, job.packed); });
    return all;
  }

  // Asks the server for the state of the vnodes that the reasons name, and for what explains it.
  unusable_vnodes unusable_of(const std::vector<told_job>& jobs, const std::string& server) {
    static constexpr attributes::attribute_id wanted[] = {attributes::node::state, attributes::node::comment, attributes::node::jobs,
                                                          attributes::node::resv};
    stat_question q;
    q.kind = schema::ObjectKind::NODE;
    q.wanted = wanted;
    q.at = at_;
    for (const auto& job : jobs)
      for (const auto vnode : (*job.why).getData().getVnodes()) q.names.push_back(schema::str(vnode));
    unusable_vnodes all;
    if (!each_once(q.names)) return all;
    ask(open(server), q, [&](const object_view& vnode) {
      if (auto words = words_of_state(vnode); !words.empty()) all.emplace(vnode.name, std::move(words));
    });
    return all;
  }

  void refuse(const refused_name& why) {
    out_.flush();
    status_ = print_refusal("qstat", why.code, why.text, why.name);
  }

  session& open(const std::string& server) {
    if (!session_ || server != open_server_) session_.emplace(session::to_read_with_first_request(server));
    open_server_ = server;
    return *session_;
  }

  const std::vector<std::string>& words_;
  const bool json_;
  const moment at_;
  const std::string server_name_;
  why_json document_;
  output out_;
  std::optional<session> session_;
  std::string open_server_;
  int status_ = 0;
};

// One run of the command over its words.
class run {
 public:
  run(const command_line& line, const moment& at, which_finished finished)
      : w_(line),
        at_(at),
        finished_(finished),
        now_(at.seconds_or(std::time(nullptr))),
        kind_(kind_of(w_).kind),
        server_name_(server_name()),
        short_name_(short_server_name(server_name_)),
        form_(make_form(w_, now_, short_name_)) {
    wanted_.assign(form_->wanted().begin(), form_->wanted().end());
  }

  int go() {
    const std::vector<std::string>& words = w_.given.words;
    if (words.empty()) ask_about(question(), {});
    for (std::size_t i = 0; i < words.size();)
      i = kind_ == ObjectKind::JOB ? job_word(words, i) : object_word(words, i);
    form_->end(out_.text(), status_ != 0);
    out_.flush();
    return out_.failed() && status_ == 0 ? 1 : status_;
  }

 private:
  stat_question question() const {
    stat_question q;
    q.kind = kind_;
    q.at = at_;
    if (kind_ != ObjectKind::JOB) return q;
    q.subjobs = w_.has('t');
    q.since_s = finished_.since_s;
    q.newest = finished_.newest;
    if (w_.has('x')) q.history = schema::History::ALSO;
    if (w_.has('H')) q.history = schema::History::ONLY;
    if (w_.has('i')) q.states = "EHQTWB";
    if (w_.has('r')) q.states = "R";
    if (const std::string* users = w_.given.find('u')) {
      for (const auto& user : values::split_trimmed(*users)) q.users.emplace_back(user);
    }
    return q;
  }

  // Takes all ids that follow each other, or one destination. Answers the index of the next word.
  std::size_t job_word(const std::vector<std::string>& words, std::size_t at) {
    stat_question q = question();
    std::string server;
    while (at < words.size()) {
      const auto id = parse_job_name(words[at], server_name_);
      if (!id || (!q.names.empty() && id->server != server)) break;
      server = id->server;
      q.names.push_back(id->id);
      ++at;
    }
    if (!q.names.empty()) {
      ask_about(q, server);
      return at;
    }
    const std::string& word = words[at];
    const auto place = parse_destination(word);
    if (word.empty() || !place || (word[0] >= '0' && word[0] <= '9')) {
      out_.flush();
      print_error("qstat: illegally formed job identifier: %s\n", word.c_str());
      status_ = 1;
    } else if (place->queue.empty() || queue_exists(*place)) {
      q.queue = place->queue;
      ask_about(q, place->server);
    }
    return at + 1;
  }

  std::size_t object_word(const std::vector<std::string>& words, std::size_t at) {
    stat_question q = question();
    const auto place = parse_destination(words[at]);
    std::string server = words[at];  // -B
    if (kind_ == ObjectKind::QUEUE && place) {
      server = place->server;
      if (!place->queue.empty()) q.names = {place->queue};
    }
    ask_about(q, server);
    return at + 1;
  }

  bool queue_exists(const destination& place) {
    stat_question q;
    q.kind = ObjectKind::QUEUE;
    q.at = at_;
    q.names = {place.queue};
    static constexpr attributes::attribute_id little[] = {attributes::queue::queue_type};
    q.wanted = little;
    const stat_outcome outcome = ask(open(place.server), q, [](const object_view&) {});
    if (outcome.refused) refuse(*outcome.refused);
    if (outcome.unknown.empty()) return !outcome.refused;
    refuse({"destination " + place.queue, outcome.unknown.front().code, outcome.unknown.front().text});
    return false;
  }

  void ask_about(stat_question q, const std::string& server) {
    q.wanted = wanted_;
    const auto show = [&](const object_view& o) {
      if (is_shown(q, o)) form_->put(out_.text(), o);
    };
    const stat_outcome outcome = ask(open(server), q, show, [&] { out_.flush_if_large(); });
    if (outcome.refused) refuse(*outcome.refused);
    for (const refused_name& u : outcome.unknown) refuse(u);
  }

  // -J, and what the server leaves to us when jobs are named. Of arrays and subjobs that are named PBS asks no state.
  bool is_shown(const stat_question& q, const object_view& o) const {
    if (kind_ != ObjectKind::JOB) return true;
    const bool of_array = o.name.find('[') != std::string_view::npos;
    if (w_.has('J') && !of_array) return false;
    if (q.names.empty()) return true;
    const std::string_view state = value_of(o, attributes::job::job_state);
    if (!of_array && !q.states.empty() && q.states.find(state) == std::string::npos) return false;
    if (q.users.empty()) return true;
    const std::string_view owner = value_of(o, attributes::job::Job_Owner), user = owner.substr(0, owner.find('@'));
    for (const std::string& u : q.users)
      if (u == owner || u == user) return true;
    return false;
  }

  void refuse(const refused_name& why) {
    out_.flush();  // so that what belongs before stands before
    if (why.code == pbs_error::job_has_finished) {
      print_error("qstat: %s Job has finished, use -x or -H to obtain historical job information\n",
                  why.name.c_str());
      status_ = exit_status(why.code);
    } else {
      status_ = print_refusal("qstat", why.code, why.text, why.name);
    }
  }

  session& open(const std::string& server) {
    if (!session_ || server != open_server_) session_.emplace(session::to_read_with_first_request(server));
    open_server_ = server;
    return *session_;
  }

  given_options w_;
  moment at_;
  which_finished finished_;
  std::int64_t now_;
  ObjectKind kind_;
  std::string server_name_, short_name_;
  std::unique_ptr<object_form> form_;
  std::vector<attributes::attribute_id> wanted_;
  output out_;
  std::optional<session> session_;
  std::string open_server_;
  int status_ = 0;
};

std::optional<std::string> check(const given& g) {
  if (g.letter == 'F' && !parse_object_format(g.value)) return std::string();
  return std::nullopt;
}

// Takes the word out of the arguments, wherever it stands before "--".
bool take_word(std::vector<std::string>& arguments, std::string_view word) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto at = std::find(arguments.begin(), end, word);
  if (at == end) return false;
  arguments.erase(at);
  return true;
}

bool fits_why(const command_line& line) {
  for (const auto& o : options)
    if (o.letter != 'F' && line.has(o.letter)) return false;
  return !line.words.empty() && (!line.has('F') || parse_object_format(*line.find('F')) == object_format::json);
}

// Takes them out of the arguments. Nothing: a value is wrong, and that has been said.
std::optional<which_finished> take_which_finished(std::vector<std::string>& arguments) {
  which_finished found;
  const auto wrong = [](const char* option, const std::string& value) {
    print_error("qstat: illegal %s value: %s\n", option, value.c_str());
    return std::nullopt;
  };
  if (const auto value = take_long_option(arguments, "--since")) {
    const auto at = parse_moment(*value);
    if (!at || at->what != moment::kind::wall_time || at->wall_ns <= 0) {
      print_error("%s", time_error("qstat", "--since", *value).c_str());
      return std::nullopt;
    }
    found.since_s = at->seconds_or(0);
  }
  if (const auto value = take_long_option(arguments, "--newest")) {
    const char* end = value->data() + value->size();
    const auto [read_to, error] = std::from_chars(value->data(), end, found.newest);
    if (error != std::errc() || read_to != end || found.newest == 0) return wrong("--newest", *value);
  }
  return found;
}

// They choose among finished jobs that are not named.
bool fits_finished(const command_line& line) {
  const std::string server = server_name();
  return (line.has('x') || line.has('H')) &&
         std::none_of(line.words.begin(), line.words.end(), [&](const auto& word) { return parse_job_name(word, server).has_value(); });
}

bool fits_together(const command_line& line, bool why, bool finished) {
  if (finished && (why || !fits_finished(line))) return false;
  return why ? fits_why(line) : !given_options(line).conflict();
}

// Behind PBS's own words: what is missing for options that PBS has not.
std::string conflict_text(const command_line& line, bool why, bool finished) {
  std::string says = ".";
  if (finished && why) says = ": --since and --newest list finished jobs, --why tells of jobs that are named.";
  else if (finished) says = ": --since and --newest need -x or -H, and no ids of jobs.";
  else if (why && line.words.empty()) says = ": --why needs the ids of jobs.";
  else if (why) says = ": with --why goes no other option than -F json.";
  else if (given_options(line).is_torques()) says = ": with -f, -w prints each attribute in one line.";
  return "qstat: conflicting options" + says;
}

int work(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") return std::puts(version_line().c_str()) < 0;
  if (arguments.size() == 1 && arguments[0] == "--help")
    return std::printf("%s%s%s%s", help_text(qstat).c_str(), moment_help.c_str(), finished_help, why_help) < 0;
  std::string bad;
  const auto at = take_moment(arguments, &bad);
  if (!at) {
    print_error("%s", moment_error("qstat", "--at", bad).c_str());
    return usage(qstat);
  }
  const auto finished = take_which_finished(arguments);
  if (!finished) return usage(qstat);
  const bool why = take_word(arguments, "--why");
  command_line line = parse_options(qstat, arguments, check);
  if (line.problems.empty() && !fits_together(line, why, finished->given()))
    line.problems.push_back(conflict_text(line, why, finished->given()));
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  if (!line.problems.empty()) return usage(qstat);
  if (const std::string* users = line.find('u'); users != nullptr && users->empty())
    return print_refusal("qstat", pbs_error::bad_value, "Illegal attribute or resource value ");
  return why ? why_run(line, *at).go() : run(line, *at, *finished).go();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return work(argc, argv);
  } catch (const session_error& e) {
    print_session_error("qstat", e);
    return cannot_connect;
  } catch (const std::exception& e) {
    print_error("qstat: %s\n", e.what());
    return 1;
  }
}
