/// The one place where wrong use of the interface ends the process.
///
/// Only where a function cannot throw; each text says what was wrong and what to do.
enum Misuse {
  static func trap(
    _ sentence: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Never {
    fatalError(sentence, file: file, line: line)
  }

  /// Gives the result, or ends the process with what the layers below say.
  static func unwrapped<Result>(
    _ doing: @autoclosure () -> String, _ body: () throws -> Result
  ) -> Result {
    do { return try body() } catch { trap("\(doing()): \(error)") }
  }
}
