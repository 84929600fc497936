// The user's end of an interactive job's terminal, as far as it is words and bytes. Pure: qsub moves them.
// docs/design/0059-interactive-jobs.md.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "events/model/run/terminal_limits.hpp"
#include "tools/terminal/display_channels.hpp"
#include "tools/terminal/words.hpp"

namespace annals::terminal {

// What the job's end is told first, over each new connection.
struct user_terminal {
  std::string term, keys;
  std::string cookie;  // of the display that the job is to have; empty: none
  std::uint16_t rows = 0, columns = 0;
};

// Until when the last words of a job that has ended are waited for. `away_since`: when its end was lost; nothing: it is there.
inline moment last_words_by(moment job_ended, std::optional<moment> away_since) {
  using std::chrono::milliseconds;
  if (!away_since) return job_ended + milliseconds(limits::terminal_last_words_there_ms);
  return std::max(job_ended, *away_since) + milliseconds(limits::terminal_last_words_ms);
}

class user_end {
 public:
  enum class state { away,    // the job's end is not there
                     joined,  // it is, and has not answered yet
                     ready,
                     ended };
  state now() const { return state_; }
  bool ever_ready() const { return ever_ready_; }

  // What the job printed is behind printed() then. False: it broke the rules.
  bool hear(schema::TerminalWord::Reader word);
  void lost() { leave(); }
  std::string printed();  // since it was asked last

  std::size_t room() const { return input_.room(); }
  void typed(std::string_view bytes) { input_.add(bytes); }

  // The X connections of the job's programs, of a session that forwards X.
  display_channels& display() { return display_; }

  // What is to be said now.
  std::vector<schema::sealed_message> say(const user_terminal& of);

 private:
  void leave() {
    if (state_ != state::ended) state_ = state::away;
    begin_told_ = false;
  }
  bool understand(schema::TerminalWord::Reader word);
  bool hear_ready(schema::TerminalReady::Reader ready);
  bool hear_output(schema::TerminalBytes::Reader piece);

  state state_ = state::away;
  bool ever_ready_ = false, begin_told_ = false;
  sent_bytes input_{limits::terminal_input_bytes};
  received_bytes output_;
  display_channels display_;
  bool forwards_ = false;
  std::uint64_t told_taken_ = 0;
  std::string printed_;
};

}  // namespace annals::terminal
