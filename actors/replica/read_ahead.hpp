// A thread that reads a log for the one that made it: the start of a server has more to do with each record than one processor does
// quickly.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "events/log/log_reader.hpp"

namespace annals::actors {

class read_ahead {
 public:
  // Runs on the thread, which is far ahead at times: it calls the visitor for each record, and ends when that says false.
  using reading = std::function<ports::store_status(const log::log_reader::visitor&)>;
  explicit read_ahead(reading read);
  ~read_ahead();  // waits until the reading has ended, which is soon
  // Folds each record here, in order, until all are read. What the reading threw is thrown here.
  ports::store_status fold_all(const std::function<void(const log::record&)>& fold);

 private:
  using records = std::vector<log::record_ptr>;
  void run(const reading& read);
  bool hand_over(records& some);  // false: nobody wants them
  bool take(records& some);       // false: there are no more

  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<records> handed_;
  bool all_read_ = false;
  bool unwanted_ = false;
  ports::store_status how_;
  std::exception_ptr failed_;
  std::thread thread_;
};

}  // namespace annals::actors
