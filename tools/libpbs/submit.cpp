// pbs_submit: a job as its attributes say. What qsub would add from its own environment (PBS_O_*) is added here when the
// attributes have none of it, because default output paths and the job's environment are made of it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "events/model/limits.hpp"
#include "tools/client/job_environment.hpp"
#include "tools/client/output_path.hpp"
#include "tools/client/queue_job.hpp"
#include "tools/client/this_process.hpp"
#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using ifl::text_of;

namespace {

namespace pbs_error = values::pbs_error;

std::string read_script(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw ifl::failure{pbs_error::bad_script, std::string(path) + ": " + std::strerror(errno)};
  std::string text;
  char piece[64 << 10];
  ssize_t n;
  while ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR)) {
    if (n > 0) text.append(piece, static_cast<std::size_t>(n));
    if (text.size() > limits::blob_bytes_max) break;
  }
  const int failed = n < 0 ? errno : 0;
  close(fd);
  if (failed != 0) throw ifl::failure{pbs_error::bad_script, std::string(path) + ": " + std::strerror(failed)};
  if (text.size() > limits::blob_bytes_max) throw ifl::failure{pbs_error::script_too_large, {}};
  return text;
}

void complete_variables(std::vector<client::job_attribute>& attributes) {
  client::job_attribute* list = nullptr;
  for (auto& a : attributes)
    if (a.name == ATTR_v) list = &a;
  if (list && list->value.find("PBS_O_") != std::string::npos) return;
  const std::string own = client::variable_list(client::this_process(client::working_directory()), {}, false);
  if (!list) attributes.push_back({ATTR_v, {}, own});
  else list->value = own + "," + list->value;
}

}  // namespace

extern "C" char* pbs_submit(int connect, struct attropl* attributes, const char* script, const char* destination, const char*) {
  return ifl::with_connection(connect, static_cast<char*>(nullptr), [&](ifl::connection& c) {
    client::queue_request what;
    what.queue = text_of(destination).substr(0, text_of(destination).find('@'));
    for (const attropl* a = attributes; a; a = a->next)
      what.attributes.push_back({text_of(a->name), text_of(a->resource), text_of(a->value)});
    complete_variables(what.attributes);
    std::optional<std::string> text;
    if (script && *script) text = read_script(script);
    what.script = text ? &*text : nullptr;
    const std::string id = ifl::with_attributes(c, attributes, [&] { return ifl::done_text(client::queue_job(c.server, what)); });
    char* const answer = strdup(id.c_str());
    if (!answer) throw std::bad_alloc();
    return answer;
  });
}
