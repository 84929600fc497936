#include "tools/audit/salvage_rounds.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "events/log/rocksdb_event_store.hpp"
#include "tools/audit/apart.hpp"
#include "tools/audit/start_check.hpp"

namespace annals::audit {

namespace fs = std::filesystem;

namespace {

// Each round leaves out one record more. A log that needs more of them is not salvaged by leaving out.
constexpr int rounds_max = 200;

std::string slurp(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string result_text(const salvage_result& r) {
  if (!r.trouble.empty()) return "trouble " + r.trouble;
  std::ostringstream out;
  out << "done " << r.kept << ' ' << r.lost << ' ' << r.left_out << ' ' << r.cut_streams << ' ' << r.held_jobs << ' ' << r.lost_blobs;
  return out.str();
}

salvage_result result_of(const apart_end& end) {
  salvage_result r;
  std::istringstream in(end.said);
  std::string word;
  in >> word >> r.kept >> r.lost >> r.left_out >> r.cut_streams >> r.held_jobs >> r.lost_blobs;
  if (end.well && word == "done" && in) return r;
  r.trouble = word == "trouble" ? end.said.substr(word.size() + 1) : end.said;
  if (r.trouble.empty()) r.trouble = "it ended without a word";
  return r;
}

salvage_result one_round(const salvage_order& order) {
  return result_of(run_apart([&](int out) {
    const auto text = result_text(salvage(order));
    if (::write(out, text.data(), text.size()) < 0) ::_exit(1);
  }));
}

std::string why_not(const std::string& from, const salvage_order& order) {
  if (!fs::is_directory(from)) return from + ": there is no event log here";
  if (log::has_writer(from)) return from + ": a daemon has it open: stop it first";
  for (const auto& file : {order.to, order.account})
    if (fs::exists(file)) return file + " exists: name a directory that does not";
  return {};
}

}  // namespace

salvage_end salvage_in_rounds(const std::string& from, const std::string& to, std::int64_t now_ns) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  salvage_order order{.from = from,
                      .to = to,
                      .scratch = to + ".scratch.XXXXXX",
                      .account = to + ".account",
                      .host = host,
                      .now_ns = now_ns,
                      .beside = read_marks_beside(from),
                      .refused = {}};
  salvage_end end;
  end.trouble = why_not(from, order);
  if (!end.trouble.empty()) return end;
  std::error_code ignored;
  for (int round = 0; round < rounds_max; ++round) {
    order.scratch = to + ".scratch.XXXXXX";
    if (!::mkdtemp(order.scratch.data())) return end.trouble = order.scratch + ": " + std::strerror(errno), end;
    end.result = one_round(order);
    fs::remove_all(order.scratch, ignored);
    end.trouble = end.result.trouble;
    const auto start = end.trouble.empty() ? try_to_start(to) : start_check{};
    if (end.trouble.empty() && start.trouble.empty()) return end.account = slurp(order.account), end;
    fs::remove_all(to, ignored);
    fs::remove(order.account, ignored);
    if (!end.trouble.empty()) return end;
    end.trouble = start.trouble;
    if (start.refused == 0 || !order.refused.emplace(start.refused, start.trouble).second) return end;  // nothing more to leave out
  }
  return end;
}

}  // namespace annals::audit
