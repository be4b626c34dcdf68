// Nobody of a block can go on, and nobody waits for another block: who may? Lanes whose missing partners have ended; lanes that wait for whoever comes; lanes
// whose partners wait elsewhere, which no rule allows; and at last those at the block's barrier.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {

KS_PART Lanes at_block_barrier(unsigned warp) {
  Lanes lanes = 0;
  for (Fiber* fiber = at_barrier.first; fiber; fiber = fiber->next) {
    const unsigned rank = rank_of(fiber->thread);
    if (rank / warpSize == warp) lanes |= bit(lane_of(rank));
  }
  return lanes;
}
KS_PART Lanes waiting_lanes(unsigned number) {
  Lanes lanes = at_block_barrier(number);
  for (int at = 0; at < warps[number].meeting_count; ++at) lanes |= warps[number].meetings[at].present;
  return lanes;
}
// of lanes without a mask those that are behind go first, so that they may catch up
KS_PART int earliest_open(const Warp& warp) {
  int found = -1;
  for (int at = 0; at < warp.meeting_count; ++at) {
    const Meeting& meeting = warp.meetings[at];
    if (!meeting.named && (found < 0 || meeting.line < warp.meetings[found].line)) found = at;
  }
  return found;
}
KS_PART int missing_only_ended(const Warp& warp, Lanes waiting) {
  for (int at = 0; at < warp.meeting_count; ++at) {
    const Meeting& meeting = warp.meetings[at];
    if (meeting.named && !(meeting.named & ~meeting.present & waiting)) return at;
  }
  return -1;
}
KS_PART bool resolve_warp(unsigned number) {
  Warp& warp = warps[number];
  if (!warp.meeting_count) return false;
  int at = missing_only_ended(warp, waiting_lanes(number));
  if (at < 0) at = earliest_open(warp);
  if (at < 0) return false;
  hold(warp, at);
  return true;
}
KS_PART bool resolve_divergent(unsigned number) {
  Warp& warp = warps[number];
  if (!warp.meeting_count) return false;
  find(Kind::divergent_warp, warp.meetings[0].line, -1, 0, __builtin_popcountll(warp.meetings[0].present));
  hold(warp, 0);
  return true;
}
KS_PART bool resolve() {
  if (spinning.first) return try_in_block();
  const unsigned count = (thread_count + warpSize - 1) / warpSize;
  bool any = false;
  for (unsigned number = 0; number < count; ++number) any |= resolve_warp(number);
  for (unsigned number = 0; !any && number < count; ++number) any |= resolve_divergent(number);
  return any || open_barrier();
}

}  // namespace kernelset
KS_RUNTIME_END
