#include "tools/terminal/job_end.hpp"

#include <algorithm>
#include <utility>

namespace annals::terminal {

job_end::orders job_end::hear(schema::TerminalWord::Reader word, moment now) {
  orders todo;
  try {
    // Who breaks the rules counted otherwise than we do: nothing can be mended.
    if (!understand(word, todo, now)) hung_up_ = true;
  } catch (const kj::Exception&) {
    hung_up_ = true;
  }
  return todo;
}

bool job_end::understand(schema::TerminalWord::Reader word, orders& todo, moment now) {
  if (word.isJoined() || word.isLeft()) {
    lost(now);
    return !word.isLeft() || !word.getLeft().getForGood();
  }
  if (word.isBegin()) return begin(word.getBegin(), todo);
  if (!begun_) return true;  // of a connection that is gone
  switch (word.which()) {
    case schema::TerminalWord::INPUT: return typed_more(word.getInput());
    case schema::TerminalWord::TAKEN: return output_.taken(word.getTaken());
    case schema::TerminalWord::DISPLAY: return forwards_ && display_.hear(word.getDisplay());
    case schema::TerminalWord::DISPLAY_TAKEN: return forwards_ && display_.taken(word.getDisplayTaken());
    case schema::TerminalWord::RESIZE:
      todo.size = {word.getResize().getRows(), word.getResize().getColumns()};
      return true;
    case schema::TerminalWord::HANG_UP:
    case schema::TerminalWord::JOINED:
    case schema::TerminalWord::LEFT:
    case schema::TerminalWord::BEGIN:
    case schema::TerminalWord::READY:
    case schema::TerminalWord::OUTPUT:
    case schema::TerminalWord::ENDED: return false;
  }
  return false;
}

// TERM becomes a line of text for the program that starts the job.
bool job_end::begin(schema::TerminalBegin::Reader word, orders& todo) {
  auto term = schema::str(word.getTerm());
  const bool good = std::all_of(term.begin(), term.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!good || term.size() > limits::terminal_name_bytes || word.getCookie().size() > limits::display_cookie_bytes) return false;
  if (!output_.again_from(word.getTaken()) || !display_.again_from(word.getDisplayTaken())) return false;
  if (!ever_begun_) {
    forwards_ = word.getCookie().size() > 0;
    todo.begin = {std::move(term), std::string(bytes_of(word.getKeys()).substr(0, limits::terminal_name_bytes)),
                  std::string(bytes_of(word.getCookie()))};
  }
  todo.size = {word.getSize().getRows(), word.getSize().getColumns()};
  ever_begun_ = begun_ = true;
  ready_told_ = ended_told_ = false;
  return true;
}

bool job_end::typed_more(schema::TerminalBytes::Reader piece) {
  const auto fresh = input_.take(piece.getAt(), bytes_of(piece.getBytes()));
  if (!fresh || typed_.size() + fresh->size() > limits::terminal_input_bytes) return false;
  typed_ += *fresh;
  return true;
}

void job_end::lost(moment now, bool final) {
  if (begun_) alone_since_ = now;
  begun_ = false;
  unknown_ = unknown_ || final;
}

void job_end::gave(std::size_t bytes) { typed_.erase(0, bytes); }

std::vector<schema::sealed_message> job_end::say() {
  std::vector<schema::sealed_message> words;
  if (!begun_) return words;
  const auto done = input_.position() - typed_.size();
  if (!std::exchange(ready_told_, true)) {
    told_taken_ = done;
    words.push_back(word([&](auto w) {
      w.initReady().setInput(done);
      w.getReady().setDisplay(display_.position());
    }));
  }
  if (done > told_taken_) {
    told_taken_ = done;
    words.push_back(word([&](auto w) { w.setTaken(done); }));
  }
  while (const auto piece = output_.next(limits::terminal_piece_bytes))
    words.push_back(word([&](auto w) { fill(w.initOutput(), *piece); }));
  for (auto& w : display_.say()) words.push_back(std::move(w));
  if (all_printed_ && !std::exchange(ended_told_, true)) words.push_back(word([](auto w) { w.setEnded(); }));
  return words;
}

moment job_end::patience_ends() const {
  if (begun_) return moment::max();
  return alone_since_ + std::chrono::seconds(ever_begun_ ? limits::terminal_grace_s : limits::terminal_join_s);
}

// A job that has ended is known to nobody: no other connection will be had. One that never had a user has nothing to tell him.
bool job_end::over(moment now) const {
  if (hung_up_ || (all_printed_ && (unknown_ || !ever_begun_))) return true;
  if (begun_) return ended_told_ && output_.all_taken();
  return now >= patience_ends();
}

}  // namespace annals::terminal
