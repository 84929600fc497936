#include "hooks-runtime/pbs_module/run_state.hpp"

#include <openssl/sha.h>

#include <algorithm>

#include "hooks-runtime/pbs_module/quick_order.hpp"
#include "hooks-runtime/protocol/log_levels.hpp"

namespace annals::hooks {
namespace {
run_state* the_run = nullptr;
std::uint64_t runs_so_far = 0;

std::string sha256(schema::byte_span bytes) {
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

capnp::Data::Reader data_of(const std::string& bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

void write_change(const made_change& from, protocol::Change::Builder to) {
  to.setParameter(from.parameter);
  if (!from.object.empty()) to.setObject(from.object);
  to.setKind(from.kind);
  to.setAttribute(from.attribute);
  if (!from.resource.empty()) to.setResource(from.resource);
  to.setHadValue(from.before.has_value());
  if (from.before) to.setBefore(*from.before);
  to.setHasValue(from.after.has_value());
  if (from.after) to.setAfter(*from.after);
  if (from.after_texts.empty()) return;
  auto texts = to.initAfterTexts(static_cast<unsigned>(from.after_texts.size()));
  for (unsigned i = 0; i < texts.size(); ++i) texts.set(i, from.after_texts[i]);
}
}  // namespace

run_state* current() { return the_run; }

std::string_view hook_home::server_name() const {
  for (const auto& [name, value] : pbs_conf)
    if (name == "PBS_SERVER") return value;
  return {};
}

run_state::run_state(const hook_home& home, protocol::Request::Reader request, asker ask, line_taker said)
    : home_(home),
      serial_(++runs_so_far),
      request_(request),
      event_(find_event(request.getEvent())),
      ask_(std::move(ask)),
      said_(std::move(said)) {
  the_run = this;
}
run_state::~run_state() { the_run = nullptr; }

// Lines may take one half of what a reply holds, changes the other: a chatty script does not lose its changes.
bool run_state::fits(std::size_t bytes) {
  const std::uint64_t most = home_.output_bytes_max / 2;
  if (bytes > most - std::min(bytes_, most)) return false;
  bytes_ += bytes;
  return true;
}

bool run_state::changes_fit() const {
  std::uint64_t bytes = 0;
  for (const auto& c : changes_) {
    bytes +=
        c.object.size() + c.resource.size() + (c.before ? c.before->size() : 0) + (c.after ? c.after->size() : 0) + 128;
    for (const auto& text : c.after_texts) bytes += text.size() + 16;
  }
  return bytes <= home_.output_bytes_max / 2;
}

bool run_state::by_place::operator()(const made_change* a, const made_change* b) const {
  for (const auto part : {&made_change::attribute, &made_change::resource, &made_change::object})
    if (const int order = quick_order(a->*part, b->*part)) return order < 0;
  return quick_order(a->parameter, b->parameter) < 0;
}

void run_state::change(made_change&& what) {
  changes_.push_back(std::move(what));
  made_change& last = changes_.back();
  const auto [known, is_new] = change_at_.insert(&last);
  if (is_new) return;
  last.before = std::move((*known)->before);
  **known = std::move(last);
  changes_.pop_back();
}

void run_state::log(std::uint32_t level, std::string job, std::string message) {
  if (!fits(message.size() + job.size() + 16)) {
    ++log_dropped_;
    return;
  }
  log_.push_back({level, std::move(job), std::move(message)});
  if (said_) said_(log_.back());
}

void run_state::refused(const std::string& what, const char* setting) {
  constexpr std::size_t told_max = 20;
  if (refused_.size() >= told_max || !refused_.insert(what).second) return;
  log(log_level::security, {},
      "hook " + home_.hook_name + " may not " + what + R"(: {"annals_sandbox": {")" + setting +
          R"(": true}} in its configuration allows it)");
}

void run_state::action(act what, std::string text) {
  for (const auto& known : actions_)
    if (const auto* d = std::get_if<done>(&known); d && d->what == what && d->text == text) return;
  actions_.emplace_back(done{what, std::move(text)});
}

void run_state::released(std::string job, std::string keep_select, std::vector<std::string> vnodes) {
  actions_.emplace_back(released_nodes{std::move(job), std::move(keep_select), std::move(vnodes)});
}

void run_state::custom_resource(std::string name, std::string type) {
  custom_.emplace(std::move(name), std::move(type));
}

schema::sealed<protocol::Answer> run_state::ask(const schema::sealed<protocol::Question>& question) {
  auto answer = ask_(question);
  asked_.push_back({question, sha256(answer.bytes())});
  return answer;
}

void run_state::reject(std::string message, int code) {
  rejected_ = true;
  message_ = std::move(message);
  code_ = code;
}

void run_state::fail(std::string message, std::string traceback) {
  failed_ = true;
  message_ = std::move(message);
  traceback_ = std::move(traceback);
}

void run_state::write_actions(protocol::Reply::Builder reply) const {
  struct visitor {
    protocol::Action::Builder to;
    void operator()(const released_nodes& r) {
      auto released = to.initReleaseNodes();
      released.setJob(r.job);
      released.setKeepSelect(r.keep_select);
      auto names = released.initVnodes(static_cast<unsigned>(r.vnodes.size()));
      for (unsigned n = 0; n < names.size(); ++n) names.set(n, r.vnodes[n]);
    }
    void operator()(const done& d) {
      switch (d.what) {
        case act::rerun: return to.setRerun(d.text);
        case act::remove: return to.setDelete(d.text);
        case act::restart_cycle: return to.setRestartCycle();
        case act::reboot: return to.setReboot(d.text);
      }
    }
  };
  auto actions = reply.initActions(static_cast<unsigned>(actions_.size()));
  for (unsigned i = 0; i < actions_.size(); ++i) std::visit(visitor{actions[i]}, actions_[i]);
}

void run_state::write(protocol::Reply::Builder reply) {
  said_ = {};  // what is logged from here on stands in the reply alone
  if (!failed_ && !changes_fit()) fail("the hook changed more than one run may", {});
  reply.setVerdict(failed_     ? protocol::Verdict::ERROR
                   : rejected_ ? protocol::Verdict::REJECT
                               : protocol::Verdict::ACCEPT);
  if (failed_ || rejected_) reply.setMessage(message_);
  reply.setTraceback(traceback_);
  if (rejected_ && !failed_) reply.setCode(code_);
  // What a script changed before it raised does not count (pbs guide: an exception rejects the request).
  std::vector<const made_change*> kept;
  for (const auto& c : changes_)
    if (!failed_ && !rejected_ && c.only_on_reject)
      log(log_level::debug2, {}, c.object + ": " + c.attribute + " is not set, it holds only with reject");
    else if (!failed_)
      kept.push_back(&c);
  auto changes = reply.initChanges(static_cast<unsigned>(kept.size()));
  for (unsigned i = 0; i < kept.size(); ++i) write_change(*kept[i], changes[i]);
  auto lines = reply.initLog(static_cast<unsigned>(log_.size()));
  for (unsigned i = 0; i < log_.size(); ++i) {
    lines[i].setLevel(log_[i].level);
    lines[i].setJob(log_[i].job);
    lines[i].setMessage(log_[i].message);
  }
  reply.setLogDropped(log_dropped_);
  write_actions(reply);
  auto questions = reply.initQuestions(static_cast<unsigned>(asked_.size()));
  for (unsigned i = 0; i < asked_.size(); ++i) {
    questions[i].setQuestion(asked_[i].question.get());
    questions[i].setAnswerHash(data_of(asked_[i].answer_hash));
  }
  auto custom = reply.initCustomResources(static_cast<unsigned>(custom_.size()));
  unsigned at = 0;
  for (const auto& [name, type] : custom_) {
    custom[at].setName(name);
    custom[at++].setType(type);
  }
}

}  // namespace annals::hooks
