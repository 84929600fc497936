// The language of qmgr (pbs guide: qmgr): one command per call. Pure.
//
//   verb object [name[,name...]] [attribute[.resource] [op value][,attribute op value...]]
//
// Verbs and objects may be cut to any leading part. Values with blanks or commas stand in quotes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/client/query/manage.hpp"

namespace annals::client {

enum class manager_verb : std::uint8_t {
  active,
  create,
  remove,
  set,
  unset,
  list,
  print,
  import,
  export_,
  help,
  quit,
  history
};
enum class manager_object : std::uint8_t { none,
                                           server,
                                           queue,
                                           node,
                                           hook,
                                           pbs_hook,
                                           resource,
                                           scheduler };

struct manager_command {
  manager_verb verb = manager_verb::help;
  manager_object object = manager_object::none;
  std::vector<std::string> names;         // "@default" stands for all of the kind
  std::vector<attribute_change> changes;  // of list, print and unset: names only, a resource behind the dot apart
  std::string rest;                       // topic of help
  std::vector<std::string> content{};     // of import and export: content type, encoding, file
  bool operator==(const manager_command&) const = default;
};

struct manager_problem {
  enum class kind : std::uint8_t { empty,
                                   unknown_verb,
                                   no_object,
                                   bad_object,
                                   bad_name,
                                   syntax };
  kind what = kind::syntax;
  std::string word;          // the unknown verb or object
  std::size_t position = 0;  // in the line, of bad_name and syntax
  bool operator==(const manager_problem&) const = default;
};

// Names of one command that are of one server.
struct names_at_server {
  std::string server;              // as it was written; empty: the one that qmgr talks to, which "default" means too
  std::vector<std::string> names;  // without "@SERVER"; "@default" stands for all of the kind
  bool operator==(const names_at_server&) const = default;
};
// "q1@east,@west": which names are of which server, in their order, neighbours of one server together. A server is its own name.
// No names are one part without any.
std::vector<names_at_server> by_server(manager_object object, const std::vector<std::string>& names);

std::variant<manager_command, manager_problem> parse_manager_command(std::string_view line);

// "qmgr: Syntax error" with the line and a '^' under the place, or what else PBS says; every line ended by a newline.
std::string problem_text(const manager_problem& problem, std::string_view line);
// Exit status: 1 unknown verb, 2 object, 3 name, 4 other syntax, 255 an empty command.
int problem_status(const manager_problem& problem);

// The commands of some lines of standard input: joined where a line ends in a backslash, split at ';', without
// comments. Text between quotes is left alone. An unfinished continuation at the end counts as finished.
std::vector<std::string> split_manager_input(std::string_view text);
// Whether a line asks for a further one: it ends in a backslash.
bool is_continued(std::string_view line);

// Help on a topic; empty: the list of topics.
std::string manager_help(std::string_view topic);

}  // namespace annals::client
