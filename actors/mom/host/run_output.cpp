#include "actors/mom/host/run_output.hpp"

#include <cerrno>
#include <cstring>

namespace annals::mom {

user_request as_owner(const shepherd_order& o, user_request request) {
  request.change_user = o.change_user;
  request.uid = o.uid;
  request.gid = o.gid;
  request.groups = o.groups;
  return request;
}

append_task run_output::append_to(const shepherd_order& o, const std::string& file, const std::string& text) const {
  return {file, text, o.make_jobdir || files_.is_spool_file(file, o.job_id, o.key)};
}

void run_output::append(const shepherd_order& o, const std::string& file, const std::string& text) {
  user_request request;
  request.appends.push_back(append_to(o, file, text));
  user_work_.run(as_owner(o, std::move(request)));
}

void run_output::append_surely(const values::run_key& key, const shepherd_order& o, const std::string& file, const std::string& bytes,
                               unsigned tries) {
  user_request request;
  request.appends.push_back(append_to(o, file, bytes));
  const auto then = [this, key, o, file, bytes, tries](const std::optional<user_answer>& answer) {
    news_.guarded([&] {
      const auto done = answer ? answer->appended : 0;
      if (done >= bytes.size()) return news_.appended(key);
      append_rest(key, o, file, bytes.substr(done), tries, answer ? answer->text : "the process that writes it died");
    });
  };
  if (!user_work_.ask({key, work::output}, as_owner(o, std::move(request)), then))
    append_rest(key, o, file, bytes, tries, options_.shepherd + ": " + std::strerror(errno));
}

void run_output::append_rest(const values::run_key& key, const shepherd_order& o, const std::string& file, const std::string& bytes,
                             unsigned tries, const std::string& why) {
  if (++tries < limits::output_tries_max)
    return later_.after(options_.retry_pause, {key, work::output},
                        [this, key, o, file, bytes, tries] { append_surely(key, o, file, bytes, tries); });
  news_.tell([key, text = std::to_string(bytes.size()) + " bytes that a task wrote are lost, " + why](const host_news::events& e) {
    if (e.log) e.log(key, text);
  });
  news_.appended(key);
}

}  // namespace annals::mom
