#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes a line to standard output, at once and as a whole, and returns whether that went well.
@discardableResult
package func writeToStandardOutput(_ line: String) -> Bool {
  let bytes = Array("\(line)\n".utf8)
  return bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) } == bytes.count
}

/// The clock that all processes of a machine share, for times that are compared among them.
package enum SystemClock {
  /// Nanoseconds since some moment before all processes began.
  package static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Blocks the thread.
  package static func sleep(microseconds: Int) { usleep(UInt32(microseconds)) }
}
