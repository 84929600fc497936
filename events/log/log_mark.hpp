// How far a log was durable, as somebody outside it remembers: the file beside the log, and each MoM for the server's. One
// line, so that an administrator can read it:
//   "annals-log 1 <identity, 32 hex> <sequence> <chain hash of that record, 64 hex> <last stream> <next job number>
//    <16 hex digits: SHA-256 of what stands before>\n"
// It is written behind the log, so it never says more than the log has. In a file a second line says which file that is, so that a copy of
// it is known as one:
//   "file <inode> <its birth, ns since 1970> <16 hex digits: SHA-256 of what stands before in this line>\n"
// Governed by docs/design/0028-lost-logs.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "events/log/record.hpp"

namespace annals::log {

struct log_mark {
  std::string log;                // identity: 16 bytes
  std::uint64_t sequence = 0;     // durable up to here
  chain_hash head{};              // of the record with this sequence
  std::uint64_t last_stream = 0;  // the highest serial
  std::uint64_t next_number = 0;  // of the next job
  bool operator==(const log_mark&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.log, self.sequence, self.head, self.last_stream, self.next_number);
  }
};

std::string print(const log_mark& m);
// Nothing: torn, or not a mark.
std::optional<log_mark> parse_log_mark(std::string_view line);

// What a mark that travels is signed for.
inline constexpr std::string_view log_mark_purpose = "annals log mark 1";

// "0123...": an identity as people read it.
std::string hex(std::string_view bytes);

// The mark moves on with a durable record of its log; not so its head, which only the last one's hash is.
void advance(log_mark& mark, const record& r);

// Writes a file anew, all or nothing: a temporary one, its sync, its rename. Throws std::runtime_error with the file's name.
void replace_file(const std::string& path, std::string_view content);

// The same of a mark with the line that says which file it is in. doubted: it says none, and so is taken for a copy.
void keep_mark_file(const std::string& path, const log_mark& m, bool doubted);
// The file is another one than its mark was written to: it was put there from a copy, and what is beside it may have been too. Also one
// whose mark was doubted then. One of a release that did not write the line is none.
bool is_copied_mark_file(const std::string& path);

struct no_mark {};  // no such file
struct bad_mark {
  std::string why;
};  // it can't be read, or is none
std::variant<log_mark, no_mark, bad_mark> read_mark_file(const std::string& path);

}  // namespace annals::log
