// What the tasks of a run write, on its way to who asked for it or into the job's files, and what they publish for each
// other. docs/design/0022-task-manager.md.
#include "actors/mom/runs/run_actor.hpp"
#include "events/model/run/task_limits.hpp"

namespace annals::actors {

caf::message_handler run_actor::output_handlers() {
  return {
      [this](const ask_publish& a) { publish({a.asker, {}}, a.task, a.name, a.value); },
      [this](const ask_subscribe& a) { subscribe({a.asker, {}}, a.task, a.name); },
      [this](const ask_host& a) { describe_host({a.asker, {}}, a.host); },
      [this](const ask_forget& a) { forget({a.asker, {}}); },
      [this](const task_output_taken& t) { on_output_taken(t); },
      [this](const output_appended&) {
        if (to_append_.empty()) return;
        const auto p = std::move(to_append_.front());
        to_append_.pop_front();
        append_next();
        on_output_taken({p.stream.first, p.stream.second, p.offset + p.bytes.size()});
      },
  };
}

// -- output ------------------------------------------------------------------------------------------------------------------

// A host tells a piece until it was taken: one that was is taken once more, and of one that was in part only the rest is new.
void run_actor::on_output(schema::TaskOutput::Reader o, const std::string& host) {
  const auto number = o.getTask().getTask();
  const auto task = state().tasks.find(number);
  if (task == state().tasks.end() || task->second.host != host) return;
  const stream_name stream{number, o.getErrors()};
  auto bytes = text_of(o.getBytes());
  auto offset = o.getOffset();
  const auto before = output_taken_[stream];
  if (offset + bytes.size() <= before) return on_output_taken({number, o.getErrors(), offset + bytes.size()});
  if (offset < before) bytes.erase(0, before - std::exchange(offset, before));
  const auto asker = output_for_.find(number);
  // When the job's program has ended nobody waits any more.
  if (asker == output_for_.end() || state().phase != model::run_phase::started) {
    for (const auto& p : to_append_)
      if (p.stream == stream) return;  // on its way
    to_append_.push_back({stream, offset, std::move(bytes)});
    if (to_append_.size() == 1) append_next();
    return;
  }
  const auto& to = asker->second;
  if (to.host.empty()) return send(to.asker.who, task_output{to.asker.question, number, o.getErrors(), offset, std::move(bytes)});
  tell_sister(to.host, [&](auto m) {
    auto t = m.initOutput();
    fill_ref(t.initTask().initRef());
    t.getTask().setTask(number);
    t.setErrors(o.getErrors());
    t.setOffset(offset);
    t.setBytes({reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()});
    t.setQuestion(to.asker.question);
  });
}

void run_actor::append_next() {
  if (!to_append_.empty()) parts_.processes->append_output(key_, to_append_.front().stream.second, to_append_.front().bytes);
}

void run_actor::on_output_taken(const task_output_taken& t) {
  const auto task = state().tasks.find(t.task);
  if (task == state().tasks.end()) return;
  auto& so_far = output_taken_[{t.task, t.errors}];
  so_far = std::max(so_far, t.up_to);
  tell_sister(task->second.host, [&](auto m) {
    auto o = m.initOutputTaken();
    fill_ref(o.initTask().initRef());
    o.getTask().setTask(t.task);
    o.setErrors(t.errors);
    o.setUpTo(t.up_to);
  });
}

// -- what is published ---------------------------------------------------------------------------------------------------------

void run_actor::publish(const task_origin& origin, std::uint32_t task, const std::string& name, std::string value) {
  const published_name what{task, name};
  auto bytes = value.size();
  for (const auto& [of, kept] : published_)
    if (of != what) bytes += kept.size();
  const bool one_more = !published_.contains(what) && published_.size() >= limits::published_values_max;
  if (one_more || bytes > limits::published_bytes_of_run_max) return answer(origin, task_failure("too much is published"));
  const auto& kept = published_[what] = std::move(value);
  for (auto [at, end] = subscribed_.equal_range(what); at != end; ++at) answer(at->second, task_bytes(kept));
  subscribed_.erase(what);
  answer(origin, {});
}

void run_actor::subscribe(const task_origin& origin, std::uint32_t task, const std::string& name) {
  const auto publisher = state().tasks.find(task);
  if (task != 1 && publisher == state().tasks.end()) return answer(origin, task_failure("no such task"));
  if (const auto at = published_.find({task, name}); at != published_.end()) return answer(origin, task_bytes(at->second));
  if (publisher != state().tasks.end() && publisher->second.lost()) return answer(origin, host_failure(publisher->second.host));
  subscribed_.emplace(published_name{task, name}, origin);
}

// "Linux n1 6.1.0 #1 SMP x86_64:ncpus=1,place=free" (tm.h: tm_rescinfo)
void run_actor::describe_host(const task_origin& origin, const std::string& host) {
  if (host == parts_.settings->host) return answer(origin, task_bytes(parts_.settings->system + ":" + mom::resource_list_text(order())));
  const auto* s = state().sister(host);
  if (!s || s->phase != model::sister_phase::joined) return answer(origin, task_failure("no such host"));
  if (!contact_of(host).open) return answer(origin, host_failure(host));
  const auto question = ++last_question_;
  asked_hosts_[question] = {origin, host};
  tell_sister(host, [&](auto m) {
    fill_ref(m.initDescribe().initRef());
    m.getDescribe().setQuestion(question);
  });
}

void run_actor::on_described(schema::Described::Reader d) {
  if (const auto asked = asked_hosts_.extract(d.getQuestion()))
    answer(asked.mapped().origin, task_bytes(schema::str(d.getSystem()) + ":" + mom::resource_list_text(order())));
}

// -- who asked is gone ---------------------------------------------------------------------------------------------------------

void run_actor::forget(const task_origin& origin) {
  const auto gone = [&](const auto& one) {
    return one.second.host == origin.host && one.second.asker.who == origin.asker.who && one.second.asker.question == origin.asker.question;
  };
  std::erase_if(output_for_, gone);
  std::erase_if(watched_for_, gone);
  std::erase_if(subscribed_, gone);
}

// Whether it has done what it was asked is not known any more.
void run_actor::fail_questions_to(const std::string& host) {
  for (auto at = asked_hosts_.begin(); at != asked_hosts_.end();) {
    const bool lost = at->second.host == host;
    if (lost) answer(at->second.origin, host_failure(host));
    at = lost ? asked_hosts_.erase(at) : std::next(at);
  }
}

// A lost task publishes nothing any more.
void run_actor::fail_subscribers_of(std::uint32_t task) {
  std::erase_if(subscribed_, [&](const auto& one) {
    if (one.first.first != task) return false;
    answer(one.second, host_failure(state().tasks.at(task).host));
    return true;
  });
}

// The host's MoM has told its askers that nothing will come.
void run_actor::forget_askers_of(const std::string& host) {
  const auto gone = [&](const auto& one) { return one.second.host == host; };
  std::erase_if(output_for_, gone);
  std::erase_if(watched_for_, gone);
  std::erase_if(subscribed_, gone);
  std::erase_if(spawned_for_, gone);
}

}  // namespace annals::actors
