// Lanes of a warp meet to do something together: those that a mask names, or, where there is no mask, those that come to
// the same line before nobody else can. The last one to come does the work of all, and goes on at once.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {

using Lanes = unsigned long long;
constexpr Lanes every_lane = ~Lanes(0) >> (64 - warpSize);
constexpr unsigned sync_lanes = KERNELSET_SYNC_LANES < warpSize ? KERNELSET_SYNC_LANES : warpSize;
constexpr int most_warps = (most_threads + warpSize - 1) / warpSize;

struct Warp;
using Work = void (*)(Warp&, Lanes present);
// lanes on their way to one operation
struct Meeting {
  Lanes named;  // 0: whoever comes
  Lanes present;
  Work work;
  unsigned line;
};
struct Warp {
  int meeting_count;
  Meeting meetings[warpSize];
  Fiber* waiting[warpSize];
  unsigned long long given[warpSize], asked[warpSize], result[warpSize];
  unsigned epoch;
};
KS_STATE Warp warps[most_warps];

KS_HD unsigned lane_of(unsigned rank) { return rank % warpSize; }
KS_HD unsigned own_lane() { return lane_of(thread_rank()); }
KS_HD unsigned lane_id() { return own_lane() % sync_lanes; }
KS_HD Lanes bit(unsigned lane) { return Lanes(1) << lane; }
KS_HD unsigned lowest(Lanes lanes) { return static_cast<unsigned>(__builtin_ctzll(lanes)); }
// the lanes of a warp that there are: the last one may be short
KS_HD Lanes existing(unsigned warp) {
  const unsigned rest = thread_count - warp * warpSize;
  return rest >= warpSize ? every_lane : bit(rest) - 1;
}

// `own` lanes need not be woken
KS_PART void hold(Warp& warp, int at, Lanes own = 0) {
  Meeting held = warp.meetings[at];
  warp.meetings[at] = warp.meetings[--warp.meeting_count];
  ++warp.epoch;
  held.work(warp, held.present);
  Queue released = {};
  for (Lanes rest = held.present & ~own; rest; rest &= rest - 1) push(released, warp.waiting[lowest(rest)]);
  splice(ready, released);
}
KS_PART int meeting_for(Warp& warp, Lanes named, Work work, unsigned line) {
  int at = 0;
  for (; at < warp.meeting_count; ++at) {
    const Meeting& meeting = warp.meetings[at];
    if (meeting.named == named && meeting.work == work && (named || meeting.line == line)) return at;
  }
  warp.meetings[at] = {named, 0, work, line};
  ++warp.meeting_count;
  return at;
}
KS_PART Lanes named_by(Lanes mask, unsigned warp, unsigned lane, unsigned line) {
  if (!mask) return 0;
  if (!(mask & bit(lane))) find(Kind::excluded_caller, line);
  return (mask | bit(lane)) & existing(warp);
}
struct Arrival {
  unsigned long long* result;
  bool is_last;
};
__attribute__((noinline)) KS_PART Arrival arrive(Lanes mask, Work work, unsigned long long value, unsigned long long wish,
                                                unsigned line) {
  const unsigned rank = thread_rank(), lane = lane_of(rank);
  Warp& warp = warps[rank / warpSize];
  const Lanes named = named_by(mask, rank / warpSize, lane, line);
  const int at = meeting_for(warp, named, work, line);
  warp.given[lane] = value;
  warp.asked[lane] = wish;
  warp.waiting[lane] = running;
  const Lanes present = warp.meetings[at].present |= bit(lane);
  const bool is_last = present == (named ? named : existing(rank / warpSize));
  if (is_last) hold(warp, at, bit(lane));
  return {&warp.result[lane], is_last};
}
// do `work` with the lanes of `mask` (0: whoever comes here), each giving `value` and asking for `wish`
KS_HD unsigned long long meet(Lanes mask, Work work, unsigned long long value, unsigned long long wish, unsigned line) {
  const Arrival arrival = arrive(mask, work, value, wish, line);
  if (!arrival.is_last) suspend();
  return *arrival.result;
}

// What a lane that takes no part gives: no rule says what, so that nothing may depend on it.
// Rule: CUDA C++ Programming Guide, "Warp Shuffle Functions": the value is undefined.
KS_STATE unsigned long long inactive_value = ~0ull;
// each lane takes what the lane that it asks for gave
KS_PART void exchange(Warp& warp, Lanes present) {
  for (Lanes rest = present; rest; rest &= rest - 1) {
    const unsigned lane = lowest(rest), from = static_cast<unsigned>(warp.asked[lane]);
    if (present & bit(from)) {
      warp.result[lane] = warp.given[from];
    } else {
      find(Kind::inactive_lane, 0, -1, 0, int(from));
      warp.result[lane] = inactive_value;
    }
  }
}
// moves any value that can be copied as it is, eight bytes at a time
template <class T>
KS_HD T shuffled(Lanes mask, const T& value, unsigned from, unsigned line) {
  static_assert(std::is_trivially_copyable<T>::value, "lanes exchange plain values");
  constexpr int words = (sizeof(T) + 7) / 8;
  unsigned long long buffer[words] = {};
  __builtin_memcpy(buffer, &value, sizeof(T));
  for (int word = 0; word < words; ++word) buffer[word] = meet(mask, exchange, buffer[word], from, line);
  T moved;
  __builtin_memcpy(&moved, buffer, sizeof(T));
  return moved;
}
// the lane at `wanted` if it is in this lane's part of the warp, else this one
KS_HD unsigned within(long long wanted, unsigned lane, int width) {
  return wanted < 0 || static_cast<unsigned>(wanted) / width != lane / width ? lane : static_cast<unsigned>(wanted);
}

}  // namespace kernelset

using ks_mask = std::conditional_t<(kernelset::sync_lanes > 32), unsigned long long, unsigned int>;

namespace kernelset {
KS_HD unsigned first_lane() { return own_lane() / sync_lanes * sync_lanes; }
// the lanes that a mask names; -1 is a mask of 32 lanes, and 0 is none
template <class Mask>
KS_HD Lanes named_in(Mask mask) {
  return (sizeof(Mask) <= 4 ? static_cast<unsigned int>(mask) : static_cast<Lanes>(mask)) << first_lane();
}
// lanes as a mask names them
KS_HD ks_mask mask_of(Lanes lanes) { return static_cast<ks_mask>(lanes >> first_lane()); }
}  // namespace kernelset

template <class T, class Mask>
KS_D T __shfl_sync(Mask mask, T value, int from, int width = kernelset::sync_lanes, unsigned line = __builtin_LINE()) {
  const unsigned lane = kernelset::own_lane(), meant = lane / width * width + static_cast<unsigned>(from) % width;
  return kernelset::shuffled(kernelset::named_in(mask), value, meant, line);
}
template <class T, class Mask>
KS_D T __shfl_up_sync(Mask mask, T value, unsigned by, int width = kernelset::sync_lanes, unsigned line = __builtin_LINE()) {
  const unsigned lane = kernelset::own_lane(), meant = kernelset::within((long long)lane - by, lane, width);
  return kernelset::shuffled(kernelset::named_in(mask), value, meant, line);
}
template <class T, class Mask>
KS_D T __shfl_down_sync(Mask mask, T value, unsigned by, int width = kernelset::sync_lanes, unsigned line = __builtin_LINE()) {
  const unsigned lane = kernelset::own_lane(), meant = kernelset::within((long long)lane + by, lane, width);
  return kernelset::shuffled(kernelset::named_in(mask), value, meant, line);
}
template <class T, class Mask>
KS_D T __shfl_xor_sync(Mask mask, T value, int by, int width = kernelset::sync_lanes, unsigned line = __builtin_LINE()) {
  const unsigned lane = kernelset::own_lane(), meant = kernelset::within(lane ^ static_cast<unsigned>(by), lane, width);
  return kernelset::shuffled(kernelset::named_in(mask), value, meant, line);
}
// the older names have no mask
template <class T>
KS_D T __shfl(T value, int from, int width = warpSize, unsigned line = __builtin_LINE()) {
  return __shfl_sync(0u, value, from, width, line);
}
template <class T>
KS_D T __shfl_up(T value, unsigned by, int width = warpSize, unsigned line = __builtin_LINE()) {
  return __shfl_up_sync(0u, value, by, width, line);
}
template <class T>
KS_D T __shfl_down(T value, unsigned by, int width = warpSize, unsigned line = __builtin_LINE()) {
  return __shfl_down_sync(0u, value, by, width, line);
}
template <class T>
KS_D T __shfl_xor(T value, int by, int width = warpSize, unsigned line = __builtin_LINE()) {
  return __shfl_xor_sync(0u, value, by, width, line);
}
KS_RUNTIME_END
