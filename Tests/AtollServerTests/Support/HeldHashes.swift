#if Sync
import Foundation

@testable import AtollServer

/// Password hashes that begin and do not end before they may.
// Sendable: all is read and written with the condition locked.
final class HeldHashes: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false
  private var count = 0

  /// How many have begun.
  var begunCount: Int { condition.withLock { count } }

  /// Compares a password, once it may.
  @Sendable func matches(_ hash: PasswordHash, _ password: String) -> Bool {
    wait()
    return hash.matches(password)
  }

  func wait() {
    condition.withLock {
      count += 1
      while !isOpen { condition.wait() }
    }
  }

  func release() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }
}
#endif
