// The connection of a daemon on another host that speaks for a user there: the same connection, with the user's name. From then on it is
// that of a client.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "actors/link/wire/room.hpp"
#include "actors/link/wire/wire.hpp"

namespace annals::actors {

// Of all commands on other hosts: by user, wherever he is.
using remote_places = std::shared_ptr<wire::room<std::string>>;

class users_connection final : public wire::connection {
 public:
  // `of` shows the daemon: its certificate names the host. `id` is this one's: that of `of`, where it is for this user as long as it lives.
  users_connection(wire::connection_ptr of, const std::string& user, const std::string& group, std::uint64_t id);

  std::uint64_t id() const override { return id_; }
  const wire::identity& peer() const override { return who_; }
  void send(const schema::sealed_message& message) override;
  void close(const std::string& why) override;
  bool is_open() const override;
  std::size_t unsent_bytes() const override { return of_->unsent_bytes(); }
  void pause_reading() override;
  void resume_reading() override;

  // The user is gone, and the connection goes on without him: whoever still has this one says and does nothing on it any more.
  void leave();

 private:
  const wire::connection_ptr of_;
  const std::uint64_t id_;
  wire::identity who_;
  mutable std::mutex guard_;  // nothing is under way on the connection when leave() returns
  bool left_ = false;
};

}  // namespace annals::actors
