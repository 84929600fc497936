#include "tools/client/editing/line_editor.hpp"

#include <histedit.h>

#include <clocale>
#include <cstdio>
#include <new>

#include "tools/client/editing/command_history.hpp"

namespace annals::client {

struct line_editor::state {
  EditLine* editor = nullptr;
  History* history = nullptr;
  const char* prompt = "";

  ~state() {
    if (editor) el_end(editor);
    if (history) history_end(history);
  }
};

line_editor::line_editor(const char* program) : state_(std::make_unique<state>()) {
  std::setlocale(LC_CTYPE, "");  // letters of several bytes
  state_->history = history_init();
  state_->editor = el_init(program, stdin, stdout, stderr);
  if (!state_->history || !state_->editor) throw std::bad_alloc();
  HistEvent event;
  history(state_->history, &event, H_SETSIZE, static_cast<int>(command_history::commands_max));
  history(state_->history, &event, H_SETUNIQUE, 1);
  EditLine* editor = state_->editor;
  const auto prompt = [](EditLine* of) {
    void* its = nullptr;
    el_get(of, EL_CLIENTDATA, &its);
    return const_cast<char*>(static_cast<state*>(its)->prompt);
  };
  el_set(editor, EL_CLIENTDATA, state_.get());
  el_set(editor, EL_PROMPT, static_cast<char* (*)(EditLine*)>(prompt));
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_SIGNAL, 1);  // the terminal is as it was when one ends us
  el_set(editor, EL_HIST, history, state_->history);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(editor, nullptr);
}

line_editor::~line_editor() = default;

std::optional<std::string> line_editor::line(const char* prompt) {
  state_->prompt = prompt;
  int count = 0;
  const char* typed = el_gets(state_->editor, &count);
  if (!typed || count <= 0) return std::nullopt;
  std::string line(typed);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return line;
}

void line_editor::remember(const std::string& line) {
  HistEvent event;
  history(state_->history, &event, H_ENTER, line.c_str());
}

}  // namespace annals::client
