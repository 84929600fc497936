#include "actors/gateway/users_connection.hpp"

#include <utility>

namespace annals::actors {

namespace {

class users_connection final : public wire::connection {
 public:
  users_connection(wire::connection_ptr of, wire::identity who) : of_(std::move(of)), who_(std::move(who)) {}
  std::uint64_t id() const override { return of_->id(); }
  const wire::identity& peer() const override { return who_; }
  void send(const schema::sealed_message& message) override { of_->send(message); }
  void close(const std::string& why) override { of_->close(why); }
  std::size_t unsent_bytes() const override { return of_->unsent_bytes(); }
  void pause_reading() override { of_->pause_reading(); }
  void resume_reading() override { of_->resume_reading(); }

 private:
  wire::connection_ptr of_;
  wire::identity who_;
};

}  // namespace

wire::connection_ptr as_user(const wire::connection_ptr& of, const std::string& user, const std::string& group) {
  wire::identity who;
  who.what = wire::identity::kind::remote;
  who.name = user;
  who.group = group;
  who.uid = who.gid = wire::identity::nobody;
  who.address = of->peer().address;
  who.host = of->peer().name;
  return std::make_shared<users_connection>(of, std::move(who));
}

}  // namespace annals::actors
