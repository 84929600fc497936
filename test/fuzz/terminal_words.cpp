// Words of an interactive job's terminal (docs/design/0059-interactive-jobs.md): whatever comes, either end keeps no more than it has room
// for, and says nothing that it would not take itself.
#include <cstdlib>

#include "tools/terminal/job_end.hpp"
#include "tools/terminal/user_end.hpp"

using namespace annals;
using namespace annals::terminal;

namespace {

const moment start{};

void check(display_channels& display) {
  for (const auto id : display.opened()) (void)display.is_over(id);
  for (display_channels::channel_id id = 0; id < 16; ++id)
    if (display.for_socket(id).size() > limits::display_window_bytes || display.room(id) > limits::display_piece_bytes) std::abort();
}

// A display word of this position, of one channel or another.
schema::DisplayWord::Builder fill(schema::DisplayWord::Builder w, std::uint64_t number) {
  w.setAt(number);
  w.setChannel(static_cast<std::uint32_t>(number / 4 + 1));
  return w;
}

void check(job_end& job) {
  check(job.display());
  if (job.typed().size() > limits::terminal_input_bytes || job.room() > limits::terminal_output_bytes) std::abort();
  (void)job.say();
  (void)job.over(start);
}

void check(user_end& user) {
  check(user.display());
  if (user.room() > limits::terminal_input_bytes) std::abort();
  (void)user.printed();
  (void)user.say({});
}

// A begun session on both sides, that has something to say.
struct session {
  job_end job{start};
  user_end user;
  session() {
    (void)job.hear(of(word([](auto w) {
                     w.initBegin().setTerm("xterm");
                     w.getBegin().setCookie(data_of("cookie"));
                   })),
                   start);
    (void)user.hear(of(word([](auto w) { w.setJoined(); })));
    (void)user.say({{}, {}, "cookie", 0, 0});
    (void)user.hear(of(word([](auto w) { w.initReady(); })));
    (void)job.display().open();
    job.printed("prompt");
    user.typed("typed");
    hear_nothing();
  }
  static schema::TerminalWord::Reader of(const schema::sealed_message& m) {
    static schema::sealed_message kept;
    kept = m;
    return kept.root<schema::Request>().getTerminal();
  }
  void hear_nothing() {
    check(job);
    check(user);
  }
  void hear(schema::TerminalWord::Reader w) {
    const auto todo = job.hear(w, start);
    if (todo.begin && todo.begin->term.find('\n') != std::string::npos) std::abort();
    (void)user.hear(w);
    hear_nothing();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto message = schema::sealed_message::from_bytes(std::as_bytes(std::span(data, size)), {size / 8 * 2 + 8, 32})) {
    try {
      session().hear(message->root<schema::Request>().getTerminal());
    } catch (const kj::Exception&) {  // no terminal word
    }
  }
  // The same bytes as numbers and texts of good words, one after the other.
  session s;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (std::size_t at = 0; at + 2 < size && at < 2000; at += 3) {
    const std::uint64_t number = data[at + 1];
    const auto text = bytes.substr(at + 2, data[at + 2]);
    s.hear(session::of(word([&](auto w) {
      switch (data[at] % 13) {
        case 0: return w.setTaken(number);
        case 1: return w.initReady().setInput(number);
        case 2: return w.setJoined();
        case 3: return w.initBegin().setKeys(data_of(text));
        case 4: return fill(w.initInput(), {number, text});
        case 5: return fill(w.initOutput(), {number, text});
        case 6: return w.initResize().setRows(static_cast<std::uint16_t>(number));
        case 7: return w.initBegin().setTerm(capnp::Text::Reader(std::string(text).c_str()));
        case 8: return w.setDisplayTaken(number);
        case 9: return fill(w.initDisplay(), number % 16).setOpened();
        case 10: return fill(w.initDisplay(), number % 16).setBytes(data_of(text));
        case 11: return fill(w.initDisplay(), number % 16).setTaken(static_cast<std::uint32_t>(number));
        case 12: return fill(w.initDisplay(), number % 16).setClosed();
      }
    })));
  }
  return 0;
}
