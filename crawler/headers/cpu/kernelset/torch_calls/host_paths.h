// What a launcher, or a function of its project beside it, computes on the host for tensors of a CPU: the same as its kernels do
// for tensors of a device, or one of both is wrong.
#pragma once

namespace kernelset::torch_calls {

// what a tensor held when a call had ended
struct LeftTensor {
  c10::ScalarType type;
  std::vector<int64_t> sizes;
  std::vector<double> first_values, values;  // the first ones of what the call was given; none of what it returned
};
struct LeftTensors {
  bool is_accepted = false, has_launched = false;
  std::vector<LeftTensor> all;
};
KS_CALLS LeftTensors call_and_keep(const CallOnce &call_once, const std::vector<unsigned> &numbers, int instance) {
  LeftTensors left;
  std::vector<unsigned> repeated = numbers;
  Choices choices(repeated, nullptr, instance);
  const unsigned missing = missing_calls, launches = finished_launches;
  before_tensors_go = [&](const std::vector<at::Tensor> &returned) {
    for (const at::Tensor &each : returned) left.all.push_back({each.scalar_type(), list_sizes(each.sizes()), {}, read_elements(each)});
    for (const at::Tensor &each : choices.tensors) {
      const TensorState &own = *each.ks_state;
      std::vector<char> bytes(own.storage->bytes);
      own.storage->fill(bytes.data());
      left.all.push_back({own.type, own.sizes, take_elements(bytes, own.type), read_elements(each)});
    }
  };
  const Attempt attempt = call_once(choices);
  before_tensors_go = nullptr;
  left.has_launched = finished_launches > launches;
  left.is_accepted = is_call_ended && missing_calls == missing && !attempt.has_refused_type;
  return left;
}
KS_CALLS bool is_same(double one, double other) { return one == other || (one != one && other != other); }
// Whether both are numbers, and farther from each other than by what the order of terms, a fast function or a narrow type makes.
KS_CALLS bool is_far(double one, double other, c10::ScalarType type) {
  if (!c10::isFloatingType(type)) return one != other;
  if (!std::isfinite(one) || !std::isfinite(other)) return false;
  const double part = c10::elementSize(type) < 4 ? 0.0625 : 1e-3;
  return fabs(one - other) > part * (1 + std::max(fabs(one), fabs(other)));
}
// Says which element of what a device and a host left is another, where many are; nothing where the host left no result: what
// differs by what unwritten memory held, or what it was given and has not changed, is none.
KS_CALLS std::string describe_difference(const LeftTensors &device, const LeftTensors &host, const LeftTensors &refilled) {
  if (device.all.size() != host.all.size() || host.all.size() != refilled.all.size()) return {};
  const auto is_real = [](const LeftTensor &each) { return c10::isFloatingType(each.type); };
  // of equal numbers one or the other may be chosen, and what is rounded may be so either way
  const bool are_reals_alone = std::any_of(device.all.begin(), device.all.end(), is_real);
  std::string found;
  for (size_t tensor = 0; tensor < host.all.size(); ++tensor) {
    const LeftTensor &ours = device.all[tensor], &theirs = host.all[tensor], &again = refilled.all[tensor];
    if (ours.type != theirs.type || ours.sizes != theirs.sizes || theirs.values.size() != again.values.size()) return {};
    const bool is_given = !theirs.first_values.empty();
    if (is_given && ours.values != ours.first_values && theirs.values == theirs.first_values) return {};
    if (!std::equal(theirs.values.begin(), theirs.values.end(), again.values.begin(), is_same)) return {};
    if (are_reals_alone && !is_real(theirs)) continue;
    size_t far_count = 0, first_far = 0;
    for (size_t at = 0; at < theirs.values.size(); ++at) {
      if (is_far(ours.values[at], theirs.values[at], theirs.type) && !far_count++) first_far = at;
    }
    // a step that is taken a bit sooner or later is one of many
    if (!found.empty() || 64 * far_count <= theirs.values.size()) continue;
    std::ostringstream text;
    text << "element " << first_far << " is " << ours.values[first_far] << " on the device and " << theirs.values[first_far] << " on the host";
    found = text.str();
  }
  return found;
}
// Prints, for one instance of a call, whether a host computes what a device does, where it computes something.
KS_CALLS void compare_with_host(const CallOnce &call_once, const CallOnce &call_host, const std::vector<unsigned> &numbers, int instance, int test) {
  are_tensors_on_host = true;
  unwritten_byte = 0;
  const LeftTensors ours = call_and_keep(call_host, numbers, instance);
  unwritten_byte = 0x41;
  const LeftTensors again = ours.is_accepted && !ours.has_launched ? call_and_keep(call_host, numbers, instance) : LeftTensors();
  unwritten_byte = 0;
  are_tensors_on_host = false;
  if (!again.is_accepted || again.has_launched || again.all.empty()) return;
  begin_test(test);
  const LeftTensors device = call_and_keep(call_once, numbers, instance);
  if (!device.is_accepted || !device.has_launched) return;
  const std::string difference = describe_difference(device, ours, again);
  printf("\nkernelset-host %d %s\n", test, difference.empty() ? "agrees" : difference.c_str());
  fflush(stdout);
}

}  // namespace kernelset::torch_calls
