#include "tools/terminal/user_end.hpp"

#include <utility>

namespace annals::terminal {

bool user_end::hear(schema::TerminalWord::Reader word) {
  try {
    return understand(word);
  } catch (const kj::Exception&) {
    return false;
  }
}

bool user_end::understand(schema::TerminalWord::Reader word) {
  switch (word.which()) {
    case schema::TerminalWord::JOINED:
      leave();
      if (state_ != state::ended) state_ = state::joined;
      return true;
    case schema::TerminalWord::LEFT: return leave(), true;
    case schema::TerminalWord::READY: return hear_ready(word.getReady());
    case schema::TerminalWord::OUTPUT: return hear_output(word.getOutput());
    case schema::TerminalWord::TAKEN: return state_ != state::ready || input_.taken(word.getTaken());
    case schema::TerminalWord::DISPLAY: return state_ != state::ready || (forwards_ && display_.hear(word.getDisplay()));
    case schema::TerminalWord::DISPLAY_TAKEN: return state_ != state::ready || (forwards_ && display_.taken(word.getDisplayTaken()));
    case schema::TerminalWord::ENDED:
      if (state_ == state::ready) state_ = state::ended;
      return true;
    case schema::TerminalWord::BEGIN:
    case schema::TerminalWord::INPUT:
    case schema::TerminalWord::RESIZE:
    case schema::TerminalWord::HANG_UP: return false;
  }
  return false;
}

bool user_end::hear_ready(schema::TerminalReady::Reader ready) {
  if (state_ != state::joined) return true;
  state_ = state::ready;
  ever_ready_ = true;
  return input_.again_from(ready.getInput()) && display_.again_from(ready.getDisplay());
}

bool user_end::hear_output(schema::TerminalBytes::Reader piece) {
  if (state_ != state::ready) return true;  // of a connection that is gone
  const auto fresh = output_.take(piece.getAt(), bytes_of(piece.getBytes()));
  if (!fresh) return false;
  printed_ += *fresh;
  return true;
}

std::string user_end::printed() { return std::exchange(printed_, {}); }

std::vector<schema::sealed_message> user_end::say(const user_terminal& of) {
  std::vector<schema::sealed_message> words;
  if (state_ == state::away) return words;
  if (!std::exchange(begin_told_, true)) {
    told_taken_ = output_.position();
    words.push_back(word([&](auto w) {
      auto b = w.initBegin();
      b.setTerm(of.term);
      b.initSize().setRows(of.rows);
      b.getSize().setColumns(of.columns);
      b.setKeys(data_of(of.keys));
      b.setTaken(output_.position());
      b.setCookie(data_of(of.cookie));
      b.setDisplayTaken(display_.position());
    }));
    forwards_ = !of.cookie.empty();
  }
  if (state_ == state::joined) return words;
  // What has come, once it was printed.
  if (printed_.empty() && output_.position() > told_taken_) {
    told_taken_ = output_.position();
    words.push_back(word([&](auto w) { w.setTaken(told_taken_); }));
  }
  while (const auto piece = input_.next(limits::terminal_piece_bytes))
    words.push_back(word([&](auto w) { fill(w.initInput(), *piece); }));
  for (auto& w : display_.say()) words.push_back(std::move(w));
  return words;
}

}  // namespace annals::terminal
