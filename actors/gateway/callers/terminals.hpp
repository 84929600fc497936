// Terminals of interactive jobs: what a qsub and the program that owns a job's terminal say to each other goes through here, each over
// its own connection. Who may be at which end is known (the kernel's word, or that of a MoM and the log); what they say is looked at for
// its length and position only. Nothing is kept that both would not say again. Part of the gateway's actor.
// docs/design/0059-interactive-jobs.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "actors/gateway/actor_registry.hpp"

namespace annals::actors {

class terminals {
 public:
  explicit terminals(actor_registry& board) : board_(board) {}

  // The user's end, if the job's actor says that it is his.
  void attach(const wire::connection_ptr& peer, schema::Request::Reader request, const model::requester& by, const reply_ptr& reply);
  void on_judged(const terminal_judged& j);
  // The job's end: a command of this job's, whose host's MoM has said so. None: it is no job's.
  void offer(const wire::connection_ptr& peer, std::uint64_t request, std::optional<std::uint64_t> job, const reply_ptr& reply);
  void on_word(const wire::connection_ptr& peer, schema::TerminalWord::Reader word);
  void on_closed(const wire::connection_ptr& peer);

 private:
  enum class side { user,
                    job };
  struct end {
    wire::connection_ptr peer;  // null: nobody is there
    std::uint64_t request = 0;  // which its words are answers to
  };
  struct stream {
    std::uint64_t sent = 0, taken = 0;
  };
  struct terminal {
    end user, job;
    model::requester by;  // who the user is
    bool begun = false;   // the user's end has said its first word to this end of the job
    bool over = false;    // one of them has said the last word
    stream output, input;
    stream display_of_job, display_of_user;  // counted in words
  };
  struct place {
    std::uint64_t job;
    side at;
  };
  struct question {
    end from;
    model::requester by;
    std::uint64_t job;
    bool gone = false;  // before it was answered
  };

  void take_place(std::uint64_t job, side at, end who);
  bool is_good(terminal& t, side from, schema::TerminalWord::Reader word) const;
  void user_left(std::uint64_t job, terminal& t, bool local);
  void user_is_gone(std::uint64_t job);

  actor_registry& board_;
  std::map<std::uint64_t, terminal> terminals_;  // by the job's number
  std::map<std::uint64_t, place> places_;        // by connection
  std::map<std::uint64_t, question> asked_;      // by connection
};

}  // namespace annals::actors
