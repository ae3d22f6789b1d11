internal import TestSupport

/// What is done with inputs one after the other, none of which may take much memory.
final class LimitedTrial {
  private let body: ([UInt8]) throws -> Void
  private let peakByteCount: () -> Int
  private var peak: Int

  /// - Parameters:
  ///   - body: What is done with an input.
  ///   - peakByteCount: The most memory that the process ever had.
  init(
    _ body: @escaping ([UInt8]) throws -> Void,
    peakByteCount: @escaping () -> Int = { ProcessLimits.peakByteCount }
  ) {
    self.body = body
    self.peakByteCount = peakByteCount
    peak = peakByteCount()
  }

  struct Hoard: Error, CustomStringConvertible {
    let byteCount: Int

    var description: String { "takes \(byteCount) bytes of memory" }
  }

  func run(_ input: [UInt8]) throws {
    try body(input)
    let now = peakByteCount()
    defer { peak = now }
    if now > peak + CaseWorker.memoryByteLimit { throw Hoard(byteCount: now - peak) }
  }
}
