// The requests of jobs and reservations: each different one is kept once, for as long as somebody asks for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/scheduler/cycle/index.hpp"
#include "actors/scheduler/cycle/request.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"

namespace annals::cycle {

class request_book {
 public:
  explicit request_book(const resource_table& resources) : resources_(resources) {}

  // The place of this request. Whoever took it here or by share() gives it back with release().
  index at(const written_request& row);
  void share(index at) { ++requests_[at].users; }  // another asks for the same
  void release(index at);

  const request& operator[](index at) const { return *requests_[at].parsed; }
  std::size_t slots() const { return requests_.size(); }  // each request is below this
  // The request will be looked at in so many steps, 3 at most (job_table::expect).
  void expect(index at, int steps) const {
    if (steps == 3) __builtin_prefetch(&requests_[at]);
    if (steps == 2) __builtin_prefetch(requests_[at].parsed.get()), __builtin_prefetch(&requests_[at].parsed->arrange);
    if (steps == 1) __builtin_prefetch(requests_[at].parsed->sums.data()), __builtin_prefetch(requests_[at].parsed->sums.data() + 1);
  }

 private:
  struct shared_request {
    std::string key;
    std::unique_ptr<const request> parsed;
    std::uint32_t users = 0;
  };

  const resource_table& resources_;
  std::vector<shared_request> requests_;
  std::vector<index> free_requests_;
  std::string key_buffer_;
  name_index request_ids_;
};

}  // namespace annals::cycle
