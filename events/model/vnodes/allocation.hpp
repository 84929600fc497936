// What a run has of the cluster: parts of vnodes, by host. It begins with what was assigned and gets smaller with each release; a
// suspended run keeps it. A value: it is made of texts, read again only when a part of it is asked for, since most runs get and
// lose theirs as a whole. Governed by docs/design/0033-allocations-and-holdings.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/schema/daemon/shared.capnp.h"
#include "events/values/rare.hpp"

namespace annals::model {

class allocation {
 public:
  allocation() = default;
  // `exec_host` has an entry for each chunk of `exec_vnode`; `hosts` are the hosts it names, the primary first.
  allocation(std::string_view exec_vnode, std::string_view exec_host, std::vector<std::string> hosts, std::string_view place);
  // Whether the three fit together.
  static bool fits(std::string_view exec_vnode, std::string_view exec_host, const std::vector<std::string>& hosts);

  bool empty() const { return !texts_ || texts_->exec_vnode.empty(); }
  const std::string& exec_vnode() const { return read().exec_vnode; }
  const std::string& exec_host() const { return read().exec_host; }
  const std::string& place() const { return read().place; }               // that it was asked with
  const std::vector<std::string>& hosts() const { return read().hosts; }  // that it has something of, in the order of the start
  // Which chunk of its select its chunk number `i` was given for, both counted from 0: its number at the start, until it is told another.
  static constexpr std::uint32_t no_chunk = UINT32_MAX;  // none: place=exclhost added it
  std::size_t chunk_of_select(std::size_t i) const { return read().chunks_of_select.empty() ? i : read().chunks_of_select[i]; }
  const std::string& select() const { return read().select; }  // empty: the schedselect it began with
  bool is_on(std::string_view host) const;
  // What it has on these hosts, as an exec_vnode.
  std::string on(const std::vector<std::string>& hosts) const;
  std::string on_host(std::string_view host) const;

  // Without these parts, which must be parts of it: false, and nothing changed, if they are not. Of equal parts the last go.
  bool release(std::string_view exec_vnode);
  // Only those of its parts, counted through all chunks, that are true here. What goes, as an exec_vnode.
  std::string keep(const std::vector<bool>& parts);
  // It without these parts, counted through all chunks from 0, rising. Nothing: there are none, it has no such parts, or its first host
  // would go.
  std::optional<allocation> without(const std::vector<std::uint32_t>& parts) const;
  // How many parts are on a host, and how many then: much less work than the above. Nothing: these are not its parts.
  struct part_counts {
    std::size_t now = 0, then = 0, then_on_first_host = 0;
  };
  std::optional<part_counts> parts_on(std::string_view host, const std::vector<std::uint32_t>& without) const;
  // Which of its parts these are, which come in its order; nothing: they are not.
  std::optional<std::vector<bool>> parts_in(std::string_view exec_vnode, std::string_view exec_host) const;
  // It with nothing but these, which must be parts of it in its order, and all that goes be `released`. Nothing: they are not, or its
  // first host would go. For a reduction that is told as texts (docs/design/0033).
  std::optional<allocation> reduced_to(std::string_view exec_vnode, std::string_view exec_host, std::string_view released) const;
  // Of parts that go those that are on hosts where some are left.
  std::string on_kept_hosts(std::string_view released, const allocation& left) const;
  // From here on it answers another select: the number there of each of its chunks.
  void renumber(std::vector<std::uint32_t> chunks, std::string select);
  std::size_t chunks() const;
  bool operator==(const allocation& other) const { return read() == other.read(); }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.texts_);
  }

 private:
  struct texts {
    std::string exec_vnode = {}, exec_host = {}, place = {}, select = {};
    std::vector<std::string> hosts = {};
    std::vector<std::uint32_t> chunks_of_select = {};  // of each entry of exec_host; empty: they count from 0
    bool operator==(const texts&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.exec_vnode, self.exec_host, self.place, self.select, self.hosts, self.chunks_of_select);
    }
  };
  const texts& read() const;
  template <class Stays>
  allocation kept(Stays stays, std::string* gone = nullptr) const;
  template <class Take>
  void for_each_part(Take take) const;

  values::rare<texts> texts_;  // a job that waits for its first run has none
};

// What a run begins with on its hosts, as its order says it.
allocation allocation_of(schema::StartRun::Reader order);

}  // namespace annals::model
