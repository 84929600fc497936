#include "test/sim/set_up.hpp"

namespace annals::sim {

schema::sealed<schema::Request> managing(schema::ManageVerb verb, schema::ObjectKind kind, const std::string& name, const set_values& to,
                                         std::uint64_t id) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(id);
    auto m = r.initManage();
    m.setVerb(verb);
    m.setKind(kind);
    m.setName(name);
    auto list = m.initChanges(static_cast<unsigned>(to.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setName(to[i].first);
      list[i].setValue(to[i].second);
      if (to[i].second.empty()) list[i].setOp(schema::AttributeOp::UNSET);
    }
  });
}

const schema::sealed<schema::Request>* set_up::next_to_send(std::uint64_t id) {
  if (done() || asked_ != 0) return nullptr;
  asked_ = id;
  sent_ = schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(id);
    r.setManage(requests_[next_].get().getManage());
  });
  return &sent_;
}

// A full disk, a host that is not there yet, a busy one: asked again.
bool set_up::on_reply(schema::Reply::Reader r) {
  if (r.getId() != asked_ || asked_ == 0) return false;
  asked_ = 0;
  const bool there = r.isRejected() && (r.getRejected().getCode() == 15211 || r.getRejected().getCode() == 15025);
  if (r.isDone() || there) ++next_;
  return true;
}

express_set_up::express_set_up(const std::string& preempt_order) {
  if (preempt_order.empty()) return;
  using kind = schema::ObjectKind;
  using verb = schema::ManageVerb;
  requests_.push_back(managing(verb::CREATE, kind::QUEUE, "express"));
  requests_.push_back(managing(
      verb::SET, kind::QUEUE, "express", {{"queue_type", "Execution"}, {"Priority", "200"}, {"enabled", "True"}, {"started", "True"}}));
  requests_.push_back(managing(verb::SET, kind::SCHEDULER, "default", {{"preempt_order", preempt_order}}));
}

}  // namespace annals::sim
