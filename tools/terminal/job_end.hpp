// The job's end of an interactive job's terminal, as far as it is words and bytes: what it hears, what it says, what is to be done with
// the terminal, and when it has waited long enough. Pure: whoever owns the terminal and the connection (pbs_terminal) moves the bytes.
// docs/design/0059-interactive-jobs.md.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "events/model/run/terminal_limits.hpp"
#include "tools/terminal/display_channels.hpp"
#include "tools/terminal/words.hpp"

namespace annals::terminal {

struct window_size {
  std::uint16_t rows = 0, columns = 0;
};

class job_end {
 public:
  explicit job_end(moment now) : alone_since_(now) {}

  // What the owner of the terminal is to do after a word.
  struct orders {
    struct first_word {
      std::string term, keys;
      std::string cookie;  // of the display that it is to have; empty: none
    };
    std::optional<first_word> begin;  // the job may start
    std::optional<window_size> size;
  };
  orders hear(schema::TerminalWord::Reader word, moment now);
  // The connection is lost. `final`: who was asked for another one knows no such job.
  void lost(moment now, bool final = false);

  // What the job prints, as long as there is room for it.
  std::size_t room() const { return output_.room(); }
  void printed(std::string_view bytes) { output_.add(bytes); }
  // Nobody has the terminal open any more.
  void all_printed() { all_printed_ = true; }

  // What was typed and waits for the job, and how much of it the job has now.
  std::string_view typed() const { return typed_; }
  void gave(std::size_t bytes);

  // The X connections of the job's programs; nobody hears of them unless the user forwards X.
  display_channels& display() { return display_; }

  // What is to be said now.
  std::vector<schema::sealed_message> say();
  // Nothing is left to do: all was said, nobody wants more, or nobody has come for too long.
  bool over(moment now) const;
  // When to look at over() again.
  moment patience_ends() const;

 private:
  bool begin(schema::TerminalBegin::Reader word, orders& todo);
  bool typed_more(schema::TerminalBytes::Reader piece);
  bool understand(schema::TerminalWord::Reader word, orders& todo, moment now);

  sent_bytes output_{limits::terminal_output_bytes};
  received_bytes input_;
  display_channels display_;
  bool forwards_ = false;
  std::string typed_;
  std::uint64_t told_taken_ = 0;
  bool ever_begun_ = false, begun_ = false;  // a user's end was there; one is
  bool ready_told_ = false, ended_told_ = false, all_printed_ = false, hung_up_ = false, unknown_ = false;
  moment alone_since_;
};

}  // namespace annals::terminal
