// pbsnodes: the status of hosts and vnodes, and marking hosts offline (pbs guide: pbsnodes).
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iterator>

#include "events/attributes/ids.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/option_values.hpp"
#include "tools/client/options.hpp"
#include "tools/client/print/nodes.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/manage.hpp"
#include "tools/client/query/output.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/client/version.hpp"

namespace {

using namespace annals;
using namespace annals::client;
using schema::ObjectKind;

constexpr option options[] = {
    {'a', nullptr, "all hosts"},
    {'v', nullptr, "vnodes instead of hosts"},
    {'H', nullptr, "the named hosts"},
    {'l', nullptr, "hosts that are offline or down"},
    {'o', nullptr, "mark the named hosts offline"},
    {'r', nullptr, "clear offline of the named hosts"},
    {'C', "comment", "set the comment of the named hosts; an empty one removes it"},
    {'S', nullptr, "one line each"},
    {'j', nullptr, "with -S: jobs and what is free"},
    {'L', nullptr, "with -S: cut nothing"},
    {'F', "format", "json or dsv"},
    {'D', "delim", "with -F dsv: what stands between attributes"},
    {'s', "server", "ask this server"},
    {'q', nullptr, "print no error about unknown nodes"},
};
constexpr command pbsnodes = {"pbsnodes",
                              "usage:\tpbsnodes [-{o|r}][-C comment][-s server] host host ...\n"
                              "\tpbsnodes -l [-s server]\n"
                              "\tpbsnodes [-s server] -v vnode vnode ...\n"
                              "\tpbsnodes -a[v][S[j][L]][-F format][-D delim][-s server]\n"
                              "\tpbsnodes -[H][S[j][L]][-F format][-D delim] host host ...\n"
                              "\tpbsnodes --version\n"
                              "\n",
                              options};

constexpr std::uint32_t unknown_node = 15062;

class run {
 public:
  run(const command_line& line, const moment& at) : line_(line), at_(at), server_(open(line)) {}

  int go() {
    if (marks(line_)) return mark();
    if (line_.has('a') || line_.has('l'))
      ask_about({}, line_.has('v') ? ObjectKind::NODE : ObjectKind::HOST);
    else
      for (const std::string& word : line_.words) {
        if (line_.has('v')) ask_about({word}, ObjectKind::NODE);
        else ask_about_host(word);
      }
    if (!objects_.empty()) print();
    out_.flush();
    return status_;
  }

 private:
  static bool marks(const command_line& line) { return line.has('o') || line.has('r') || line.has('C'); }
  static session open(const command_line& line) {
    const std::string server = line.has('s') ? *line.find('s') : "";
    return marks(line) ? session::open(server) : session::open_to_read(server);
  }

  void ask_about(const std::vector<std::string>& names, ObjectKind kind) {
    stat_question q;
    q.kind = kind;
    q.names = names;
    q.at = at_;
    report(ask_all(server_, q, objects_));
  }

  // A vnode that is no host can't be named here.
  void ask_about_host(const std::string& host) {
    const auto before = static_cast<std::ptrdiff_t>(objects_.size());
    ask_about({host}, ObjectKind::HOST);
    const auto found = objects_.size();
    objects_.erase(std::remove_if(objects_.begin() + before, objects_.end(), [&](const auto& o) { return !is_on_host(o.view(), host); }),
                   objects_.end());
    if (objects_.size() < found && std::ssize(objects_) == before) report({{{host, unknown_node, "Unknown node"}}, {}});
  }

  void report(const stat_outcome& outcome) {
    if (outcome.refused) status_ = (print_refusal("pbsnodes", outcome.refused->code, outcome.refused->text), 1);
    for (const refused_name& u : outcome.unknown) {
      const std::string line = refusal_line("Node: " + u.name + ",  Error", u.code, u.text);
      if (!line_.has('q')) print_error("%s\n", line.c_str());
      status_ = 1;
    }
  }

  void print() {
    std::vector<object_view> views;
    for (const kept_object& o : objects_) views.push_back(o.view());
    std::vector<std::pair<std::string, node_lines>> rows;
    const std::vector<host_group> hosts = group_by_host(views);
    if (line_.has('l')) {
      for (const host_group& h : hosts) put_unavailable(out_.text(), h);
      return;
    }
    if (line_.has('v') || line_.has('H'))
      for (const object_view& v : views) rows.emplace_back(v.name, lines_of(v, printer_.names()));
    else
      for (const host_group& h : hosts) rows.emplace_back(h.name, lines_of(h, printer_.names()));
    print_rows(rows);
  }

  void print_rows(const std::vector<std::pair<std::string, node_lines>>& rows) {
    const object_format format = line_.has('F') ? *parse_object_format(*line_.find('F')) : object_format::text;
    const bool summary = line_.has('S');
    const summary_options o{.jobs = line_.has('j'), .long_form = line_.has('L')};
    const suspended_jobs suspended = summary && o.jobs ? ask_suspended() : suspended_jobs{};
    const std::string delimiter = line_.has('D') ? *line_.find('D') : "|";
    json_document document("nodes");
    std::string& out = out_.text();
    if (format == object_format::json)
      document.begin(out, at_.seconds_or(std::time(nullptr)), pbs_version(), short_server_name(server_name()));
    else if (format == object_format::text && summary)
      put_summary_heading(out, o);
    for (const auto& [name, lines] : rows) {
      switch (format) {
        case object_format::json:
          if (summary) put_summary_json(out, document, name, lines, o, suspended);
          else node_printer::json(out, document, name, lines);
          break;
        case object_format::dsv:
          if (summary) put_summary_dsv(out, name, lines, o, suspended, delimiter);
          else printer_.dsv(out, name, lines, delimiter);
          break;
        case object_format::text:
          if (summary) put_summary(out, name, lines, o, suspended);
          else printer_.block(out, name, lines);
          break;
      }
    }
    if (format == object_format::json) document.end(out);
  }

  suspended_jobs ask_suspended() {
    stat_question q;
    q.states = "SU";
    q.at = at_;
    static constexpr attributes::attribute_id little[] = {attributes::job::job_state};
    q.wanted = little;
    suspended_jobs ids;
    ask(server_, q, [&](const object_view& job) { ids.emplace(job.name); });
    return ids;
  }

  // Every vnode of the host is changed; a vnode that is no host can't be named here.
  int mark() {
    std::vector<attribute_change> changes;
    if (line_.has('o')) changes.push_back({"state", "", "offline", schema::AttributeOp::INCREMENT});
    if (line_.has('r')) changes.push_back({"state", "", "offline", schema::AttributeOp::DECREMENT});
    if (const std::string* comment = line_.find('C')) {
      changes.push_back(
          {"comment", "", *comment, comment->empty() ? schema::AttributeOp::UNSET : schema::AttributeOp::SET});
    }
    for (const std::string& host : line_.words) {
      if (const auto why = mark_host(host, changes)) {
        const std::string line = refusal_line("x", why->code, why->text);  // for PBS's blank at the end
        print_error("Error marking node %s -%s\n", host.c_str(), line.c_str() + 2);
        status_ = 1;
      }
    }
    return status_;
  }

  std::optional<refused_name> mark_host(const std::string& host, const std::vector<attribute_change>& changes) {
    std::vector<kept_object> found;
    stat_question q;
    q.kind = ObjectKind::HOST;
    q.names = {host};
    static constexpr attributes::attribute_id little[] = {attributes::node::Mom};
    q.wanted = little;
    const stat_outcome outcome = ask_all(server_, q, found);
    if (!outcome.unknown.empty()) return outcome.unknown.front();
    if (outcome.refused) return outcome.refused;
    std::size_t marked = 0;
    for (const kept_object& vnode : found) {
      if (!is_on_host(vnode.view(), host)) continue;
      const auto why = manage(server_, {schema::ManageVerb::SET, ObjectKind::NODE, vnode.name, changes});
      if (why) return refused_name{host, why->code, why->text};
      ++marked;
    }
    if (marked == 0) return refused_name{host, unknown_node, "Unknown node"};
    return std::nullopt;
  }

  const command_line& line_;
  moment at_;
  session server_;
  node_printer printer_;
  std::vector<kept_object> objects_;
  output out_;
  int status_ = 0;
};

bool conflict(const command_line& line) {
  const bool marks = line.has('o') || line.has('r') || line.has('C');
  const bool lists = line.has('a') || line.has('l');
  return (line.has('l') && (line.has('v') || line.has('a') || marks)) || (line.has('o') && line.has('r')) ||
         (marks && (lists || line.words.empty())) || (!lists && !marks && line.words.empty());
}

std::optional<std::string> check(const given& g) {
  if (g.letter == 'F' && !parse_object_format(g.value)) return std::string();
  return std::nullopt;
}

int usage_error() {
  usage(pbsnodes);
  return 1;
}

int work(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") return std::puts(version_line().c_str()) < 0;
  if (arguments.size() == 1 && arguments[0] == "--help")
    return std::printf("%s%s", help_text(pbsnodes).c_str(), moment_help.c_str()) < 0;
  std::string bad;
  const auto at = take_moment(arguments, &bad);
  if (!at) {
    print_error("%s", moment_error("pbsnodes", "--at", bad).c_str());
    return usage_error();
  }
  const command_line line = parse_options(pbsnodes, arguments, check);
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  if (!line.problems.empty() || conflict(line)) return usage_error();
  if (line.has('l') && !line.words.empty()) {
    print_error("pbsnodes: -l takes no host and no state (%s): it lists the hosts that are offline or down; -a shows all\n",
                line.words.front().c_str());
    return usage_error();
  }
  return run(line, *at).go();
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbsnodes", [&] { return work(argc, argv); });
}
