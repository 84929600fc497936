// Amounts of resources, and what an exec_vnode asks of each vnode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annals::model {

// An amount of a resource: sizes in kb, everything else as a number.
struct amount {
  double value = 0;
  bool is_size = false;
  std::string print() const;  // "2", "1024kb", "0.5"
  bool operator==(const amount&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.value, self.is_size);
  }
};

// Amounts by resource, few and sorted by name. A value: copies share their entries until one of them is changed, so that the
// thousand vnodes of a run, which are asked for the same, cost no thousand copies.
class amounts {
 public:
  using entry = std::pair<std::string, amount>;
  const entry* begin() const { return entries_.get(); }
  const entry* end() const { return entries_.get() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const entry* find(std::string_view resource) const;  // end() if there is none
  bool contains(std::string_view resource) const { return find(resource) != end(); }
  double value_of(std::string_view resource) const;  // 0 if there is none
  amount& operator[](std::string_view resource);     // a new one is 0
  void add(const amounts& more, int sign);           // +1, -1
  bool operator==(const amounts& other) const;
  // events/values/stored_state.hpp
  void store(auto& to) const {
    to.number(size_);
    for (const auto& e : *this) to(e);
  }
  void restore(auto& from) {
    size_ = from.count();
    entries_ = size_ > 0 ? std::make_shared<entry[]>(size_) : nullptr;
    for (std::size_t i = 0; i < size_; ++i) from(entries_[static_cast<std::ptrdiff_t>(i)]);
  }

 private:
  void unshare(std::size_t room);
  std::shared_ptr<entry[]> entries_;
  std::size_t size_ = 0;
};

// Reads "2", "1gb", "0.5". Text that is no number: nothing is assigned of it, `ok` is false.
amount read_amount(std::string_view text, bool* ok = nullptr);

// Reads what a part of an exec_vnode asks: "ncpus=2:mem=1gb". Neighbours mostly ask for the same, which is then read once.
class amounts_reader {
 public:
  const amounts& operator()(std::string_view resources);  // until the next call

 private:
  std::string_view last_;
  amounts read_;
};

// What an exec_vnode asks of a vnode, one entry for each part of a chunk; nothing for a text that is no exec_vnode.
struct asked_part {
  std::string vnode;
  amounts asked;
  std::uint32_t cpus = 0;
};
std::vector<asked_part> parts_of(std::string_view exec_vnode);

// A part of an exec_vnode says which environment its vnode is to be provisioned with, if it must be; the job has that vnode for itself
// (docs/design/0052-provisioning.md). Empty: it has what the job asks.
std::string_view aoe_of_part(std::string_view resources);
struct vnode_aoe {
  std::string vnode, aoe;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.vnode, self.aoe);
  }
};
// The vnodes that are provisioned before the run, each once.
std::vector<vnode_aoe> vnodes_to_provision(std::string_view exec_vnode);

}  // namespace annals::model
