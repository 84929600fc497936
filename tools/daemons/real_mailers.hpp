// Mailers as processes, watched by one thread: each in a session of its own, so that it lives on when the server ends, with the
// mail as its input and nothing else of the server's, and killed when it takes too long.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "actors/server/mail_actor.hpp"
#include "actors/server/mailers.hpp"

namespace annals::daemons {

class real_mailers final : public actors::mailers {
 public:
  // `directory` is where mailers run (PBS: server_priv). `patience`: how long one may take.
  real_mailers(std::string directory, std::chrono::milliseconds patience);
  // Those that run go on; nobody hears how they end.
  ~real_mailers() override;

  void begin(const projections::mail& m, const std::string& file, std::function<void(std::string why)> over) override;

 private:
  using steady = std::chrono::steady_clock;
  struct order {
    projections::mail what;
    std::string file;
    std::function<void(std::string why)> over;
  };
  struct child {
    order of;
    pid_t pid = 0;
    int pidfd = -1;
    steady::time_point until;
    bool killed = false;
  };

  void watch();
  void start(order o);
  void look_after(child& c, bool ended);
  void wake();

  const std::string directory_;
  const std::chrono::milliseconds patience_;
  int wake_fd_ = -1;
  std::mutex guard_;
  std::vector<order> ordered_;
  bool stops_ = false;
  std::vector<child> children_;  // of the thread alone
  std::thread watcher_;
};

// What sends the mail of a server whose files are in `priv`. `log`: the log's identity.
std::shared_ptr<actors::mail_follower> make_server_mail(const std::string& priv, const std::string& log, const ports::record_log& store,
                                                        std::function<void(const std::string&)> note);

}  // namespace annals::daemons
