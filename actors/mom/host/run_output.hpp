// What the MoM adds to the output files of a run, written by processes that act as the run's owner. In guarded tasks only.
#pragma once

#include <string>

#include "actors/mom/host/host_news.hpp"
#include "actors/mom/host/host_options.hpp"
#include "actors/mom/host/later_tasks.hpp"
#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/run_files.hpp"
#include "actors/mom/host/user_work.hpp"

namespace annals::mom {

// The request, as the owner of the run.
user_request as_owner(const shepherd_order& o, user_request request);

class run_output {
 public:
  run_output(const host_options& options, const run_files& files, user_work& work, later_tasks& later, host_news& news)
      : options_(options), files_(files), user_work_(work), later_(later), news_(news) {}

  // Nothing is heard of it.
  void append(const shepherd_order& o, const std::string& file, const std::string& text);
  // Tries until all is in the file, limits::output_tries_max times, and tells `appended`, unless the run is forgotten first.
  void append_surely(const values::run_key& key, const shepherd_order& o, const std::string& file, const std::string& bytes,
                     unsigned tries = 0);

 private:
  append_task append_to(const shepherd_order& o, const std::string& file, const std::string& text) const;
  void append_rest(const values::run_key& key, const shepherd_order& o, const std::string& file, const std::string& bytes, unsigned tries,
                   const std::string& why);

  const host_options& options_;
  const run_files& files_;
  user_work& user_work_;
  later_tasks& later_;
  host_news& news_;
};

}  // namespace annals::mom
