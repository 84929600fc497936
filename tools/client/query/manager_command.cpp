#include "tools/client/query/manager_command.hpp"

#include <optional>

#include "events/attributes/table.hpp"
#include "events/values/limit_spec.hpp"

namespace annals::client {
namespace {

using kind = manager_problem::kind;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<manager_verb> verb_of(std::string_view word) {
  // In the order in which a leading part is tried.
  static constexpr struct {
    std::string_view word;
    manager_verb verb;
  } verbs[] = {
      {"active", manager_verb::active},
      {"create", manager_verb::create},
      {"delete", manager_verb::remove},
      {"set", manager_verb::set},
      {"unset", manager_verb::unset},
      {"list", manager_verb::list},
      {"print", manager_verb::print},
      {"import", manager_verb::import},
      {"export", manager_verb::export_},
      {"help", manager_verb::help},
      {"quit", manager_verb::quit},
      {"exit", manager_verb::quit},
      {"history", manager_verb::history},
      {"?", manager_verb::help},
  };
  for (const auto& v : verbs)
    if (!word.empty() && v.word.substr(0, word.size()) == word) return v.verb;
  return std::nullopt;
}

manager_object object_of(std::string_view word) {
  static constexpr struct {
    std::string_view word;
    manager_object object;
  } objects[] = {
      {"server", manager_object::server},
      {"queue", manager_object::queue},
      {"node", manager_object::node},
      {"hook", manager_object::hook},
      {"pbshook", manager_object::pbs_hook},
      {"resource", manager_object::resource},
      {"sched", manager_object::scheduler},
  };
  for (const auto& o : objects)
    if (!word.empty() && o.word.substr(0, word.size()) == word) return o.object;
  return manager_object::none;
}

const attributes::attribute* attribute_of(manager_object object, std::string_view name) {
  name = name.substr(0, name.find('.'));
  switch (object) {
    case manager_object::server:
      return attributes::find(schema::ObjectKind::SERVER, name);
    case manager_object::queue:
      return attributes::find(schema::ObjectKind::QUEUE, name);
    default:
      return nullptr;
  }
}

names_at_server one_at_server(manager_object object, const std::string& name) {
  const auto at = name.find('@');
  const bool all = at == 0;
  names_at_server one;
  if (object == manager_object::server) {
    one.server = all ? name.substr(1) : name;
    if (!all) one.names = {name};
  } else {
    if (at != std::string::npos) one.server = name.substr(at + 1);
    one.names = {all ? "@default" : name.substr(0, at)};
  }
  if (one.server == "default") one.server.clear();
  return one;
}

// PBS's qmgr still takes for the server's what has become the schedulers'; its server does not know it.
bool was_of_server(std::string_view name) {
  return name == "sched_preempt_enforce_resumption" || name == "job_sort_formula_threshold";
}

class parser {
 public:
  explicit parser(std::string_view line) : line_(line) {}

  std::variant<manager_command, manager_problem> parse() {
    skip_blanks();
    if (at_ == line_.size()) return manager_problem{kind::empty, {}, at_};
    const std::string_view word = take_word();
    const auto verb = verb_of(word);
    if (!verb) return manager_problem{kind::unknown_verb, std::string(word), 0};
    command_.verb = *verb;
    skip_blanks();
    const auto problem = *verb == manager_verb::help || *verb == manager_verb::quit || *verb == manager_verb::history
                             ? take_rest()
                             : take_object();
    if (problem) return *problem;
    return std::move(command_);
  }

 private:
  using trouble = std::optional<manager_problem>;

  trouble take_rest() {
    command_.rest = line_.substr(at_);
    while (!command_.rest.empty() && blank(command_.rest.back())) command_.rest.pop_back();
    return std::nullopt;
  }

  trouble take_object() {
    if (at_ == line_.size()) return manager_problem{kind::no_object, {}, at_};
    const std::string_view word = take_until_operator();
    command_.object = object_of(word);
    if (command_.object == manager_object::none) return manager_problem{kind::bad_object, std::string(word), at_};
    skip_blanks();
    if (const auto problem = take_names()) return problem;
    skip_blanks();
    if (names_whom_it_means() && command_.names.empty()) return manager_problem{kind::bad_name, {}, at_};
    switch (command_.verb) {
      case manager_verb::set:
        return take_changes(true);
      case manager_verb::create:
        return take_changes(false);
      case manager_verb::unset:
        return take_attribute_names(true);
      case manager_verb::list:
      case manager_verb::print:
        return take_attribute_names(false);
      case manager_verb::import:
      case manager_verb::export_:
        return take_content();
      default:
        return end_or_syntax();
    }
  }

  // A scheduler is made and deleted by its name; what else says none means the default one.
  bool names_whom_it_means() const {
    return command_.object == manager_object::scheduler &&
           (command_.verb == manager_verb::create || command_.verb == manager_verb::remove);
  }

  // What follows the names of import and export: content type, encoding and a file, which export may do without. A file name
  // with blanks stands in quotes.
  trouble take_content() {
    if (command_.names.empty()) return syntax();
    if (command_.object != manager_object::hook && command_.object != manager_object::pbs_hook) return syntax();
    const std::size_t most = 3, least = command_.verb == manager_verb::import ? 3 : 2;
    while (at_ < line_.size() && command_.content.size() < most) {
      auto& word = command_.content.emplace_back();
      if (!quote_stands_here()) word = take_word();
      else if (!take_quoted(word)) return syntax();
      skip_blanks();
    }
    return at_ < line_.size() || command_.content.size() < least ? trouble(syntax()) : std::nullopt;
  }

  // A word with an operator behind it is an attribute already: the objects are the active ones, or the server.
  bool names_stand_here() {
    if (at_ == line_.size()) return false;
    const std::size_t start = at_;
    const std::string_view word = take_until_operator();
    // Objects that need a name have it when a blank follows.
    const bool nameless = command_.object == manager_object::server || command_.object == manager_object::scheduler;
    if (nameless) skip_blanks();
    const bool attribute = operator_length() > 0;
    skip_blanks();
    const bool last = at_ == line_.size();
    at_ = start;
    if (attribute) return false;
    if (!nameless) return !names_attributes_alone();
    // What follows "server" or "sched" is an attribute where one may stand: `list server scheduling`, `unset sched comment`.
    const auto kind = command_.object == manager_object::server ? schema::ObjectKind::SERVER : schema::ObjectKind::SCHEDULER;
    const auto first = word.substr(0, word.find_first_of(",."));
    const bool names_attribute = attributes::find(kind, first) != nullptr;
    const bool shows = command_.verb == manager_verb::list || command_.verb == manager_verb::print;
    if (command_.object == manager_object::scheduler) return !names_attribute || (!shows && command_.verb != manager_verb::unset);
    if (command_.verb == manager_verb::unset) return !last && !names_attribute;
    if (shows) return !names_attribute;
    return command_.verb != manager_verb::set || !last;
  }

  // `unset queue enabled`: the last word is an attribute of the active ones.
  bool names_attributes_alone() {
    const bool may_be_active = command_.object == manager_object::queue || command_.object == manager_object::node;
    if (command_.verb != manager_verb::unset || !may_be_active) return false;
    const std::size_t start = at_;
    const std::string_view word = take_word();
    skip_blanks();
    const bool last = at_ == line_.size();
    at_ = start;
    const auto kind = command_.object == manager_object::queue ? schema::ObjectKind::QUEUE : schema::ObjectKind::NODE;
    return last && attributes::find(kind, word.substr(0, word.find_first_of(",."))) != nullptr;
  }

  trouble take_names() {
    if (!names_stand_here()) return std::nullopt;
    const std::size_t start = at_;
    std::string_view list = take_word();
    while (true) {
      const auto comma = list.find(',');
      const std::string_view name = list.substr(0, comma);
      if (!is_name(name)) return manager_problem{kind::bad_name, {}, start};
      command_.names.emplace_back(name);
      if (comma == std::string_view::npos) return std::nullopt;
      list.remove_prefix(comma + 1);
    }
  }

  bool is_name(std::string_view name) const {
    if (name.empty() || name.find_first_of("\"'=;#") != std::string_view::npos) return false;
    if (name.front() == '@') return name.size() > 1;
    const bool any_start = command_.object == manager_object::node || command_.object == manager_object::server;
    return any_start ? name.front() != '-' : letter(name.front());
  }

  trouble take_changes(bool at_least_one) {
    if (at_ == line_.size()) return at_least_one ? trouble(syntax()) : std::nullopt;
    while (true) {
      if (const auto problem = take_change()) return problem;
      skip_blanks();
      if (at_ == line_.size()) return std::nullopt;
      if (line_[at_] != ',') return syntax();
      ++at_;
      skip_blanks();
    }
  }

  trouble take_change() {
    attribute_change change;
    const std::string_view name = take_until_operator();
    if (name.empty()) return syntax();
    put_name(change, name);
    skip_blanks();
    const std::size_t length = operator_length();
    if (length == 0) return syntax();
    if (length == 2) change.op = line_[at_] == '+' ? schema::AttributeOp::INCREMENT : schema::AttributeOp::DECREMENT;
    at_ += length;
    skip_blanks();
    const std::size_t value_at = at_;
    const attributes::attribute* row = attribute_of(command_.object, name);
    // The attributes of the server are checked here, those of other objects by the server.
    if (at_ == line_.size() || (!row && command_.object == manager_object::server && !was_of_server(name))) return syntax();
    if (!take_value(change.value)) return syntax();
    const bool limits = row && row->type == attributes::value_type::limits;
    if (limits && !change.value.empty()) {  // "" takes them all away
      skip_blanks();
      if (at_ < line_.size() && line_[at_] != ',') return syntax();
      if (const auto offset = values::limit_syntax_problem(change.value)) return manager_problem{kind::syntax, {}, value_at + *offset};
    }
    command_.changes.push_back(std::move(change));
    return std::nullopt;
  }

  bool quote_stands_here() const { return line_[at_] == '"' || line_[at_] == '\''; }

  bool take_value(std::string& value) {
    if (quote_stands_here()) return take_quoted(value);
    const std::size_t start = at_;
    while (at_ < line_.size() && !blank(line_[at_]) && line_[at_] != ',') ++at_;
    value = line_.substr(start, at_ - start);
    return at_ > start;
  }

  bool take_quoted(std::string& value) {
    const char quote = line_[at_];
    const auto end = line_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      at_ = line_.size();
      return false;
    }
    value = line_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  trouble take_attribute_names(bool at_least_one) {
    if (at_ == line_.size()) return at_least_one ? trouble(syntax()) : std::nullopt;
    while (true) {
      attribute_change change;
      const std::string_view name = take_until_operator();
      if (name.empty()) return syntax();
      put_name(change, name);
      change.op = schema::AttributeOp::UNSET;
      skip_blanks();
      if (const std::size_t length = operator_length(); length > 0) {
        at_ += length;
        return syntax();
      }
      // The first alone: the others are for the server to refuse.
      const bool must_be_known =
          command_.object == manager_object::server && command_.verb == manager_verb::unset && command_.changes.empty();
      if (must_be_known && !attribute_of(command_.object, name) && !was_of_server(name)) return syntax();
      command_.changes.push_back(std::move(change));
      if (at_ == line_.size()) return std::nullopt;
      if (line_[at_] != ',') return syntax();
      ++at_;
      skip_blanks();
    }
  }

  static void put_name(attribute_change& change, std::string_view name) {
    const auto dot = name.find('.');
    change.name = name.substr(0, dot);
    if (dot != std::string_view::npos) change.resource = name.substr(dot + 1);
  }

  trouble end_or_syntax() const {
    if (at_ == line_.size()) return std::nullopt;
    return syntax();
  }
  manager_problem syntax() const { return {kind::syntax, {}, at_}; }
  void skip_blanks() {
    while (at_ < line_.size() && blank(line_[at_])) ++at_;
  }

  std::string_view take_word() {
    const std::size_t start = at_;
    while (at_ < line_.size() && !blank(line_[at_])) ++at_;
    return line_.substr(start, at_ - start);
  }

  // A word that also ends before an operator or, where attributes stand, a comma.
  std::string_view take_until_operator() {
    const std::size_t start = at_;
    while (at_ < line_.size() && !blank(line_[at_]) && line_[at_] != ',' && operator_length() == 0) ++at_;
    return line_.substr(start, at_ - start);
  }

  // Of the operator that stands here: "=" 1, "+=" and "-=" 2, none 0.
  std::size_t operator_length() const {
    if (at_ == line_.size()) return 0;
    if (line_[at_] == '=') return 1;
    return (line_[at_] == '+' || line_[at_] == '-') && at_ + 1 < line_.size() && line_[at_ + 1] == '=' ? 2 : 0;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  manager_command command_;
};

}  // namespace

std::variant<manager_command, manager_problem> parse_manager_command(std::string_view line) {
  return parser(line).parse();
}

std::vector<names_at_server> by_server(manager_object object, const std::vector<std::string>& names) {
  if (names.empty()) return {names_at_server{}};
  std::vector<names_at_server> parts;
  for (const std::string& name : names) {
    names_at_server one = one_at_server(object, name);
    if (parts.empty() || parts.back().server != one.server)
      parts.push_back(std::move(one));
    else
      parts.back().names.insert(parts.back().names.end(), one.names.begin(), one.names.end());
  }
  return parts;
}

std::string problem_text(const manager_problem& problem, std::string_view line) {
  switch (problem.what) {
    case kind::empty:
      return {};
    case kind::unknown_verb:
      return "qmgr: Illegal operation: " + problem.word + "\nTry 'help' if you are having trouble.\n";
    case kind::no_object:
      return "qmgr: No object type given\n";
    case kind::bad_object:
      return "qmgr: Illegal object type: " + problem.word + ".\n";
    case kind::bad_name:
    case kind::syntax:
      break;
  }
  return "qmgr: Syntax error\n" + std::string(line) + "\n" + std::string(problem.position, ' ') + "^\n";
}

int problem_status(const manager_problem& problem) {
  switch (problem.what) {
    case kind::empty:
      return 255;
    case kind::unknown_verb:
      return 1;
    case kind::no_object:
    case kind::bad_object:
      return 2;
    case kind::bad_name:
      return 3;
    case kind::syntax:
      break;
  }
  return 4;
}

bool is_continued(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  return !line.empty() && line.back() == '\\';
}

std::vector<std::string> split_manager_input(std::string_view text) {
  std::vector<std::string> commands;
  std::string one;
  const auto finish = [&] {
    const auto first = one.find_first_not_of(" \t\r");
    if (first != std::string::npos) commands.push_back(one.substr(first, one.find_last_not_of(" \t\r") + 1 - first));
    one.clear();
  };
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && (i + 1 == text.size() || text[i + 1] == '\n')) {
      ++i;  // the line goes on
    } else if (c == '\n') {
      quote = 0;  // quotes do not reach over lines
      finish();
    } else if (quote != 0) {
      if (c == quote) quote = 0;
      one.push_back(c);
    } else if (c == ';') {
      finish();
    } else if (c == '#' && (one.empty() || blank(one.back()))) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else {
      if (c == '"' || c == '\'') quote = c;
      one.push_back(c);
    }
  }
  finish();
  return commands;
}

}  // namespace annals::client
