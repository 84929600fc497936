#include "actors/relay/server_lines.hpp"

#include <algorithm>
#include <utility>

#include "events/schema/client.capnp.h"
#include "events/schema/comm.capnp.h"

namespace annals::actors {

// A line while a command has it: what the command says goes in words of pbs_comm, so that it can't say any itself.
class server_lines::users_line final : public wire::connection {
 public:
  users_line(wire::connection_ptr of, std::string user) : of_(std::move(of)), user_(std::move(user)) {}
  std::uint64_t id() const override { return of_->id(); }
  const wire::identity& peer() const override { return of_->peer(); }
  void send(const schema::sealed_message& message) override {
    of_->send(schema::make<schema::CommWord>([&](schema::CommWord::Builder w) {
      if (!std::exchange(begun_, true)) w.initBegins().setUser(user_);
      const auto bytes = message.bytes();
      w.setRequest(capnp::Data::Reader(reinterpret_cast<const capnp::byte*>(bytes.data()), bytes.size()));
    }));
  }
  void close(const std::string& why) override { of_->close(why); }
  bool is_open() const override { return of_->is_open(); }
  std::size_t unsent_bytes() const override { return of_->unsent_bytes(); }
  void pause_reading() override { of_->pause_reading(); }
  void resume_reading() override { of_->resume_reading(); }

 private:
  const wire::connection_ptr of_;
  const std::string user_;
  bool begun_ = false;
};

class server_lines::loan final : public server_dialer {
 public:
  loan(server_lines& of, std::uint64_t number, wire::connection_ptr open) : of_(of), number_(number), open_(std::move(open)) {
    ++of_.lent_;
  }
  ~loan() override {
    --of_.lent_;
    of_.give_back(number_);
  }
  wire::connection_ptr is_open() const override { return open_; }

 private:
  server_lines& of_;
  const std::uint64_t number_;
  const wire::connection_ptr open_;
};

// Of those that wait the last one, so that those that a crowd needed are left alone, and end.
std::unique_ptr<server_dialer> server_lines::lend(std::uint64_t caller, const std::string& user) {
  std::uint64_t number = 0;
  if (idle_.empty()) {
    number = ++last_number_;
    auto dialer = dial_(number);
    lines_[number].dialer = std::move(dialer);
  } else {
    number = idle_.back();
    idle_.pop_back();
  }
  auto& l = lines_.at(number);
  l.caller = caller;
  l.user = user;
  return std::make_unique<loan>(*this, number, l.server ? std::make_shared<users_line>(l.server, user) : nullptr);
}

// One that is not open yet is not waited for: nobody may be there.
void server_lines::give_back(std::uint64_t number) {
  const auto at = lines_.find(number);
  if (at == lines_.end()) return;  // lost
  auto& l = at->second;
  if (!l.server) return void(lines_.erase(at));
  l.caller.reset();
  l.ended = secret_();
  l.server->send(schema::make<schema::CommWord>([&](schema::CommWord::Builder w) { w.setEnded(l.ended); }));
  l.server->resume_reading();  // its command may not have taken all
}

std::optional<server_opened> server_lines::on_opened(const server_opened& o) {
  const auto at = lines_.find(o.caller);
  if (at == lines_.end()) return std::nullopt;
  auto& l = at->second;
  l.server = o.server;
  return server_opened{*l.caller, std::make_shared<users_line>(l.server, l.user)};
}

std::optional<server_frame> server_lines::on_frame(const server_frame& f, time_point now) {
  const auto at = lines_.find(f.caller);
  if (at == lines_.end()) return std::nullopt;
  auto& l = at->second;
  if (l.caller) return server_frame{*l.caller, f.message};
  if (l.ended == 0) {  // said to nobody
    lose(at);
    return std::nullopt;
  }
  for_peer(l.server, [&] {
    if (f.message.root<schema::Reply>().getId() != l.ended) return;
    l.ended = 0;
    l.idle_since = now;
    idle_.push_back(f.caller);
  });
  return std::nullopt;
}

// Who had it, if anybody.
std::optional<std::uint64_t> server_lines::lose(std::map<std::uint64_t, line>::iterator at) {
  const auto caller = at->second.caller;
  std::erase(idle_, at->first);
  lines_.erase(at);
  return caller;
}

std::optional<server_taken> server_lines::on_taken(const server_taken& t) const {
  const auto at = lines_.find(t.caller);
  if (at == lines_.end() || !at->second.caller) return std::nullopt;
  return server_taken{*at->second.caller};
}

std::optional<server_closed> server_lines::on_closed(const server_closed& c) {
  const auto at = lines_.find(c.caller);
  if (at == lines_.end()) return std::nullopt;
  const auto caller = lose(at);
  if (!caller) return std::nullopt;
  return server_closed{*caller, c.why};
}

std::optional<server_failed> server_lines::on_failed(const server_failed& f) {
  const auto at = lines_.find(f.caller);
  if (at == lines_.end()) return std::nullopt;
  const auto caller = lose(at);
  if (!caller) return std::nullopt;
  return server_failed{*caller, f.why};
}

// The longest idle come first.
void server_lines::drop_idle(time_point now, std::chrono::seconds longest) {
  while (!idle_.empty() && now - lines_.at(idle_.front()).idle_since >= longest) lose(lines_.find(idle_.front()));
}

}  // namespace annals::actors
