#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The seeds of a randomised test: `count` of them, times `ATOLL_TEST_SCALE` when that is set, from
/// `ATOLL_TEST_FIRST` on.
///
/// The slow tier is the same tests with more seeds; without it the tests take minutes.
package func seeds(_ count: UInt64) -> Range<UInt64> {
  let scale = getenv("ATOLL_TEST_SCALE").flatMap { UInt64(String(cString: $0)) }
  let first = getenv("ATOLL_TEST_FIRST").flatMap { UInt64(String(cString: $0)) } ?? 0
  return first..<first + count * (scale ?? 1)
}
