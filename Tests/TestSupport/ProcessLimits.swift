#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The limits and the peak of this process.
package enum ProcessLimits {
  /// How many times more memory and time the work of this process may take.
  ///
  /// A sanitizer keeps a shadow of the memory and looks at every access.
  package static let scale: Int = {
    let program = dlopen(nil, RTLD_NOW)
    let isSanitized =
      dlsym(program, "__asan_init") != nil || dlsym(program, "__tsan_init") != nil
    return isSanitized ? 4 : 1
  }()

  /// Lets the process have no more than so many bytes of memory of its own.
  ///
  /// Not under a sanitizer, whose shadow would count.
  package static func limitMemory(byteCount: Int) {
    guard scale == 1 else { return }
    var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
    #if canImport(Glibc)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    #else
    _ = setrlimit(RLIMIT_DATA, &limit)
    #endif
  }

  /// Lets files that the process writes become no longer, as if the disk were full; nil: as long
  /// as the system allows.
  package static func limitFiles(byteCount: Int?) {
    _ = signal(SIGXFSZ, SIG_IGN)
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    var limit = rlimit()
    _ = getrlimit(resource, &limit)
    limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
    _ = setrlimit(resource, &limit)
  }

  /// Ends the process by a signal in so many seconds, unless this is called again before.
  package static func endProcess(inSeconds seconds: UInt32) { _ = alarm(seconds) }

  /// Whether a process that ended by `signal` was ended by `endProcess`.
  package static func isTimeout(signal: Int32) -> Bool { signal == SIGALRM }

  /// Waits until a signal ends the process.
  package static func waitForSignal() -> Never { while true { _ = pause() } }

  /// The most bytes of memory that the program in this process ever had.
  package static var peakByteCount: Int {
    #if canImport(Darwin)
    var usage = rusage()
    _ = getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #else
    // Linux counts for `getrusage` from what the process that started this one had.
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard text.hasPrefix("VmHWM:") else { continue }
      return (Int(text.filter(\.isWholeNumber)) ?? 0) << 10
    }
    return 0
    #endif
  }

  /// Resets the peak, where the system can: Linux.
  ///
  /// - Returns: what the process has now; elsewhere the peak so far.
  package static func beginPeak() -> Int {
    #if !canImport(Darwin)
    // Freed memory is returned to the system, as it would hide later use. Glibc has the function,
    // but its module for Swift does not.
    if let function = dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") {
      typealias Trim = @convention(c) (_ kept: Int) -> CInt
      _ = unsafeBitCast(function, to: Trim.self)(0)
    }
    if let file = fopen("/proc/self/clear_refs", "w") {
      fputs("5", file)
      fclose(file)
    }
    #endif
    return peakByteCount
  }

  /// Makes processes that are started from now on end at a trap without a look at their stack.
  package static func leaveOutBacktraces() { _ = setenv("SWIFT_BACKTRACE", "enable=no", 1) }
}
