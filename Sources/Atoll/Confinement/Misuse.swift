internal import Synchronization

/// The one place where wrong use of the interface ends the process.
///
/// Only where a function cannot throw; each text says what was wrong and what to do.
enum Misuse {
  /// Whether a sentence was written to the log: a logger that is used wrongly itself is not told of
  /// that.
  private static let isLogged = Atomic(false)

  static func trap(
    _ sentence: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Never {
    if !isLogged.exchange(true, ordering: .relaxed) { Logger.note(.fatal, sentence) }
    fatalError(sentence, file: file, line: line)
  }

  /// Gives the result, or ends the process with what the layers below say.
  static func unwrapped<Result>(
    _ doing: @autoclosure () -> String, _ body: () throws -> Result
  ) -> Result {
    do { return try body() } catch { trap("\(doing()): \(error)") }
  }
}
