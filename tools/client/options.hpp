// Options of the PBS commands: one table per command, which is also its --help. PBS dictates the getopt form: letters,
// values joined or apart, clusters, `--`. Mistakes are gathered in the order they stand, then the usage text follows
// and the exit status is 2 (pbs guide: "usage texts").
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace annals::client {

struct option {
  char letter;
  const char* value;    // what the value is, for --help; nullptr: the option takes none
  const char* meaning;  // one line for --help
};

struct command {
  const char* name;   // "qdel": stands before each error
  const char* usage;  // the exact usage text, every line ended by a newline
  std::span<const option> options;
  // Options end at the first word (qsub: what follows belongs to the script); else words and options may be mixed.
  bool stop_at_word = false;
};

struct given {
  char letter;
  std::string value;  // empty for an option without value
};

struct command_line {
  std::vector<given> options;         // in the order given
  std::vector<std::string> spelled;   // the arguments that the options are, as they stand
  std::vector<std::string> words;     // what is no option
  bool dashes = false;                // a `--` stood before the words
  std::vector<std::string> problems;  // complete lines without newline: "qsub: invalid option -- 'Z'"

  bool has(char letter) const { return find(letter) != nullptr; }
  const std::string* find(char letter) const;  // the last one given; nullptr: not given
};

// Judges one option as it is met. Nothing: it is good. An empty text: "<cmd>: illegal -<letter> value". Else this line.
using judge = std::function<std::optional<std::string>(const given&)>;

// Reads the arguments (without the command's own name). Never prints, never ends the process.
command_line parse_options(const command& c, std::span<const std::string> arguments, const judge& check = {});

// For main(): as parse_options, and answers `--version` and `--help` (each alone), or problems with the usage text, by
// printing and ending the process with 0 or 2.
command_line parse_options_or_exit(const command& c, int argc, char** argv, const judge& check = {});

// The usage text on stderr; answers 2, the exit status of a usage error.
int usage(const command& c);

// The text of --help: usage and one line per option.
std::string help_text(const command& c);

}  // namespace annals::client
