#include "tools/export/row_batch.hpp"

#include <cstring>

namespace annals::exporting {
namespace {

// Keys are numbers and texts.
std::string key_of(const exports::row& r) {
  std::string key;
  for (unsigned i = 0; i < exports::table_of(r.table).key; ++i) {
    const auto* text = std::get_if<std::string>(&r.values[i]);
    const std::uint64_t n = text ? text->size() : static_cast<std::uint64_t>(std::get<std::int64_t>(r.values[i]));
    key.append(reinterpret_cast<const char*>(&n), sizeof n);
    if (text) key += *text;
  }
  return key;
}

std::size_t bytes_of(const exports::row& r) {
  std::size_t bytes = sizeof r + r.values.size() * sizeof(exports::value);
  for (const auto& v : r.values)
    if (const auto* text = std::get_if<std::string>(&v)) bytes += text->size();
  return bytes;
}

}  // namespace

void row_batch::put(exports::row&& r) {
  auto& table = tables_[static_cast<std::size_t>(r.table)];
  bytes_ += bytes_of(r);
  const auto [at, is_new] = table.at.try_emplace(key_of(r), table.rows.size());
  if (is_new) {
    table.rows.push_back(std::move(r));
    ++rows_;
    return;
  }
  auto& former = table.rows[at->second];
  bytes_ -= bytes_of(former);
  former = std::move(r);
}

void row_batch::clear() {
  for (auto& table : tables_) {
    table.rows.clear();
    table.at.clear();
  }
  rows_ = bytes_ = 0;
}

}  // namespace annals::exporting
