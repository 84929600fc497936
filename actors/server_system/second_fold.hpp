// A thread that folds what another one reads, in its order: the start of a server has two things to do with each record of its log.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "events/log/record.hpp"

namespace annals::actors {

class second_fold {
 public:
  explicit second_fold(std::function<void(const log::record&)> fold);
  ~second_fold();  // folds nothing more
  // Waits while the thread is far behind.
  void take(const log::record_ptr& r);
  // Waits until all is folded. Throws what `fold` threw.
  void end();

 private:
  void run();
  void hand_over();
  void join(bool at_once);

  const std::function<void(const log::record&)> fold_;
  std::vector<log::record_ptr> taken_;  // not handed over yet
  std::mutex guard_;
  std::condition_variable changed_;
  std::vector<log::record_ptr> handed_;
  bool last_ = false;     // nothing more is handed over
  bool at_once_ = false;  // and what was is not wanted
  std::exception_ptr failed_;
  std::thread thread_;
};

}  // namespace annals::actors
