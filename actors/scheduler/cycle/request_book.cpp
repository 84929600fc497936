#include "actors/scheduler/cycle/request_book.hpp"

namespace annals::cycle {

index request_book::at(const written_request& row) {
  key_buffer_.clear();
  request::append_key(key_buffer_, row, resources_);
  if (const auto known = request_ids_.find(key_buffer_); known != request_ids_.end()) {
    ++requests_[known->second].users;
    return known->second;
  }
  index at;
  if (!free_requests_.empty()) {
    at = free_requests_.back();
    free_requests_.pop_back();
  } else {
    at = static_cast<index>(requests_.size());
    requests_.emplace_back();
  }
  requests_[at] = {key_buffer_, std::make_unique<const request>(request::parse(row, resources_)), 1};
  request_ids_.emplace(key_buffer_, at);
  return at;
}

void request_book::release(index at) {
  if (--requests_[at].users > 0) return;
  request_ids_.erase(requests_[at].key);
  requests_[at] = {};
  free_requests_.push_back(at);
}

}  // namespace annals::cycle
