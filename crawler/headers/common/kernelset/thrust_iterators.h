// Iterators that compute what they point at.
#ifndef KERNELSET_THRUST_ITERATORS_H
#define KERNELSET_THRUST_ITERATORS_H

namespace thrust {

// the arithmetic of a random access iterator whose `at(n)` is its n-th element and whose place is an offset
template <class Self, class Value> struct offset_iterator_base {
  ptrdiff_t offset = 0;
  using value_type = Value;
  using reference = Value;
  using pointer = Value*;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  KS_THRUST Self& self() { return static_cast<Self&>(*this); }
  KS_THRUST const Self& self() const { return static_cast<const Self&>(*this); }
  KS_THRUST decltype(auto) operator*() const { return self().at(offset); }
  KS_THRUST decltype(auto) operator[](ptrdiff_t by) const { return self().at(offset + by); }
  KS_THRUST Self& operator++() { ++offset; return self(); }
  KS_THRUST Self operator++(int) { Self kept = self(); ++offset; return kept; }
  KS_THRUST Self& operator--() { --offset; return self(); }
  KS_THRUST Self& operator+=(ptrdiff_t by) { offset += by; return self(); }
  KS_THRUST Self operator+(ptrdiff_t by) const { Self moved = self(); moved.offset += by; return moved; }
  KS_THRUST Self operator-(ptrdiff_t by) const { return *this + -by; }
  KS_THRUST ptrdiff_t operator-(const offset_iterator_base& o) const { return offset - o.offset; }
  KS_THRUST bool operator==(const offset_iterator_base& o) const { return offset == o.offset; }
  KS_THRUST bool operator!=(const offset_iterator_base& o) const { return offset != o.offset; }
  KS_THRUST bool operator<(const offset_iterator_base& o) const { return offset < o.offset; }
};

template <class T, class = void, class = void, class = void>
struct counting_iterator : offset_iterator_base<counting_iterator<T>, T> {
  KS_THRUST counting_iterator(T first = T()) { this->offset = static_cast<ptrdiff_t>(first); }
  KS_THRUST T at(ptrdiff_t n) const { return static_cast<T>(n); }
};
template <class T, class = void, class = void>
struct constant_iterator : offset_iterator_base<constant_iterator<T>, T> {
  T value;
  KS_THRUST constant_iterator(T value = T()) : value(value) {}
  KS_THRUST T at(ptrdiff_t) const { return value; }
};
template <class F, class Iterator, class Value = void, class = void>
struct transform_iterator : offset_iterator_base<transform_iterator<F, Iterator, Value>, Value> {
  Iterator from;
  F apply;
  KS_THRUST transform_iterator(Iterator from, F apply = F()) : from(from), apply(apply) {}
  KS_THRUST auto at(ptrdiff_t n) const { return apply(from[n]); }
};
template <class Elements, class Indices>
struct permutation_iterator
    : offset_iterator_base<permutation_iterator<Elements, Indices>, typename std::iterator_traits<Elements>::value_type> {
  Elements elements;
  Indices indices;
  KS_THRUST permutation_iterator(Elements elements, Indices indices) : elements(elements), indices(indices) {}
  KS_THRUST decltype(auto) at(ptrdiff_t n) const { return elements[indices[n]]; }
};
template <class Tuple> struct zip_iterator;
template <class... Iterators>
struct zip_iterator<tuple<Iterators...>>
    : offset_iterator_base<zip_iterator<tuple<Iterators...>>,
                           tuple<typename std::iterator_traits<Iterators>::value_type...>> {
  tuple<Iterators...> from;
  KS_THRUST zip_iterator(tuple<Iterators...> from) : from(from) {}
  KS_THRUST auto at(ptrdiff_t n) const {
    return std::apply([n](const auto&... one) { return tuple<decltype(one[n])...>(one[n]...); }, from);
  }
};
template <class Iterator> using reverse_iterator = std::reverse_iterator<Iterator>;
struct discard_iterator : offset_iterator_base<discard_iterator, int> {
  struct nowhere { template <class T> KS_THRUST nowhere& operator=(const T&) { return *this; } };
  KS_THRUST nowhere at(ptrdiff_t) const { return {}; }
};

template <class T> KS_THRUST counting_iterator<T> make_counting_iterator(T first) { return {first}; }
template <class T> KS_THRUST constant_iterator<T> make_constant_iterator(T value) { return {value}; }
template <class Iterator, class F> KS_THRUST auto make_transform_iterator(Iterator from, F apply) {
  return transform_iterator<F, Iterator, std::decay_t<decltype(apply(*from))>>(from, apply);
}
template <class E, class I> KS_THRUST permutation_iterator<E, I> make_permutation_iterator(E e, I i) { return {e, i}; }
template <class... I> KS_THRUST zip_iterator<tuple<I...>> make_zip_iterator(tuple<I...> from) { return {from}; }
template <class... I> KS_THRUST zip_iterator<tuple<I...>> make_zip_iterator(I... from) { return {tuple<I...>(from...)}; }
KS_THRUST discard_iterator make_discard_iterator() { return {}; }

}  // namespace thrust

#endif
