#include "actors/mom/host/run_copies.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace annals::mom {
namespace {

// What others wait for meanwhile: some milliseconds.
constexpr std::int64_t quick_bytes_max = 256 << 10;

}  // namespace

void run_copies::stage_in(const values::run_key& key, const ports::stage_in_order& order) {
  copy(
      key, order.user, order.files.size(), {}, &host_news::events::staged_in,
      [&](const account& user) { return stage_in_request(how(), user, order, files_.copying(key)); },
      [this, key, order] { stage_in(key, order); });
}

void run_copies::deliver(const values::run_key& key, const ports::delivery_order& order, const std::string& jobdir) {
  if (order.files.empty() && order.out.empty() && order.used.empty()) return tell(key, &host_news::events::delivered, {});
  std::vector<std::string> outputs;
  for (const auto& file : order.files) outputs.push_back(file.from);
  copy(
      key, order.user, order.files.size() + order.out.size(), outputs, &host_news::events::delivered,
      [&](const account& user) { return delivery_request(how(), user, order, jobdir, files_.copying(key)); },
      [this, key, order, jobdir] { deliver(key, order, jobdir); });
}

void run_copies::unstage(const values::run_key& key, const ports::stage_in_order& order) {
  if (!names_a_file(key)) return;
  later_.forget({key, work::copying});
  user_work_.stop({key, work::copying});
  user_work::end_holder(files_.copying(key));
  const auto found = accounts_.find(order.user, {});
  const auto* const none = std::get_if<no_account>(&found);
  if (none && none->ask_again)
    return later_.after(options_.retry_pause, {key, work::unstaging}, [this, key, order] { unstage(key, order); });
  if (const auto* const user = std::get_if<account>(&found)) user_work_.run(unstage_request(*user, order));
}

// A file that a user's program may still be able to read is not used again: other runs' secrets would be in it.
void run_copies::forget(const values::run_key& key) {
  if (unshared_.erase(key) > 0) locks_.remove(files_.copying(key));
  else unlink(files_.copying(key).c_str());
}

copy_settings run_copies::how() const {
  return {options_.cp, options_.scp, options_.delivery_pauses_s, files_.undelivered(), options_.copying_s_max};
}

void run_copies::copy(const values::run_key& key, const std::string& user, std::size_t files, const std::vector<std::string>& outputs,
                      told what, const make_request& make, event_loop::task again) {
  if (user_work_.asking({key, work::copying})) return;  // it will be told when that one is done
  const auto asked = static_cast<unsigned>(files);
  const auto found = accounts_.find(user, {});
  const auto* const none = std::get_if<no_account>(&found);
  if (none && none->ask_again) return later_.after(options_.retry_pause, {key, work::copying}, std::move(again));
  if (none || !names_a_file(key)) return tell(key, what, {false, none ? none->why : "no file can be named " + print(key), 0, asked});
  user_work::end_holder(files_.copying(key));
  const auto then = [this, key, what, asked, outputs, since = std::chrono::steady_clock::now()](const std::optional<user_answer>& answer) {
    news_.guarded([&] {
      if (!answer) return tell(key, what, {false, "the process that copies died", 0, asked});
      // Only we may write to the spool directory.
      for (const auto n : answer->settled)
        if (n < outputs.size() && files_.is_output_in_spool(outputs[n])) unlink(outputs[n].c_str());
      const auto took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - since);
      tell(key, what,
           {answer->delivered == asked, answer->text, answer->delivered, asked, static_cast<unsigned>(took.count()), answer->tries});
    });
  };
  bring(key, make(std::get<account>(found)), then,
        [=, this] { tell(key, what, {false, options_.shepherd + ": " + std::strerror(errno), 0, asked}); });
}

void run_copies::bring(const values::run_key& key, const user_request& request, user_work::heard then, std::function<void()> not_begun) {
  const auto alone = [=, this] {
    unshared_.erase(key);
    if (!user_work_.ask({key, work::copying}, request, then)) not_begun();
  };
  if (!is_quick(key, request)) return alone();
  // One that ended a moment ago had a file like it: no new one is made, which takes most of the time.
  if (locks_.write(request.lock, {}, 0600) == 0) unshared_.insert(key);
  auto once = request;
  once.pauses_s = {0};
  once.first_try = true;
  user_work_.ask_with_others({key, work::copying}, once, [this, alone, then, all = request.copies.size()](const auto& answer) {
    if (answer && answer->delivered == all) return then(answer);
    news_.guarded(alone);
  });
}

bool run_copies::is_quick(const values::run_key& key, const user_request& request) const {
  struct stat st {};
  if (request.copies.empty() || !request.stages.empty()) return false;
  if (lstat(files_.copying(key).c_str(), &st) == 0) return false;  // an earlier request began
  std::int64_t bytes = 0;
  for (const auto& c : request.copies) {
    if (!c.local || !files_.is_output_in_spool(c.from)) return false;
    if (lstat(c.from.c_str(), &st) == 0) bytes += st.st_size;
  }
  return bytes <= quick_bytes_max;
}

void run_copies::tell(const values::run_key& key, told what, const ports::delivery_result& result) {
  news_.tell([key, what, result](const host_news::events& e) {
    if (e.*what) (e.*what)(key, result);
  });
}

}  // namespace annals::mom
