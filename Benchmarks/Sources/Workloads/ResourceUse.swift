internal import CProcess

#if canImport(Glibc)
internal import Glibc
#endif

/// The resources of the process during a workload; nil where the system does not report them.
package struct ResourceUse: Sendable {
  /// The highest resident memory during the run less that before it, in bytes.
  ///
  /// Pages of a mapped file count once they have been touched, though the system can take them
  /// back.
  package let peakMemoryGrowthByteCount: Int?
  /// Bytes given to system calls that write.
  package let writtenByteCount: Int?
  /// Calls of fsync, fdatasync and msync; writes through a descriptor opened with O_DSYNC (LMDB's
  /// meta page at each commit) are durable too and not counted.
  package let syncCount: Int?
}

/// Reads the process's counters before and after a run.
///
/// Linux only: the high-water mark of resident memory is reset through /proc, so the peak belongs
/// to this run. The bytes written are those of write calls: what the kernel counts as sent to the
/// disk ("write_bytes") includes, since Linux 6.16 on ext4, the whole folio that a small write
/// falls into, thirty times as much as reaches the disk. Logs and standard output count too; what
/// is written through a mapping does not: no engine here writes data so. Source: proc(5).
struct ProcessMeter {
  private let residentByteCount: Int?
  private let writtenByteCount: Int?
  private let syncCount: Int?

  /// Starts counting.
  init() {
    let isPeakReset = Self.resetPeakMemory()
    residentByteCount = isPeakReset ? Self.residentByteCount(field: "VmRSS:") : nil
    writtenByteCount = Self.field("wchar:", inFile: "/proc/self/io")
    syncCount = Self.currentSyncCount()
  }

  /// The use since the meter was created.
  func use() -> ResourceUse {
    let syncs = Self.currentSyncCount()
    let peak = Self.residentByteCount(field: "VmHWM:")
    let written = Self.field("wchar:", inFile: "/proc/self/io")
    return ResourceUse(
      peakMemoryGrowthByteCount: Self.difference(peak, residentByteCount),
      writtenByteCount: Self.difference(written, writtenByteCount),
      syncCount: Self.difference(syncs, syncCount))
  }

  private static func difference(_ after: Int?, _ before: Int?) -> Int? {
    guard let after, let before else { return nil }
    return max(0, after - before)
  }

  private static func currentSyncCount() -> Int? {
    let count = bench_sync_count()
    return count < 0 ? nil : count
  }

  /// A field of /proc/self/status, which the kernel gives in KiB, in bytes.
  private static func residentByteCount(field name: String) -> Int? {
    field(name, inFile: "/proc/self/status").map { $0 * 1024 }
  }

  /// The number behind `name` in a file of lines "name: number".
  private static func field(_ name: String, inFile path: String) -> Int? {
    guard let text = contents(ofFile: path) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      let words = line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
      return words.first.flatMap { Int($0) }
    }
    return nil
  }

  #if canImport(Glibc)
  private static func contents(ofFile path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    // SAFETY: the buffer is the array's own, alive for the call; read stays within its count.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe read(descriptor, buffer.baseAddress, buffer.count)
    }
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private static func resetPeakMemory() -> Bool {
    let descriptor = unsafe open("/proc/self/clear_refs", O_WRONLY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return unsafe write(descriptor, "5", 1) == 1
  }
  #else
  private static func contents(ofFile path: String) -> String? { nil }

  private static func resetPeakMemory() -> Bool { false }
  #endif
}

/// Gives the memory of freed objects back to the system, so that the next run's peak is its own.
package func releaseFreedMemory() {
  bench_release_freed_memory()
}
