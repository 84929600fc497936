// Work that touches a user's files and must be done as that user: one run of `pbs_shepherd as-user`, which reads
// requests of one user on its standard input and writes an answer to each to its standard output. Same format as the order file.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/output_index.hpp"

namespace annals::mom {

// A MoM's word to a shepherd: "send the signal in my value to your run". A number of our own among the real-time
// signals; SIGRTMIN differs from C library to C library.
constexpr int request_signal = 40;

// A place among the records of a file that subjobs share.
struct record_task {
  std::string path;   // of that file, absolute
  std::string inner;  // its name if `path` is a directory
  std::string host;   // ends its name
  values::output_record record;
  bool operator==(const record_task&) const = default;
};
struct copy_task {
  std::string from, to_host, to_path;  // from: absolute; to_path: absolute for local copies
  std::string retained;                // where the file goes if it can't be copied
  bool local = false;
  std::optional<record_task> record = {};  // where it goes if that can be; else it is copied
  bool operator==(const copy_task&) const = default;
};
// A file or directory that is stored elsewhere. Relative paths start in `jobdir` here, and in `home` there when it is local.
struct stage_task {
  enum class kind : std::uint8_t {
    in,
    out,   // may have wildcards; its files are removed when they are copied
    drop,  // came by an earlier `in`: its file is removed when all others are in their places
  };
  kind what = kind::in;
  std::string here, host, there;
  bool local = false;
  bool operator==(const stage_task&) const = default;
};
struct append_task {
  std::string file, text;
  bool shared = false;  // in a directory where others may make files: no link is followed, and the file must be the user's
  bool operator==(const append_task&) const = default;
};

struct user_request {
  bool change_user = false;
  std::uint32_t uid = 0, gid = 0;
  std::vector<std::uint32_t> groups;
  std::string user, home;               // USER and HOME of scp
  std::string jobdir;                   // where relative paths of files to stage start
  std::string lock;                     // file held meanwhile; who holds it is an earlier request and is ended. Empty: none
  std::vector<std::string> cp, scp;     // programs and their first arguments
  std::vector<std::uint32_t> pauses_s;  // before each try of a copy
  std::uint32_t copying_s = 0;          // all copies, stages and pauses together are ended after this
  bool first_try = false;               // what can't be copied stays where it is, for another request
  std::vector<copy_task> copies;
  std::vector<stage_task> stages;
  std::vector<append_task> appends;
  std::vector<std::string> directories;  // to be made, mode 700; one that is there and the user's will do
  std::vector<std::string> removals;     // whole trees
  std::vector<std::string> kept_with;    // names: a tree that holds one of these stays
  bool operator==(const user_request&) const = default;
};
std::string print_request(const user_request& request);
std::optional<user_request> parse_request(std::string_view bytes);
bool same_user(const user_request& a, const user_request& b);
// The first of several texts, requests or answers, that stand behind each other; empty: none is whole.
std::string_view first_of(std::string_view bytes);

struct user_answer {
  std::uint32_t delivered = 0;              // copies that are at their place, or directories that are there
  std::string text;                         // about the others
  std::uint64_t appended = 0;               // bytes of the appends; the first that fails is the last
  std::vector<std::string> tries = {};      // that failed, as the log tells them
  std::vector<std::uint32_t> settled = {};  // numbers of copies whose source is needed no more, and where only the MoM may remove it
  bool operator==(const user_answer&) const = default;
};
std::string print_answer(const user_answer& answer);
std::optional<user_answer> parse_answer(std::string_view bytes);

}  // namespace annals::mom
