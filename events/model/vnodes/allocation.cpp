#include "events/model/vnodes/allocation.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "events/schema/message.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace {

// The entries of an exec_host, one per chunk: "n1/0*4".
std::vector<std::string_view> slots_of(std::string_view exec_host) {
  std::vector<std::string_view> slots;
  while (!exec_host.empty()) {
    const auto end = std::min(exec_host.find('+'), exec_host.size());
    slots.push_back(exec_host.substr(0, end));
    exec_host.remove_prefix(std::min(end + 1, exec_host.size()));
  }
  return slots;
}

std::string_view host_of(std::string_view slot) { return slot.substr(0, slot.find('/')); }

// Where hosts stand in a list, its size: nowhere. Quick for those that are asked for in its order, also several times.
class host_finder {
 public:
  explicit host_finder(const std::vector<std::string>& hosts) : hosts_(hosts) {}
  std::size_t find(std::string_view host) {
    for (const auto likely : {last_ + 1, last_, std::size_t{0}})
      if (likely < hosts_.size() && hosts_[likely] == host) return last_ = likely;
    return last_ = static_cast<std::size_t>(std::find(hosts_.begin(), hosts_.end(), host) - hosts_.begin());
  }

 private:
  const std::vector<std::string>& hosts_;
  std::size_t last_ = 0;
};

// Puts parts together again, chunk by chunk.
class exec_vnode_text {
 public:
  void add(const values::exec_vnode_reader::part& part) {
    if (!text_.empty()) text_ += part.chunk == chunk_ ? "+" : ")+(";
    else text_ += '(';
    chunk_ = part.chunk;
    text_ += part.text;
  }
  std::string take() {
    if (!text_.empty()) text_ += ')';
    return std::move(text_);
  }

 private:
  std::string text_;
  std::size_t chunk_ = 0;
};

// The parts of an exec_vnode, chunk by chunk; nothing: it is none.
using chunk_parts = std::vector<std::vector<std::string_view>>;
std::optional<chunk_parts> chunks_of(std::string_view exec_vnode) {
  chunk_parts chunks;
  values::exec_vnode_reader reader(exec_vnode);
  for (values::exec_vnode_reader::part p; reader.next(p);) {
    if (p.chunk == chunks.size()) chunks.emplace_back();
    chunks.back().push_back(p.text);
  }
  if (!reader.well_formed() || chunks.empty()) return std::nullopt;
  return chunks;
}

// Which of these parts are `some`, in the same order; nothing: they are not all there.
std::optional<std::vector<bool>> parts_among(const std::vector<std::string_view>& parts, const std::vector<std::string_view>& some) {
  std::vector<bool> found;
  std::size_t next = 0;
  for (const auto part : parts) {
    found.push_back(next < some.size() && some[next] == part);
    next += found.back();
  }
  if (next < some.size()) return std::nullopt;
  return found;
}

// Whether the next part is one of those that are listed by their numbers, rising.
class listed_parts {
 public:
  explicit listed_parts(const std::vector<std::uint32_t>& numbers) : numbers_(numbers) {}
  bool next() {
    const bool is_listed = met_ < numbers_.size() && numbers_[met_] == part_;
    met_ += is_listed;
    ++part_;
    return is_listed;
  }
  bool all_met() const { return met_ == numbers_.size(); }

 private:
  const std::vector<std::uint32_t>& numbers_;
  std::size_t met_ = 0;
  std::uint32_t part_ = 0;
};

bool same_parts(std::string_view a, std::string_view b) {
  const auto sorted = [](std::string_view exec_vnode) {
    std::vector<std::string_view> parts;
    for (const auto& chunk : chunks_of(exec_vnode).value_or(chunk_parts{})) parts.insert(parts.end(), chunk.begin(), chunk.end());
    std::sort(parts.begin(), parts.end());
    return parts;
  };
  return sorted(a) == sorted(b);
}

}  // namespace

// With the host that each is on.
template <class Take>
void allocation::for_each_part(Take take) const {
  std::string_view slots = exec_host(), host = host_of(slots);
  std::size_t slot = 0;
  values::exec_vnode_reader parts(exec_vnode());
  for (values::exec_vnode_reader::part p; parts.next(p);) {
    for (; slot < p.chunk; ++slot) {
      slots.remove_prefix(std::min(slots.find('+'), slots.size() - 1) + 1);
      host = host_of(slots);
    }
    take(p, host);
  }
}

allocation::allocation(std::string_view exec_vnode, std::string_view exec_host, std::vector<std::string> hosts, std::string_view place)
    : texts_(texts{.exec_vnode = std::string(exec_vnode),
                   .exec_host = std::string(exec_host),
                   .place = std::string(place),
                   .hosts = std::move(hosts)}) {}

const allocation::texts& allocation::read() const {
  static const texts none;
  return texts_ ? *texts_ : none;
}

bool allocation::fits(std::string_view exec_vnode, std::string_view exec_host, const std::vector<std::string>& hosts) {
  const auto chunks = values::parse_exec_vnode(exec_vnode);
  const auto slots = values::parse_exec_host(exec_host);
  if (!chunks || !slots || chunks->chunks.size() != slots->size()) return false;
  std::unordered_set<std::string_view> seen;
  for (const auto& slot : *slots)
    if (seen.insert(slot.host).second && (seen.size() > hosts.size() || hosts[seen.size() - 1] != slot.host)) return false;
  return seen.size() == hosts.size();
}

bool allocation::is_on(std::string_view host) const { return std::find(hosts().begin(), hosts().end(), host) != hosts().end(); }

std::string allocation::on_host(std::string_view host) const {
  exec_vnode_text text;
  for_each_part([&](const values::exec_vnode_reader::part& p, std::string_view on) {
    if (on == host) text.add(p);
  });
  return text.take();
}

std::optional<allocation::part_counts> allocation::parts_on(std::string_view host, const std::vector<std::uint32_t>& without) const {
  part_counts count;
  listed_parts going(without);
  const auto first = hosts().empty() ? std::string_view() : std::string_view(hosts().front());
  for_each_part([&](const values::exec_vnode_reader::part&, std::string_view on) {
    const bool stays = !going.next();
    count.now += on == host;
    count.then += stays && on == host;
    count.then_on_first_host += stays && !first.empty() && on == first;
  });
  if (!going.all_met()) return std::nullopt;
  return count;
}

std::string allocation::on(const std::vector<std::string>& hosts) const {
  if (hosts == this->hosts()) return exec_vnode();
  const std::unordered_set<std::string_view> wanted(hosts.begin(), hosts.end());
  const auto slots = slots_of(exec_host());
  exec_vnode_text text;
  values::exec_vnode_reader parts(exec_vnode());
  for (values::exec_vnode_reader::part p; parts.next(p);)
    if (p.chunk < slots.size() && wanted.contains(host_of(slots[p.chunk]))) text.add(p);
  return text.take();
}

bool allocation::release(std::string_view exec_vnode) {
  if (exec_vnode == this->exec_vnode()) {
    if (texts_) texts_ = texts{.place = place(), .select = select()};
    return true;
  }
  std::unordered_map<std::string_view, std::size_t> going;
  std::size_t left = 0;
  values::exec_vnode_reader released(exec_vnode);
  for (values::exec_vnode_reader::part p; released.next(p); ++left) ++going[p.text];
  if (!released.well_formed()) return false;
  std::vector<std::string_view> all;
  values::exec_vnode_reader parts(this->exec_vnode());
  for (values::exec_vnode_reader::part p; parts.next(p);) all.push_back(p.text);
  std::vector<bool> kept(all.size(), true);
  for (auto i = all.size(); i-- > 0 && left > 0;)
    if (const auto at = going.find(all[i]); at != going.end() && at->second > 0) {
      --at->second;
      --left;
      kept[i] = false;
    }
  if (left > 0) return false;
  keep(kept);
  return true;
}

template <class Stays>
allocation allocation::kept(Stays stays_next, std::string* gone) const {
  const auto slots = slots_of(exec_host());
  exec_vnode_text stay, go;
  allocation left;
  auto& out = left.texts_.emplace();
  out.place = place();
  out.select = select();
  const auto& all_hosts = read().hosts;
  std::vector<bool> kept_hosts(all_hosts.size());
  host_finder hosts(all_hosts);
  auto last_chunk = static_cast<std::size_t>(-1);
  values::exec_vnode_reader all(exec_vnode());
  for (values::exec_vnode_reader::part p; all.next(p);) {
    const bool stays = stays_next();
    if (stays) stay.add(p);
    else if (gone) go.add(p);
    if (!stays || p.chunk == last_chunk || p.chunk >= slots.size()) continue;
    last_chunk = p.chunk;
    if (!out.exec_host.empty()) out.exec_host += '+';
    out.exec_host += slots[p.chunk];
    if (const auto host = hosts.find(host_of(slots[p.chunk])); host < all_hosts.size()) kept_hosts[host] = true;
    out.chunks_of_select.push_back(static_cast<std::uint32_t>(chunk_of_select(p.chunk)));
  }
  for (std::size_t i = 0; i < all_hosts.size(); ++i)
    if (kept_hosts[i]) out.hosts.push_back(all_hosts[i]);
  out.exec_vnode = stay.take();
  if (gone) *gone = go.take();
  return left;
}

std::string allocation::keep(const std::vector<bool>& parts) {
  std::string gone;
  std::size_t at = 0;
  const auto stays_next = [&] {
    const bool stays = at < parts.size() && parts[at];
    ++at;
    return stays;
  };
  if (auto left = kept(stays_next, &gone); !gone.empty()) *this = std::move(left);
  return gone;
}

std::optional<allocation> allocation::without(const std::vector<std::uint32_t>& parts) const {
  listed_parts going(parts);
  auto left = kept([&] { return !going.next(); });
  if (parts.empty() || !going.all_met() || left.hosts().empty() || left.hosts().front() != hosts().front()) return std::nullopt;
  return left;
}

std::optional<std::vector<bool>> allocation::parts_in(std::string_view exec_vnode, std::string_view exec_host) const {
  const auto mine = chunks_of(this->exec_vnode()), left = chunks_of(exec_vnode);
  const auto slots = slots_of(this->exec_host()), left_slots = slots_of(exec_host);
  if (!mine || !left || left->size() != left_slots.size() || mine->size() != slots.size()) return std::nullopt;
  std::vector<bool> kept;
  std::size_t next = 0;  // of those that are left
  for (std::size_t i = 0; i < mine->size(); ++i) {
    const bool may_be = next < left->size() && left_slots[next] == slots[i];
    const auto found = may_be ? parts_among((*mine)[i], (*left)[next]) : std::nullopt;
    if (found) kept.insert(kept.end(), found->begin(), found->end());
    else kept.resize(kept.size() + (*mine)[i].size());
    next += found.has_value();
  }
  if (next < left->size()) return std::nullopt;
  return kept;
}

std::optional<allocation> allocation::reduced_to(std::string_view exec_vnode, std::string_view exec_host,
                                                 std::string_view released) const {
  const auto kept = parts_in(exec_vnode, exec_host);
  if (!kept) return std::nullopt;
  auto out = *this;
  const auto gone = out.keep(*kept);
  if (gone.empty() || !same_parts(gone, released) || out.hosts().front() != hosts().front()) return std::nullopt;
  return out;
}

std::string allocation::on_kept_hosts(std::string_view released, const allocation& left) const {
  const std::unordered_set<std::string_view> hosts(left.hosts().begin(), left.hosts().end());
  const auto slots = slots_of(exec_host());
  std::unordered_set<std::string_view> vnodes;
  values::exec_vnode_reader mine(exec_vnode()), going(released);
  for (values::exec_vnode_reader::part p; mine.next(p);)
    if (p.chunk < slots.size() && hosts.contains(host_of(slots[p.chunk]))) vnodes.insert(p.vnode);
  exec_vnode_text text;
  for (values::exec_vnode_reader::part p; going.next(p);)
    if (vnodes.contains(p.vnode)) text.add(p);
  return text.take();
}

void allocation::renumber(std::vector<std::uint32_t> chunks, std::string select) {
  auto& to = texts_ ? *texts_ : texts_.emplace();
  to.chunks_of_select = std::move(chunks);
  to.select = std::move(select);
}

std::size_t allocation::chunks() const {
  return exec_host().empty() ? 0 : static_cast<std::size_t>(std::count(exec_host().begin(), exec_host().end(), '+')) + 1;
}

allocation allocation_of(schema::StartRun::Reader order) {
  const auto exec_host = schema::text(order.getExecHost());
  std::vector<std::string> hosts;
  std::unordered_set<std::string_view> seen;
  for (const auto slot : slots_of(exec_host))
    if (const auto host = host_of(slot); seen.insert(host).second) hosts.emplace_back(host);
  std::string_view place;
  for (auto a : order.getAttributes())
    if (schema::text(a.getName()) == "Resource_List" && schema::text(a.getResource()) == "place") place = schema::text(a.getValue());
  return {schema::text(order.getExecVnode()), exec_host, std::move(hosts), place};
}

}  // namespace annals::model
