#include "actors/gateway/callers/users_connection.hpp"

#include <utility>

namespace annals::actors {

users_connection::users_connection(wire::connection_ptr of, const std::string& user, const std::string& group, std::uint64_t id)
    : of_(std::move(of)), id_(id) {
  who_.what = wire::identity::kind::remote;
  who_.name = user;
  who_.group = group;
  who_.uid = who_.gid = wire::identity::nobody;
  who_.address = of_->peer().address;
  who_.host = of_->peer().name;
  of_->counts_for(user);
}

void users_connection::send(const schema::sealed_message& message) {
  const std::lock_guard held(guard_);
  if (!left_) of_->send(message);
}

void users_connection::close(const std::string& why) {
  const std::lock_guard held(guard_);
  if (!left_) of_->close(why);
}

bool users_connection::is_open() const {
  const std::lock_guard held(guard_);
  return !left_ && of_->is_open();
}

void users_connection::pause_reading() {
  const std::lock_guard held(guard_);
  if (!left_) of_->pause_reading();
}

void users_connection::resume_reading() {
  const std::lock_guard held(guard_);
  if (!left_) of_->resume_reading();
}

void users_connection::leave() {
  const std::lock_guard held(guard_);
  left_ = true;
  of_->counts_for({});
  of_->resume_reading();
}

}  // namespace annals::actors
