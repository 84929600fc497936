#include "tools/client/options.hpp"

#include <cstdio>
#include <cstdlib>

#include "tools/client/other_options.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/version.hpp"

namespace annals::client {

namespace {

const option* find_option(const command& c, char letter) {
  for (const option& o : c.options)
    if (o.letter == letter) return &o;
  return nullptr;
}

// Reads the letters of one argument ("-hz", "-Nname", "-N" with its value in the next one).
class reader {
 public:
  reader(const command& c, std::span<const std::string> arguments, const judge& check)
      : command_(c), arguments_(arguments), check_(check) {}

  command_line read() {
    while (at_ < arguments_.size()) {
      const std::string& argument = arguments_[at_++];
      if (argument == "--") {
        out_.dashes = true;
        take_words();
      } else if (argument.size() > 1 && argument[0] == '-')
        cluster(argument);
      else {
        out_.words.push_back(argument);
        if (command_.stop_at_word) take_words();
      }
    }
    return std::move(out_);
  }

 private:
  void take_words() {
    while (at_ < arguments_.size()) out_.words.push_back(arguments_[at_++]);
  }

  void cluster(const std::string& argument) {
    out_.spelled.push_back(argument);
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const option* o = find_option(command_, argument[i]);
      if (o == nullptr) {
        const auto instead = in_pbs(command_.name, argument[i]);
        problem(std::string("invalid option -- '") + argument[i] + "'" + instead);
        if (!instead.empty()) return;  // what follows is its value
        continue;
      }
      if (o->value == nullptr) {
        take({o->letter, {}});
        continue;
      }
      if (i + 1 < argument.size())
        take({o->letter, argument.substr(i + 1)});
      else if (at_ < arguments_.size())
        take({o->letter, out_.spelled.emplace_back(arguments_[at_++])});
      else
        problem(std::string("option requires an argument -- '") + o->letter + "'");
      return;
    }
  }

  void take(given g) {
    if (check_) {
      if (auto bad = check_(g)) {
        if (bad->empty())
          problem(std::string("illegal -") + g.letter + " value");
        else
          out_.problems.push_back(std::move(*bad));
      }
    }
    out_.options.push_back(std::move(g));
  }

  void problem(const std::string& text) { out_.problems.push_back(std::string(command_.name) + ": " + text); }

  const command& command_;
  std::span<const std::string> arguments_;
  const judge& check_;
  std::size_t at_ = 0;
  command_line out_;
};

}  // namespace

const std::string* command_line::find(char letter) const {
  for (auto at = options.rbegin(); at != options.rend(); ++at)
    if (at->letter == letter) return &at->value;
  return nullptr;
}

command_line parse_options(const command& c, std::span<const std::string> arguments, const judge& check) {
  return reader(c, arguments, check).read();
}

command_line parse_options_or_exit(const command& c, int argc, char** argv, const judge& check) {
  if (argc == 2 && argv[1] == std::string_view("--version")) {
    std::puts(version_line().c_str());
    std::exit(0);
  }
  if (argc == 2 && argv[1] == std::string_view("--help")) {
    std::fputs(help_text(c).c_str(), stdout);
    std::exit(0);
  }
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  command_line line = parse_options(c, arguments, check);
  if (line.problems.empty()) return line;
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  std::exit(usage(c));
}

int usage(const command& c) {
  std::fputs(c.usage, stderr);
  return 2;
}

std::string help_text(const command& c) {
  std::string text = c.usage;
  text += "\n";
  for (const option& o : c.options) {
    std::string left = std::string("  -") + o.letter;
    if (o.value != nullptr) left += std::string(" ") + o.value;
    if (left.size() < 22) left.resize(22, ' ');
    text += left + " " + o.meaning + "\n";
  }
  return text;
}

}  // namespace annals::client
