// qmgr: creates, changes, lists and prints the server's objects (pbs guide: qmgr). Commands come from -c or standard
// input.
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <list>
#include <map>
#include <optional>

#include "events/model/limits.hpp"
#include "events/values/base64.hpp"
#include "events/values/number.hpp"
#include "events/values/pbs_error.hpp"
#include "tools/client/editing/typed_commands.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/options.hpp"
#include "tools/client/print/manager_text.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/content_file.hpp"
#include "tools/client/query/manager_command.hpp"
#include "tools/client/query/output.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/client/version.hpp"

namespace {

using namespace annals;
using namespace annals::client;
using schema::ObjectKind;

constexpr option options[] = {
    {'a', nullptr, "end at the first error"},
    {'c', "command", "run this command and end"},
    {'e', nullptr, "print each command"},
    {'n', nullptr, "check the syntax, do nothing"},
    {'z', nullptr, "print no errors"},
};
constexpr command qmgr = {"qmgr",
                          "Usage: qmgr [-a] [-c command] [-e] [-n] [-z] [server...]\n"
                          "       qmgr --version\n",
                          options};

// Exit statuses (pbs guide: qmgr).
constexpr int list_refused = 1, bad_history = 4, aborted_by_refusal = 2, no_server = 3, hook_refused = 32, help_given = 255;

ObjectKind kind_of(manager_object object) {
  switch (object) {
    case manager_object::queue:
      return ObjectKind::QUEUE;
    case manager_object::node:
      return ObjectKind::NODE;
    case manager_object::resource:
      return ObjectKind::RESOURCE;
    case manager_object::scheduler:
      return ObjectKind::SCHEDULER;
    case manager_object::hook:
    case manager_object::pbs_hook:
      return ObjectKind::HOOK;
    default:
      return ObjectKind::SERVER;
  }
}

struct result {
  int status = 0;
  bool refused = false;  // by the server, not by the parser
  bool quit = false;
};

class manager {
 public:
  explicit manager(const command_line& line) : line_(line) {
    std::vector<std::string> servers = line.words;
    if (servers.empty()) servers.push_back({});
    reads_ = line.has('c') && only_reads(*line.find('c'));
    for (const std::string& s : servers) servers_.push_back({s.empty() ? "default" : s, opened(s)});
  }

  void has_history(const command_history& of) { history_ = &of; }

  result run(const std::string& text) {
    if (line_.has('e')) say(text + "\n");
    const auto parsed = parse_manager_command(text);
    if (const auto* problem = std::get_if<manager_problem>(&parsed)) {
      complain(problem_text(*problem, text));
      return {problem_status(*problem)};
    }
    if (line_.has('n')) return {};
    return run(std::get<manager_command>(parsed));
  }

 private:
  struct open_server {
    std::string name;
    session link;
  };

  session opened(const std::string& server) const { return reads_ ? session::open_to_read(server) : session::open(server); }

  // A print of hooks has their files, which only the server has.
  static bool only_reads(const std::string& text) {
    const auto parsed = parse_manager_command(text);
    const auto* c = std::get_if<manager_command>(&parsed);
    return c && (c->verb == manager_verb::list || (c->verb == manager_verb::print && c->object != manager_object::hook));
  }

  result run(const manager_command& c) {
    switch (c.verb) {
      case manager_verb::quit:
        return {0, false, true};
      case manager_verb::history:
        return show_history(c.rest);
      case manager_verb::help:
        say(manager_help(c.rest));
        return {help_given};
      case manager_verb::active:
        return make_active(c);
      default:
        break;
    }
    if (c.object == manager_object::hook || c.object == manager_object::pbs_hook) return hooks(c);
    const std::optional<std::vector<std::string>> names = names_of(c);
    if (!names) return {};
    const bool shows = c.verb == manager_verb::list || c.verb == manager_verb::print;
    return at_servers(c.object, *names, [&](open_server& s, const std::vector<std::string>& there) {
      return shows ? show(s, c, there) : change(s, c, there);
    });
  }

  // Does something with the names of each server: of one that stands behind '@', or of those that qmgr was started for.
  template <class Work>
  result at_servers(manager_object object, const std::vector<std::string>& names, Work&& work) {
    result all;
    const auto note = [&](const result& one) {
      if (one.status != 0) all = one;
    };
    for (const names_at_server& part : by_server(object, names)) {
      if (!part.server.empty())
        note(at_other_server(part.server, [&](open_server& s) { return work(s, part.names); }));
      else
        for (open_server& s : servers_) note(work(s, part.names));
    }
    return all;
  }

  template <class Work>
  result at_other_server(const std::string& name, Work&& work) {
    try {
      return work(other_server(name));
    } catch (const session_error& e) {
      complain(std::string(e.what()) + "\nqmgr: cannot connect to server " + name + "\n");
      return {list_refused, true, false};
    }
  }

  // It stays open for further commands.
  open_server& other_server(const std::string& name) {
    for (open_server& s : others_)
      if (s.name == name) return s;
    return others_.emplace_back(open_server{name, opened(name)});
  }

  // What was typed at a terminal; elsewhere there is none.
  result show_history(const std::string& last) {
    const auto number = last.empty() ? std::optional<std::int64_t>(INT64_MAX) : values::parse_integer(last);
    if (!number || *number < 0) {
      complain("qmgr: not a number of commands: " + last + "\n");
      return {bad_history};
    }
    if (history_) say(history_->listed(static_cast<std::size_t>(*number)));
    return {};
  }

  result make_active(const manager_command& c) {
    static const std::map<manager_object, const char*> titles = {
        {manager_object::server, "servers"},
        {manager_object::queue, "queues"},
        {manager_object::node, "nodes"},
        {manager_object::hook, "hooks"},
        {manager_object::resource, "resources"},
        {manager_object::scheduler, "scheds"},
    };
    if (!c.names.empty()) {
      active_[c.object] = c.names;
      return {};
    }
    const auto title = titles.find(c.object);
    say(std::string("Active ") + (title == titles.end() ? "objects" : title->second) + ":\n");
    if (c.object == manager_object::server)
      for (const open_server& s : servers_) say(s.name + "\n");
    else
      for (const std::string& n : active_[c.object]) say(n + "\n");
    return {};
  }

  // The objects a command means; an empty list: all, or the one there is. Nothing: there is nothing to do.
  std::optional<std::vector<std::string>> names_of(const manager_command& c) {
    if (!c.names.empty()) return c.names;
    if (const auto at = active_.find(c.object); at != active_.end()) return at->second;
    if (c.object == manager_object::queue) return nothing_to_do("No Active Queues, nothing done.\n");
    if (c.object == manager_object::node) return nothing_to_do("No Active Nodes, nothing done.\n");
    return std::vector<std::string>{};
  }
  std::optional<std::vector<std::string>> nothing_to_do(const std::string& text) {
    complain(text);
    return std::nullopt;
  }

  // -- set, unset, create, delete
  // ----------------------------------------------------------------------------------------

  result change(open_server& server, const manager_command& c, std::vector<std::string> names) {
    manage_request request;
    request.kind = kind_of(c.object);
    request.changes = c.changes;
    request.pbs_hook = c.object == manager_object::pbs_hook;
    switch (c.verb) {
      case manager_verb::create:
        request.verb = schema::ManageVerb::CREATE;
        break;
      case manager_verb::remove:
        request.verb = schema::ManageVerb::DELETE;
        break;
      case manager_verb::unset:
        request.verb = schema::ManageVerb::UNSET;
        break;
      default:
        request.verb = schema::ManageVerb::SET;
        break;
    }
    if (names.empty()) names.push_back({});
    result all;
    for (const std::string& name : names) {
      request.all_of_kind = name.starts_with('@');
      // The scheduler without a name is the default one.
      request.name = request.all_of_kind                                     ? std::string()
                     : name.empty() && request.kind == ObjectKind::SCHEDULER ? "default"
                                                                             : name;
      if (const auto why = manage(server.link, request)) {
        const bool nameless = request.kind == ObjectKind::SERVER && request.verb != schema::ManageVerb::DELETE;
        // An attribute that is read-only on a node is refused without a word when it is set, not when it is unset.
        const bool silent = why->code == values::pbs_error::read_only_attribute && request.kind == ObjectKind::NODE &&
                            request.verb == schema::ManageVerb::SET;
        if (!silent) complain(refusal_text(server, nameless ? std::string() : name, why->code, why->text));
        all = {why->code == values::pbs_error::hook_error ? hook_refused : exit_status(why->code), true, false};
      }
    }
    return all;
  }

  // PBS does not say everything it knows: an unknown attribute is not named, and some names are refused by number only.
  static std::string refusal_text(const open_server& server, const std::string& object, std::uint32_t code, std::string text) {
    constexpr std::uint32_t undefined = 15002, name_too_long = 15028, bad_name = 15172;
    if (code == values::pbs_error::hook_error) return hook_error(server, object, text);
    if (code == undefined) text = "Undefined attribute ";
    if (code == name_too_long || code == bad_name) text.clear();
    std::string lines;
    if (!text.empty()) lines = "qmgr obj=" + object + " svr=" + server.name + refusal_line("", code, text) + "\n";
    return lines + "qmgr: Error (" + std::to_string(code) + ") returned from server\n";
  }

  // -- list, print
  // -------------------------------------------------------------------------------------------------------

  result show(open_server& server, const manager_command& c, const std::vector<std::string>& names) {
    const ObjectKind kind = kind_of(c.object);
    const bool print = c.verb == manager_verb::print;
    if (kind == ObjectKind::SERVER) return show_server(server, c);
    if (print && !(kind == ObjectKind::RESOURCE && !names.empty())) return show_kind(server, c, kind, names, true);
    return show_kind(server, c, kind, names, false);
  }

  result show_server(open_server& server, const manager_command& c) {
    if (c.verb == manager_verb::print && c.changes.empty()) {
      show_kind(server, c, ObjectKind::RESOURCE, {}, true);
      show_kind(server, c, ObjectKind::QUEUE, {}, true);
    }
    return show_kind(server, c, ObjectKind::SERVER, {}, true);
  }

  // `heading`: print's heading of the kind goes before the first object.
  result show_kind(open_server& server, const manager_command& c, ObjectKind kind,
                   const std::vector<std::string>& names, bool heading) {
    const manager_printer printer(kind, asked_names(c));
    const stat_question q = question(kind, names);
    const bool print = c.verb == manager_verb::print, all = q.names.empty();
    bool first = true;
    std::string shared;  // of all vnodes: behind them
    const stat_outcome outcome = ask(server.link, q, [&](const object_view& o) {
      if (print && all && kind == ObjectKind::QUEUE && is_reservation_queue(o.name)) return;
      if (print && heading && first) printer.print_heading(out_.text());
      first = false;
      if (print)
        printer.print(out_.text(), o, all && kind == ObjectKind::NODE ? &shared : nullptr);
      else
        printer.list(out_.text(), o);
    });
    out_.text() += shared;
    result r;
    if (outcome.refused) r = refused(server, *outcome.refused);
    for (const refused_name& u : outcome.unknown) r = refused(server, u);
    out_.flush();
    return r;
  }

  static std::vector<std::string> asked_names(const manager_command& c) {
    std::vector<std::string> asked;
    for (const attribute_change& a : c.changes)
      asked.push_back(a.resource.empty() ? a.name : a.name + "." + a.resource);
    return asked;
  }
  static stat_question question(ObjectKind kind, const std::vector<std::string>& names) {
    stat_question q;
    q.kind = kind;
    for (const std::string& n : names)
      if (!n.starts_with('@')) q.names.push_back(n);
    return q;
  }

  result refused(const open_server& server, const refused_name& why) {
    complain(refusal_text(server, why.name, why.code, why.text));
    return {list_refused, true, false};
  }

  // -- hooks
  // -------------------------------------------------------------------------------------------------------------

  result hooks(const manager_command& c) {
    switch (c.verb) {
      case manager_verb::list:
      case manager_verb::print:
        return show_hooks(c);
      case manager_verb::import:
        return import_hook(c);
      case manager_verb::export_:
        return export_hook(c);
      default:
        break;
    }
    return at_servers(c.object, c.names.empty() ? active_[c.object] : c.names,
                      [&](open_server& s, const std::vector<std::string>& there) { return change(s, c, there); });
  }

  // Hooks that PBS brings along: there are none here, so nothing is shown of them (and `print` never shows them).
  result show_hooks(const manager_command& c) {
    if (c.object == manager_object::pbs_hook && c.verb == manager_verb::print) return {list_refused};
    const result all = at_servers(c.object, c.names, [&](open_server& s, const std::vector<std::string>& there) {
      return show_hooks(s, c, there);
    });
    out_.flush();
    return all;
  }

  result show_hooks(open_server& server, const manager_command& c, const std::vector<std::string>& names) {
    const bool print = c.verb == manager_verb::print;
    const manager_printer printer(ObjectKind::HOOK, asked_names(c));
    std::vector<kept_object> found;
    const stat_outcome outcome = ask_all(server.link, question(ObjectKind::HOOK, names), found);
    if (outcome.refused) {
      complain(print ? hook_error(server, {}, outcome.refused->text) : outcome.refused->text + "\n");
      return {print ? list_refused : 0, true, false};
    }
    if (c.object == manager_object::pbs_hook) found.clear();
    if (print && !found.empty()) printer.print_heading(out_.text());
    for (const kept_object& o : found) {
      if (!print) {
        printer.list(out_.text(), o.view());
        continue;
      }
      printer.print(out_.text(), o.view());
      if (c.changes.empty()) print_contents(server, o.name);
    }
    for (const refused_name& u : outcome.unknown) complain(hook_error(server, u.name, u.text));
    const bool none = !outcome.unknown.empty() || (c.object == manager_object::pbs_hook && !names.empty());
    return {none ? list_refused : 0, none, false};
  }

  void print_contents(open_server& server, const std::string& name) {
    for (const char* type : {"application/x-python", "application/x-config"}) {
      const hook_content content = fetch_hook(server.link, name, type, false);
      if (content.refused || content.base64.empty()) continue;
      out_.text() += "import hook " + name + " " + type + " base64 -\n" + content.base64 + "\n";
    }
  }

  result import_hook(const manager_command& c) {
    const std::string &encoding = c.content[1], &file = c.content[2];
    std::string text;
    if (const int failed = read_content(file, encoding == "base64", text); failed != 0) {
      complain(file + " - " + std::strerror(failed) + "\n");
      return {list_refused};
    }
    manage_request request;
    request.verb = schema::ManageVerb::IMPORT;
    request.kind = ObjectKind::HOOK;
    request.pbs_hook = c.object == manager_object::pbs_hook;
    request.content_type = c.content[0];
    request.content_file = file;
    const auto decoded = encoding == "base64" ? values::from_base64(text) : std::optional(text);
    return at_servers(c.object, c.names, [&](open_server& s, const std::vector<std::string>& there) {
      result all;
      for (const std::string& name : there) {
        request.name = name;
        std::optional<refusal> why;
        std::string note;
        if (encoding != "base64" && encoding != "default")
          why = refusal{0, "<content-encoding> must be 'default' or 'base64'"};
        else if (!decoded)
          why = refusal{0, "the content is not base64, hook '" + name + "' contents not overwritten"};
        else if (decoded->size() > limits::inline_hook_bytes_max)  // more than a request could carry, perhaps
          why = refusal{0, "a hook's content can have at most " + std::to_string(limits::inline_hook_bytes_max) + " bytes, " + file +
                               " has " + std::to_string(decoded->size()) + ", hook '" + name + "' contents not overwritten"};
        else
          request.content = *decoded, why = manage(s.link, request, &note);
        if (!note.empty()) complain(note + "\n");
        if (!why) continue;
        complain(hook_error(s, name, why->text));
        all = {hook_refused, true, false};
      }
      return all;
    });
  }

  result export_hook(const manager_command& c) {
    return at_servers(c.object, c.names, [&](open_server& s, const std::vector<std::string>& there) {
      result all;
      for (const std::string& name : there) {
        const hook_content content = fetch_hook(s.link, name, c.content[0], c.object == manager_object::pbs_hook);
        if (content.refused) {
          complain(hook_error(s, name, content.refused->text));
          all = {hook_refused, true, false};
          continue;
        }
        const std::string text = c.content[1] == "base64" ? content.base64 : values::from_base64(content.base64).value_or("");
        const std::string file = c.content.size() > 2 ? c.content[2] : std::string();
        if (file.empty()) out_.put_content(text), out_.flush();
        else if (const int failed = write_content(file, text); failed != 0) {
          complain(file + " - " + std::strerror(failed) + "\n");
          all = {list_refused};
        }
      }
      return all;
    });
  }

  static std::string hook_error(const open_server& server, const std::string& name, const std::string& text) {
    return "qmgr obj=" + name + " svr=" + server.name + ": " + text + "\nqmgr: hook error returned from server\n";
  }

  void say(const std::string& text) {
    out_.text() += text;
    out_.flush();
  }
  void complain(const std::string& text) {
    out_.flush();
    if (!line_.has('z')) print_whole_error(text);
  }

  const command_line& line_;
  bool reads_ = false;
  std::vector<open_server> servers_;
  std::list<open_server> others_;
  std::map<manager_object, std::vector<std::string>> active_;
  const command_history* history_ = nullptr;
  output out_;
};

// With -a any error ends the run: 2 when the server refused, else 1.
int abort_status(const result& r) { return r.refused ? aborted_by_refusal : 1; }

// A command of standard input, which may have gone on over several lines; nothing: there is no more.
std::optional<std::string> piped_command() {
  if (isatty(STDIN_FILENO) != 0) std::fputs("Qmgr: ", stdout), std::fflush(stdout);
  std::string text, line;
  if (!std::getline(std::cin, text)) return std::nullopt;
  while (is_continued(text) && std::getline(std::cin, line)) text += "\n" + line;
  return text;
}

int run_input(manager& m, bool abort) {
  // PBS's qmgr announces how many servers it can talk to; scripts skip this line.
  std::fputs("Max open servers: 49\n", stdout);
  std::fflush(stdout);
  std::optional<typed_commands> typed;
  if (isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) m.has_history(typed.emplace().history());
  int status = 0;
  while (const auto text = typed ? typed->next() : piped_command())
    for (const std::string& one : split_manager_input(*text)) {
      const result r = m.run(one);
      status = r.status;
      if (r.quit) return 0;
      if (abort && r.status != 0) return abort_status(r);
    }
  return status;
}

int work(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") return std::puts(version_line().c_str()) < 0;
  if (arguments.size() == 1 && arguments[0] == "--help") return std::fputs(help_text(qmgr).c_str(), stdout) < 0;
  const command_line line = parse_options(qmgr, arguments);
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  if (!line.problems.empty()) {
    usage(qmgr);
    return 1;
  }
  manager m(line);
  if (!line.has('c')) return run_input(m, line.has('a'));
  const result r = m.run(*line.find('c'));
  return line.has('a') && r.status != 0 ? abort_status(r) : r.status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return work(argc, argv);
  } catch (const session_error& e) {
    const std::string name = e.asked_for.empty() ? server_name() : e.asked_for;
    print_error("%s\nqmgr: cannot connect to server %s\n", e.what(), name.c_str());
    return no_server;
  } catch (const std::exception& e) {
    print_error("qmgr: %s\n", e.what());
    return 1;
  }
}
