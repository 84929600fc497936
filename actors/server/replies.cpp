#include "actors/server/replies.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <mutex>

#include "actors/server/messages.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

schema::sealed<schema::Reply> done_reply(std::uint64_t id, std::uint64_t sequence, const std::string& text) {
  return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(id);
    r.setSequence(sequence);
    r.setDone(text);
  });
}

schema::sealed<schema::Reply> refusal_reply(std::uint64_t id, std::uint64_t sequence, const model::rejection& why) {
  return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(id);
    r.setSequence(sequence);
    auto rejected = r.initRejected();
    rejected.setCode(why.code);
    rejected.setText(why.text);
    rejected.setUploadAgain(why.upload_again);
  });
}

namespace {

class connection_sink final : public reply_sink {
 public:
  connection_sink(wire::connection_ptr peer, std::shared_ptr<void> in_hand) : peer_(std::move(peer)), in_hand_(std::move(in_hand)) {}
  void send(const schema::sealed<schema::Reply>& reply) override { peer_->send(reply); }
  std::optional<std::size_t> unread_bytes() const override {
    return peer_->is_open() ? std::optional(peer_->unsent_bytes()) : std::nullopt;
  }
  void give_up(const std::string& why) override { peer_->close(why); }
  void set_aside() override { in_hand_.reset(); }

 private:
  wire::connection_ptr peer_;
  std::shared_ptr<void> in_hand_;
};

class client_reply final : public reply_to {
 public:
  client_reply(sink_ptr to, std::uint64_t id) : to_(std::move(to)), id_(id) {}
  void done(std::uint64_t sequence, const std::string& text) override { to_->send(done_reply(id_, sequence, text)); }
  void refused(std::uint64_t sequence, const model::rejection& why) override {
    to_->send(refusal_reply(id_, sequence, why));
  }

 private:
  sink_ptr to_;
  std::uint64_t id_;
};

// Shared by the parts of one request; they may finish on different threads.
struct joint {
  std::mutex guard;
  reply_ptr whole;
  std::size_t open;
  bool one_is_enough = false;
  bool any_done = false;
  std::uint64_t sequence = 0;
  std::string text;
  model::rejection first;

  void one_done(std::uint64_t at, const std::string& done_text, const model::rejection* why) {
    std::lock_guard held(guard);
    sequence = std::max(sequence, at);
    if (!done_text.empty()) text = done_text;
    if (why && first.code == 0) first = *why;
    any_done |= !why;
    if (--open > 0) return;
    if (first.code != 0 && !(one_is_enough && any_done)) whole->refused(sequence, first);
    else whole->done(sequence, text);
  }
};

class joint_reply final : public reply_to {
 public:
  explicit joint_reply(std::shared_ptr<joint> all) : all_(std::move(all)) {}
  void done(std::uint64_t sequence, const std::string& text) override { all_->one_done(sequence, text, nullptr); }
  void refused(std::uint64_t sequence, const model::rejection& why) override { all_->one_done(sequence, {}, &why); }

 private:
  std::shared_ptr<joint> all_;
};

class resume_reply final : public reply_to {
 public:
  resume_reply(caf::actor gateway, std::uint64_t job, model::requester by, reply_ptr to)
      : gateway_(std::move(gateway)), job_(job), by_(std::move(by)), to_(std::move(to)) {}
  void done(std::uint64_t sequence, const std::string& text) override { to_->done(sequence, text); }
  void refused(std::uint64_t sequence, const model::rejection& why) override {
    if (why.code == values::pbs_error::resource_unavailable) caf::anon_send(gateway_, resume_waits{job_, by_, to_});
    else to_->refused(sequence, why);
  }

 private:
  caf::actor gateway_;
  std::uint64_t job_;
  model::requester by_;
  reply_ptr to_;
};

class mom_ack final : public reply_to {
 public:
  mom_ack(wire::connection_ptr peer, schema::sealed<schema::ToMom> ack) : peer_(std::move(peer)), ack_(std::move(ack)) {}
  // A text: the run that has exited has its first host alone.
  void done(std::uint64_t, const std::string& text) override {
    if (text.empty()) return peer_->send(ack_);
    peer_->send(schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
      m.setAck(ack_.get().getAck());
      m.getAck().setFirstHostOnly(true);
    }));
  }
  void refused(std::uint64_t, const model::rejection&) override {}  // not taken: the MoM tells it again

 private:
  wire::connection_ptr peer_;
  schema::sealed<schema::ToMom> ack_;
};

class proposal_reply final : public reply_to {
 public:
  proposal_reply(caf::actor to, std::string scheduler, std::uint64_t job, std::uint64_t cycle)
      : to_(std::move(to)), scheduler_(std::move(scheduler)), job_(job), cycle_(cycle) {}
  void done(std::uint64_t, const std::string&) override { caf::anon_send(to_, proposal_settled{scheduler_, job_, cycle_, false, {}}); }
  void refused(std::uint64_t, const model::rejection& why) override {
    caf::anon_send(to_, proposal_settled{scheduler_, job_, cycle_, true, why});
  }

 private:
  caf::actor to_;
  std::string scheduler_;
  std::uint64_t job_, cycle_;
};

}  // namespace

sink_ptr sink_to(wire::connection_ptr peer, std::shared_ptr<void> in_hand) {
  return std::make_shared<connection_sink>(std::move(peer), std::move(in_hand));
}

reply_ptr reply_to_client(sink_ptr to, std::uint64_t request_id) { return std::make_shared<client_reply>(std::move(to), request_id); }

std::vector<reply_ptr> reply_jointly(reply_ptr whole, std::size_t parts, joined how) {
  auto all = std::make_shared<joint>();
  all->whole = std::move(whole);
  all->open = parts;
  all->one_is_enough = how == joined::one_is_enough;
  std::vector<reply_ptr> out;
  for (std::size_t i = 0; i < parts; ++i) out.push_back(std::make_shared<joint_reply>(all));
  return out;
}

reply_ptr reply_or_resume_later(caf::actor gateway, std::uint64_t job, const model::requester& by, reply_ptr to) {
  return std::make_shared<resume_reply>(std::move(gateway), job, by, std::move(to));
}

reply_ptr acknowledge_mom(wire::connection_ptr peer, schema::RunRef::Reader ref, schema::Ack::What what) {
  auto ack = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto a = m.initAck();
    a.setRef(ref);
    a.setWhat(what);
  });
  return std::make_shared<mom_ack>(std::move(peer), std::move(ack));
}

reply_ptr acknowledge_steps(wire::connection_ptr peer, schema::RunSteps::Reader steps) {
  auto ack = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto a = m.initAck();
    a.setRef(steps.getRef());
    a.setWhat(schema::Ack::What::RUN_STEPS);
    a.setSteps(steps.getFirst() + steps.getSteps().size());
  });
  return std::make_shared<mom_ack>(std::move(peer), std::move(ack));
}

reply_ptr settle_proposal(caf::actor scheduling, std::string scheduler, std::uint64_t job, std::uint64_t cycle) {
  return std::make_shared<proposal_reply>(std::move(scheduling), std::move(scheduler), job, cycle);
}

}  // namespace annals::actors
