// Algorithms over ranges, in order. A policy before the range is taken and changes nothing.
#ifndef KERNELSET_THRUST_ALGORITHMS_H
#define KERNELSET_THRUST_ALGORITHMS_H

namespace thrust {

template <class I> using value_of = typename std::iterator_traits<I>::value_type;

// each algorithm also with a policy before it
#define KS_THRUST_POLICY(name)                                                                                  \
  template <class First, class... Rest>                                                                         \
  KS_THRUST decltype(auto) name(const execution_policy_base&, First first, Rest... rest) {                      \
    return thrust::name(first, rest...);                                                                        \
  }

template <class I, class T, class Op> KS_THRUST T reduce(I first, I last, T total, Op op) {
  for (; first != last; ++first) total = op(total, *first);
  return total;
}
template <class I, class T> KS_THRUST T reduce(I first, I last, T total) { return thrust::reduce(first, last, total, plus<T>()); }
template <class I> KS_THRUST value_of<I> reduce(I first, I last) { return thrust::reduce(first, last, value_of<I>()); }
template <class I, class F, class T, class Op>
KS_THRUST T transform_reduce(I first, I last, F apply, T total, Op op) {
  for (; first != last; ++first) total = op(total, apply(*first));
  return total;
}
template <class I, class J, class T> KS_THRUST T inner_product(I first, I last, J other, T total) {
  for (; first != last; ++first, ++other) total = total + *first * *other;
  return total;
}
template <class I, class T> KS_THRUST void fill(I first, I last, const T& value) {
  for (; first != last; ++first) *first = value;
}
template <class I, class N, class T> KS_THRUST I fill_n(I first, N count, const T& value) {
  for (; count > 0; --count, ++first) *first = value;
  return first;
}
template <class I, class O> KS_THRUST O copy(I first, I last, O to) {
  for (; first != last; ++first, ++to) *to = *first;
  return to;
}
template <class I, class N, class O> KS_THRUST O copy_n(I first, N count, O to) {
  for (; count > 0; --count, ++first, ++to) *to = *first;
  return to;
}
template <class I, class O, class P> KS_THRUST O copy_if(I first, I last, O to, P wanted) {
  for (; first != last; ++first) if (wanted(*first)) { *to = *first; ++to; }
  return to;
}
template <class I, class T> KS_THRUST void sequence(I first, I last, T value) {
  for (; first != last; ++first) { *first = value; value = value + T(1); }
}
template <class I> KS_THRUST void sequence(I first, I last) { thrust::sequence(first, last, value_of<I>()); }
template <class I, class F> KS_THRUST I for_each(I first, I last, F apply) {
  for (; first != last; ++first) apply(*first);
  return first;
}
template <class I, class N, class F> KS_THRUST I for_each_n(I first, N count, F apply) {
  for (; count > 0; --count, ++first) apply(*first);
  return first;
}
template <class I, class O, class F> KS_THRUST O transform(I first, I last, O to, F apply) {
  for (; first != last; ++first, ++to) *to = apply(*first);
  return to;
}
template <class I, class J, class O, class F> KS_THRUST O transform(I first, I last, J other, O to, F apply) {
  for (; first != last; ++first, ++other, ++to) *to = apply(*first, *other);
  return to;
}
template <class I, class O, class Op> KS_THRUST O inclusive_scan(I first, I last, O to, Op op) {
  if (first == last) return to;
  value_of<I> total = *first;
  *to = total;
  for (++first, ++to; first != last; ++first, ++to) *to = total = op(total, *first);
  return to;
}
template <class I, class O> KS_THRUST O inclusive_scan(I first, I last, O to) {
  return thrust::inclusive_scan(first, last, to, plus<value_of<I>>());
}
template <class I, class O, class T, class Op> KS_THRUST O exclusive_scan(I first, I last, O to, T total, Op op) {
  for (; first != last; ++first, ++to) { T next = op(total, *first); *to = total; total = next; }
  return to;
}
template <class I, class O, class T> KS_THRUST O exclusive_scan(I first, I last, O to, T total) {
  return thrust::exclusive_scan(first, last, to, total, plus<T>());
}
template <class I, class O> KS_THRUST O exclusive_scan(I first, I last, O to) {
  return thrust::exclusive_scan(first, last, to, value_of<I>());
}
template <class I, class Op> KS_THRUST I min_element(I first, I last, Op before) {
  I best = first;
  for (; first != last; ++first) if (before(*first, *best)) best = first;
  return best;
}
template <class I> KS_THRUST I min_element(I first, I last) { return thrust::min_element(first, last, less<value_of<I>>()); }
template <class T, class Op> KS_THRUST T max(const T& one, const T& other, Op before) { return before(one, other) ? other : one; }
template <class T, class Op> KS_THRUST T min(const T& one, const T& other, Op before) { return before(other, one) ? other : one; }
template <class T> KS_THRUST T max(const T& one, const T& other) { return one < other ? other : one; }
template <class T> KS_THRUST T min(const T& one, const T& other) { return other < one ? other : one; }
template <class I, class Op> KS_THRUST I max_element(I first, I last, Op before) {
  I best = first;
  for (; first != last; ++first) if (before(*best, *first)) best = first;
  return best;
}
template <class I> KS_THRUST I max_element(I first, I last) { return thrust::max_element(first, last, less<value_of<I>>()); }
template <class I, class T, class Op> KS_THRUST I lower_bound(I first, I last, const T& value, Op before) {
  for (auto count = last - first; count > 0;) {
    auto half = count / 2;
    if (before(first[half], value)) { first += half + 1; count -= half + 1; } else count = half;
  }
  return first;
}
template <class I, class T> KS_THRUST I lower_bound(I first, I last, const T& value) {
  return thrust::lower_bound(first, last, value, less<T>());
}
template <class I, class T, class Op> KS_THRUST I upper_bound(I first, I last, const T& value, Op before) {
  for (auto count = last - first; count > 0;) {
    auto half = count / 2;
    if (!before(value, first[half])) { first += half + 1; count -= half + 1; } else count = half;
  }
  return first;
}
template <class I, class T> KS_THRUST I upper_bound(I first, I last, const T& value) {
  return thrust::upper_bound(first, last, value, less<T>());
}
template <class I, class T> KS_THRUST bool binary_search(I first, I last, const T& value) {
  I found = thrust::lower_bound(first, last, value);
  return found != last && !(value < *found);
}
template <class I, class T> KS_THRUST I find(I first, I last, const T& value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <class I, class P> KS_THRUST ptrdiff_t count_if(I first, I last, P wanted) {
  ptrdiff_t found = 0;
  for (; first != last; ++first) found += wanted(*first) ? 1 : 0;
  return found;
}
template <class I, class T> KS_THRUST ptrdiff_t count(I first, I last, const T& value) {
  return thrust::count_if(first, last, [&](const auto& one) { return one == value; });
}
template <class I, class P> KS_THRUST I remove_if(I first, I last, P unwanted) {
  I to = first;
  for (; first != last; ++first) if (!unwanted(*first)) { *to = *first; ++to; }
  return to;
}
template <class I> KS_THRUST I unique(I first, I last) {
  if (first == last) return last;
  I to = first;
  for (++first; first != last; ++first) if (!(*to == *first)) { ++to; *to = *first; }
  return ++to;
}
template <class I, class M, class O> KS_THRUST O gather(I first, I last, M from, O to) {
  for (; first != last; ++first, ++to) *to = from[*first];
  return to;
}
template <class I, class M, class O> KS_THRUST void scatter(I first, I last, M map, O to) {
  for (; first != last; ++first, ++map) to[*map] = *first;
}
// insertion keeps equal elements in order
template <class K, class V, class Op> KS_THRUST void stable_sort_by_key(K first, K last, V values, Op before) {
  for (ptrdiff_t at = 1; at < last - first; ++at) {
    for (ptrdiff_t to = at; to > 0 && before(first[to], first[to - 1]); --to) {
      thrust::swap(first[to], first[to - 1]);
      thrust::swap(values[to], values[to - 1]);
    }
  }
}
template <class K, class V> KS_THRUST void stable_sort_by_key(K first, K last, V values) {
  thrust::stable_sort_by_key(first, last, values, less<value_of<K>>());
}
template <class K, class V, class Op> KS_THRUST void sort_by_key(K first, K last, V values, Op before) {
  thrust::stable_sort_by_key(first, last, values, before);
}
template <class K, class V> KS_THRUST void sort_by_key(K first, K last, V values) {
  thrust::stable_sort_by_key(first, last, values);
}
template <class I, class Op> KS_THRUST void stable_sort(I first, I last, Op before) {
  for (ptrdiff_t at = 1; at < last - first; ++at) {
    for (ptrdiff_t to = at; to > 0 && before(first[to], first[to - 1]); --to) thrust::swap(first[to], first[to - 1]);
  }
}
template <class I> KS_THRUST void stable_sort(I first, I last) { thrust::stable_sort(first, last, less<value_of<I>>()); }
template <class I, class Op> KS_THRUST void sort(I first, I last, Op before) { thrust::stable_sort(first, last, before); }
template <class I> KS_THRUST void sort(I first, I last) { thrust::stable_sort(first, last); }
template <class I> KS_THRUST ptrdiff_t distance(I first, I last) { return last - first; }
template <class I, class N> KS_THRUST void advance(I& place, N by) { place += by; }

KS_THRUST_POLICY(reduce) KS_THRUST_POLICY(transform_reduce) KS_THRUST_POLICY(inner_product) KS_THRUST_POLICY(fill)
KS_THRUST_POLICY(fill_n) KS_THRUST_POLICY(copy) KS_THRUST_POLICY(copy_n) KS_THRUST_POLICY(copy_if)
KS_THRUST_POLICY(sequence) KS_THRUST_POLICY(for_each) KS_THRUST_POLICY(for_each_n) KS_THRUST_POLICY(transform)
KS_THRUST_POLICY(inclusive_scan) KS_THRUST_POLICY(exclusive_scan) KS_THRUST_POLICY(min_element)
KS_THRUST_POLICY(max_element) KS_THRUST_POLICY(lower_bound) KS_THRUST_POLICY(upper_bound)
KS_THRUST_POLICY(binary_search) KS_THRUST_POLICY(find) KS_THRUST_POLICY(count_if) KS_THRUST_POLICY(count)
KS_THRUST_POLICY(remove_if) KS_THRUST_POLICY(unique) KS_THRUST_POLICY(gather) KS_THRUST_POLICY(scatter)
KS_THRUST_POLICY(stable_sort_by_key) KS_THRUST_POLICY(sort_by_key) KS_THRUST_POLICY(stable_sort) KS_THRUST_POLICY(sort)
#undef KS_THRUST_POLICY

}  // namespace thrust

#endif
