#if Sync
internal import Dispatch

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// How many descriptors, which are files and connections, a process may have.
package enum DescriptorLimit {
  /// The descriptors that are no connections of devices: files, event loops, connections of
  /// operators.
  static let reserve = 256

  /// Raises the limit to what the system allows this process, and returns what it is then.
  ///
  /// Most systems start processes with 1024 or fewer, and allow many more to those that ask. Nil
  /// where there is no limit, or the system does not tell it.
  package static func raise() -> Int? {
    var limit = rlimit()
    // SAFETY: the call writes one structure.
    guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
    var raised = limit
    raised.rlim_cur = limit.rlim_max
    #if canImport(Darwin)
    // The system refuses more, and says "unlimited".
    raised.rlim_cur = min(raised.rlim_cur, rlim_t(OPEN_MAX))
    #endif
    // SAFETY: the call reads one structure.
    if raised.rlim_cur > limit.rlim_cur, unsafe setrlimit(resource, &raised) == 0 {
      limit = raised
    }
    // "Unlimited" is the greatest number, signed on some systems.
    return limit.rlim_cur < rlim_t(Int.max) ? Int(limit.rlim_cur) : nil
  }

  /// Lets Dispatch open its descriptors now.
  ///
  /// It does so when it is first asked for a delay, by its own threads too, and ends the process
  /// where there is none left.
  package static func prepareDispatch() {
    let isOver = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { isOver.signal() }
    isOver.wait()
  }

  /// How many connections a process may have that has as many descriptors.
  package static func connections(of limit: Int) -> Int {
    max(1, limit - min(reserve, limit / 2))
  }

  #if canImport(Glibc)
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let resource = RLIMIT_NOFILE
  #endif
}
#endif
