#include "events/log/wal_order.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>

#include "events/log/checksum.hpp"

namespace annals::log {

namespace {

namespace fs = std::filesystem;

// A file has blocks of 32 KB, and a block is a row of parts: checksum (4 bytes), length (2), type (1), content; what is left of it is too
// short for a part. A record is one whole part, or a first one, middle ones and a last one: a batch, which begins with its sequence in
// RocksDB's own count (8 bytes) and the number of its entries (4). All little-endian.
constexpr std::size_t wal_block_bytes = 32u << 10, part_header_bytes = 7, batch_header_bytes = 12;
enum part_type : char { whole_record = 1,
                        first_part,
                        middle_part,
                        last_part };

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t n = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) n = n << 8 | static_cast<unsigned char>(bytes[i]);
  return n;
}

// Of the type and the content, as RocksDB masks it.
std::uint32_t part_checksum(std::string_view type_and_content) {
  const auto crc = crc32c(std::as_bytes(std::span(type_and_content)));
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

class wal_records {
 public:
  explicit wal_records(std::istream& in) : in_(in) {}

  // Nothing: the end, or what is not whole. RocksDB drops that, since it was never acknowledged, and gives its sequences again.
  std::optional<std::string> next() {
    std::string record;
    for (bool begun = false;; begun = true) {
      std::string part;
      if (!read_part(part)) return std::nullopt;
      const char type = part.front();
      if (begun ? type != middle_part && type != last_part : type != whole_record && type != first_part) return std::nullopt;
      record.append(part, 1);
      if (type == whole_record || type == last_part) return record;
    }
  }

 private:
  // Its type and its content.
  bool read_part(std::string& part) {
    if (const auto left = wal_block_bytes - at_ % wal_block_bytes; left < part_header_bytes) {
      in_.ignore(static_cast<std::streamsize>(left));
      at_ += left;
    }
    char header[part_header_bytes];
    if (!in_.read(header, sizeof header)) return false;
    const std::string_view h(header, sizeof header);
    const auto length = little_endian(h.substr(4, 2));
    part.assign(length + 1, h[6]);
    if (!in_.read(part.data() + 1, static_cast<std::streamsize>(length))) return false;
    at_ += part_header_bytes + length;
    return part_checksum(part) == little_endian(h.substr(0, 4));
  }

  std::istream& in_;
  std::size_t at_ = 0;
};

std::vector<fs::path> wals_in(const std::string& directory) {
  std::vector<fs::path> out;
  std::error_code why;
  for (fs::directory_iterator i(directory, why), end; !why && i != end; i.increment(why)) {
    const auto number = i->path().stem().string();
    if (i->path().extension() == ".log" && !number.empty() && number.find_first_not_of("0123456789") == std::string::npos)
      out.push_back(i->path());
  }
  std::ranges::sort(out, {}, [](const fs::path& p) { return std::strtoull(p.stem().c_str(), nullptr, 10); });
  return out;
}

}  // namespace

std::optional<std::uint64_t> first_in_wal(std::istream& wal) {
  wal_records records(wal);
  while (const auto batch = records.next()) {
    if (batch->size() < batch_header_bytes) return std::nullopt;
    const std::string_view header(*batch);
    if (little_endian(header.substr(8, 4)) > 0) return little_endian(header.substr(0, 8));
  }
  return std::nullopt;
}

std::vector<misplaced_wal> misplaced_wals(const std::string& directory) {
  std::vector<misplaced_wal> out;
  std::uint64_t highest = 0;
  std::string of_highest;
  for (const auto& file : wals_in(directory)) {
    std::ifstream wal(file, std::ios::binary);
    const auto first = first_in_wal(wal);
    if (!first) continue;
    if (*first <= highest) {
      out.push_back({file.filename().string(), of_highest});
      continue;
    }
    highest = *first;
    of_highest = file.filename().string();
  }
  return out;
}

std::string print(const misplaced_wal& w) {
  return "write-ahead log " + w.file + " is not behind " + w.before + ": an older file was put in its place";
}

}  // namespace annals::log
