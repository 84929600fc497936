// An optional value that few objects of their kind have. std::optional has room for it in each of them; here it stands in memory of its
// own, and an object without it has a pointer instead: with 100,000 queued jobs that is what counts. A value: a copy has one of its own.
// An object that was moved from is empty.
#pragma once

#include <memory>
#include <utility>

namespace annals::values {

template <class T>
class rare {
 public:
  rare() = default;
  rare(T value) : held_(std::make_unique<T>(std::move(value))) {}
  rare(const rare& other) : held_(other ? std::make_unique<T>(*other) : nullptr) {}
  rare(rare&&) noexcept = default;
  rare& operator=(rare other) noexcept {
    held_.swap(other.held_);
    return *this;
  }
  ~rare() = default;

  bool has_value() const { return held_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  // While it has a value.
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }
  // A fresh value in place of what was there.
  T& emplace() { return *(held_ = std::make_unique<T>()); }
  bool operator==(const rare& other) const { return has_value() == other.has_value() && (!has_value() || *held_ == *other.held_); }

  // events/values/stored_state.hpp: the bytes of an optional.
  void store(auto& to) const {
    to(has_value());
    if (held_) to(*held_);
  }
  void restore(auto& from) {
    bool has = false;
    from(has);
    held_.reset();
    if (has) from(emplace());
  }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace annals::values
