internal import Foundation
internal import TestSupport

/// The end of this process by SIGKILL after so many of its calls that write.
///
/// The system counts the calls, and a thread looks at the count all the time: a call or two may
/// still be made. Elsewhere than on Linux, where there is no such count, the process goes on.
enum DeathAtWrite {
  /// Lets the process end after `count` calls from now on.
  static func begin(after count: Int) {
    guard let start = writeCount() else { return }
    Thread.detachNewThread {
      while let now = writeCount() {
        if now - start >= count { ChildProcess.killOwnProcess() }
      }
    }
  }

  /// How many calls that write this process has made; nil where that is not known.
  static func writeCount() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else {
      return nil
    }
    for line in text.split(separator: "\n") where line.hasPrefix("syscw:") {
      return Int(line.dropFirst(6).trimmingCharacters(in: .whitespaces))
    }
    return nil
  }
}
