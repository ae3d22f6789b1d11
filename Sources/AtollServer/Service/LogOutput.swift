#if Sync
internal import Synchronization

/// Where the lines of the log go.
///
/// A pipe whose reader is slow, or stopped, would hold back the event loops that write to it, and so
/// all devices. Lines that it does not take at once are left out; the next one that it takes tells
/// how many.
package final class LogOutput: Sendable {
  package static let standardError = LogOutput(FolderCalls.standardError)

  /// A pipe that is ready takes this and the line that tells how many were left out: one page of it
  /// is free.
  static let lineByteLimit = 3_900

  private let descriptor: Int32
  /// How many lines were left out since the last one that was written.
  private let leftOut = Mutex(0)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes one whole line; from any thread.
  package func write(_ line: [UInt8]) {
    leftOut.withLock { leftOut in
      guard FolderCalls.takesLine(descriptor) else {
        leftOut += 1
        return
      }
      if leftOut > 0 {
        let text =
          line.first == UInt8(ascii: "{")
          ? "{\"level\":\"warning\",\"msg\":\"lines were left out\",\"count\":\"\(leftOut)\"}\n"
          : "level=warning msg=\"lines were left out\" count=\(leftOut)\n"
        leftOut = 0
        FolderCalls.writeLine(Array(text.utf8), to: descriptor)
      }
      FolderCalls.writeLine(line, to: descriptor)
    }
  }
}
#endif
