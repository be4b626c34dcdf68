"""Select the prelude and the library headers that declare the names which a kernel unit uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Final

from crawler import headers
from crawler.extract.closure.includes.preludes import select_prelude
from crawler.libraries.discovery import find_claiming
from crawler.model import Dialect

_CUDA: Final = "cuda"
LIBCUDACXX_WORD: Final = "cuda::"
"""Stands among the words of a unit that names libcu++'s namespace."""
_DEVICE: Final = {
    "<cub/cub.cuh>": "cub",
    "<thrust/thrust.h>": "thrust",
    "<cooperative_groups.h>": "cooperative_groups",
    "<kernelset/libcudacxx.h>": LIBCUDACXX_WORD,
    "<curand_kernel.h>": (
        "curandState curandState_t curandStateXORWOW curandStateXORWOW_t "
        "curandStateMRG32k3a curandStateMRG32k3a_t curandStatePhilox4_32_10 "
        "curandStatePhilox4_32_10_t curand_init curand curand4 curand_uniform "
        "curand_normal curand_uniform4 curand_normal4 curand_uniform_double "
        "curand_normal_double curand_log_normal curand_poisson"
    ),
    "<mma.h>": "nvcuda",
    "<cstdarg>": "va_list va_start va_end va_arg va_copy",
    "<cfenv>": "FE_TONEAREST FE_DOWNWARD FE_UPWARD FE_TOWARDZERO",
    "<nccl.h>": (
        "ncclComm_t ncclResult_t ncclDataType_t ncclRedOp_t ncclUniqueId ncclSuccess"
    ),
    "<hip/hip_bfloat16.h>": "hip_bfloat16",
    "<hipcub/hipcub.hpp>": "hipcub",
    "<hiprand/hiprand_kernel.h>": (
        "hiprandState hiprandState_t hiprandStateXORWOW_t hiprandStateMRG32k3a_t "
        "hiprandStatePhilox4_32_10_t hiprand_init hiprand hiprand_uniform "
        "hiprand_normal"
    ),
}
"""Names that stand for a library wherever they are written, separated by blanks."""
_STANDARD: Final = {
    "<algorithm>": (
        "max min minmax clamp sort stable_sort swap lower_bound upper_bound "
        "binary_search equal_range fill fill_n copy copy_n copy_if find find_if "
        "count count_if any_of all_of none_of transform reverse rotate unique "
        "for_each max_element min_element generate remove_if replace nth_element "
        "partial_sort is_sorted equal iter_swap"
    ),
    "<any>": "any any_cast",
    "<array>": "array",
    "<atomic>": "atomic memory_order memory_order_relaxed",
    "<bitset>": "bitset",
    "<chrono>": "chrono",
    "<charconv>": "from_chars to_chars",
    "<complex>": "complex",
    "<condition_variable>": "condition_variable",
    "<deque>": "deque",
    "<exception>": "exception_ptr current_exception rethrow_exception",
    "<filesystem>": "filesystem",
    "<forward_list>": "forward_list",
    "<fstream>": "ifstream ofstream fstream",
    "<functional>": (
        "function bind hash plus minus multiplies divides less greater equal_to "
        "reference_wrapper"
    ),
    "<future>": "future promise async packaged_task",
    "<initializer_list>": "initializer_list",
    "<iomanip>": "setw setprecision setfill",
    "<iostream>": "cout cerr endl",
    "<iterator>": (
        "iterator_traits back_inserter advance distance begin end next prev "
        "reverse_iterator"
    ),
    "<limits>": "numeric_limits",
    "<list>": "list",
    "<map>": "map multimap",
    "<memory>": (
        "unique_ptr shared_ptr make_unique make_shared weak_ptr addressof allocator"
    ),
    "<mutex>": "mutex lock_guard unique_lock once_flag call_once",
    "<new>": "nothrow bad_alloc launder",
    "<numeric>": "accumulate iota inner_product partial_sum gcd lcm reduce",
    "<optional>": "optional nullopt make_optional",
    "<ostream>": "ostream",
    "<queue>": "queue priority_queue",
    "<random>": (
        "mt19937 random_device uniform_int_distribution uniform_real_distribution "
        "normal_distribution"
    ),
    "<ratio>": "ratio milli micro nano",
    "<regex>": (
        "regex smatch cmatch regex_search regex_match regex_replace sregex_iterator"
    ),
    "<set>": "set multiset",
    "<shared_mutex>": "shared_mutex shared_lock",
    "<sstream>": "stringstream ostringstream istringstream",
    "<stack>": "stack",
    "<stdexcept>": (
        "runtime_error invalid_argument out_of_range logic_error exception"
    ),
    "<string>": "string to_string stoi stof",
    "<string_view>": "string_view",
    "<thread>": "thread",
    "<tuple>": (
        "tuple make_tuple tie get tuple_size tuple_element forward_as_tuple apply "
        "ignore"
    ),
    "<type_traits>": (
        "is_same is_same_v enable_if enable_if_t conditional conditional_t "
        "integral_constant true_type false_type is_integral is_floating_point "
        "decay_t remove_reference_t make_unsigned_t make_signed_t void_t "
        "is_base_of"
    ),
    "<typeindex>": "type_index",
    "<typeinfo>": "type_info bad_cast",
    "<unordered_map>": "unordered_map unordered_multimap",
    "<unordered_set>": "unordered_set",
    "<utility>": (
        "pair make_pair move forward declval exchange index_sequence "
        "make_index_sequence integer_sequence"
    ),
    "<variant>": "variant visit monostate",
    "<vector>": "vector",
}
"""Names that stand for a header where `std` is named too."""
_STANDARD_PATTERNS: Final = {
    "<atomic>": re.compile(r"atomic_|memory_order_"),
}
"""Beginnings of names that stand for a header where `std` is named too."""
_PATTERNS: Final = {
    "<math_constants.h>": re.compile(r"CUDART_"),
    "<cuComplex.h>": re.compile(
        r"(?:make_)?cu(?:Float|Double)?Complex|cu(?:C(?:real|imag|add|sub|mul|div|abs|fma)|Conj)f?$"
    ),
    "<kernelset/libcudacxx.h>": re.compile(r"_CCCL_(?:HOST|DEVICE|FORCEINLINE)"),
    "<cinttypes>": re.compile(r"PRI[diouxX](?:LEAST|FAST)?(?:\d+|MAX|PTR)$"),
    "<hip/hip_fp8.h>": re.compile(
        r"__hip_(?:cvt_\w*)?fp8|__HIP_E(?:4M3|5M2)|HIP_FP8_TYPE_"
    ),
    "<kernelset/pipeline.h>": re.compile(r"__pipeline_|__mbarrier_t$"),
    "<cuda_fp8.h>": re.compile(
        r"__nv_fp8|__nv_cvt_\w*(?:fp8|e8m0)|__NV_E(?:4M3|5M2|8M0)"
    ),
    "<cuda_fp6.h>": re.compile(r"__nv_fp6|__nv_cvt_\w*fp6|__NV_E(?:2M3|3M2)"),
    "<cuda_fp4.h>": re.compile(r"__nv_fp4|__nv_cvt_\w*fp4|__NV_E2M1"),
}
"""Beginnings of names that stand for a header wherever they are written."""
_LIBRARIES_WITH_CUDA_NAMESPACE: Final = ("at", "c10", "torch")
"""Libraries with a namespace `cuda` of their own; else it is libcu++'s."""
_HIP_HEADERS: Final = {
    "<cooperative_groups.h>": "<hip/hip_cooperative_groups.h>",
    "<cub/cub.cuh>": "<kernelset/hip_cub.h>",
}
"""What HIP calls the headers of names that both dialects have."""
_DIALECTS_BY_FOLDER: Final = {
    "cuda": {Dialect.CUDA},
    "hip": {Dialect.HIP},
    "torch": set(Dialect),
    "common": set(Dialect),
}
"""Of which dialects the folders of our headers are."""


def _index_by_name(names_by_header: Mapping[str, str]) -> dict[str, str]:
    return {
        name: header
        for header, names in names_by_header.items()
        for name in names.split()
    }


_DEVICE_HEADER_OF: Final = _index_by_name(_DEVICE)
_STANDARD_HEADER_OF: Final = _index_by_name(_STANDARD)


def select_includes(
    words: Collection[str], project_names: Collection[str], dialect: Dialect
) -> tuple[str, ...]:
    """Return the prelude of a unit that uses `words`, and its library headers in order.

    `project_names` are names that the project itself declares.
    """
    prelude = select_prelude(words, dialect)
    return (prelude, *select_library_headers(words, project_names, dialect))


def find_carried_libraries(
    namespaces: Collection[str],
    read_headers: Collection[str],
    installed_headers: Collection[str] = (),
) -> frozenset[str]:
    """Return the libraries that a project carries itself, by their namespaces.

    `namespaces` are those that it declares something in, and `read_headers` what a parse read of
    our own headers. Who only specialises `cub::Traits` has our `<cub/cub.cuh>` read as well;
    where it was not, the names are the project's own, and ours would define them again. What was
    read as it is installed is in `installed_headers`.
    """
    libraries = filter(None, map(find_claiming, installed_headers))
    installed = {name for library in libraries for name in library.namespaces}
    return frozenset(
        namespace
        for namespace in namespaces
        if namespace in _DEVICE_HEADER_OF
        and namespace not in installed
        and _list_spellings(_DEVICE_HEADER_OF[namespace]).isdisjoint(read_headers)
    )


def _list_spellings(header: str) -> set[str]:
    """Return what a header is called in each dialect."""
    return {header, _HIP_HEADERS.get(header, header)}


def select_library_headers(
    words: Collection[str], project_names: Collection[str], dialect: Dialect
) -> tuple[str, ...]:
    """Return the headers that `words` ask for, in order; `project_names` are names that the
    project itself declares.
    """
    headers_in_dialect = set()
    for header in _iter_headers(words, project_names):
        # the folders hold headers under HIP's names
        if dialect is Dialect.HIP:
            header = _HIP_HEADERS.get(header, header)

        if _has_header(header, dialect):
            headers_in_dialect.add(header)

    return tuple(sorted(headers_in_dialect))


@cache
def _has_header(header: str, dialect: Dialect) -> bool:
    """Tell whether a dialect has a header: what names it may stand in a branch for the other
    one.
    """
    folders = [
        folder
        for folder in _DIALECTS_BY_FOLDER
        if (headers.ROOT / folder / header.strip("<>")).is_file()
    ]

    # the toolkits' own headers stand in none
    if not folders:
        return True

    return any(dialect in _DIALECTS_BY_FOLDER[folder] for folder in folders)


def _iter_headers(
    words: Collection[str], project_names: Collection[str]
) -> Iterator[str]:
    # a project that declares `sort` itself means its own
    library_words = [word for word in words if word not in project_names]
    for word in library_words:
        if word in _DEVICE_HEADER_OF:
            yield _DEVICE_HEADER_OF[word]

    for header, pattern in _PATTERNS.items():
        if any(map(pattern.match, library_words)):
            yield header

    if "std" not in words:
        return

    yield from _iter_standard_headers(words, library_words)

    # `cuda::std`, not `at::cuda` beside `std`
    is_libcudacxx = _CUDA in words and _CUDA not in project_names
    if is_libcudacxx and not any(
        library in words for library in _LIBRARIES_WITH_CUDA_NAMESPACE
    ):
        yield "<cuda/std/utility>"


def _iter_standard_headers(
    words: Collection[str], library_words: Collection[str]
) -> Iterator[str]:
    for word in words:
        if word in _STANDARD_HEADER_OF:
            yield _STANDARD_HEADER_OF[word]

    for header, pattern in _STANDARD_PATTERNS.items():
        if any(map(pattern.match, library_words)):
            yield header
