internal import TestSupport

/// Tells when a case takes much memory beyond what the process had before.
struct MemoryMeter {
  /// How much memory a case may use, for any input: caches, its own database.
  static let baseByteCount = (64 << 20) * ProcessLimits.scale
  /// How many more bytes it may use for each byte of input.
  ///
  /// A term of a query may have 6 bytes (`a>b||`), and its syntax tree, what it is bound to and its
  /// test take a thousand.
  static let factor = 200 * ProcessLimits.scale

  /// That a case took more.
  struct Excess: Error, CustomStringConvertible {
    let byteCount: Int
    let inputByteCount: Int

    var description: String { "takes \(byteCount) bytes of memory for \(inputByteCount)" }
  }

  private let beginPeak: () -> Int
  private let peakByteCount: () -> Int
  private var start = 0

  /// `beginPeak`, `peakByteCount`: as those of `ProcessLimits`.
  init(
    beginPeak: @escaping () -> Int = { ProcessLimits.beginPeak() },
    peakByteCount: @escaping () -> Int = { ProcessLimits.peakByteCount }
  ) {
    self.beginPeak = beginPeak
    self.peakByteCount = peakByteCount
  }

  /// Called before each case.
  mutating func begin() { start = beginPeak() }

  /// Asked after a case, with how much it was given.
  func excess(inputByteCount: Int) -> Excess? {
    let taken = peakByteCount() - start
    guard taken > Self.baseByteCount + Self.factor * inputByteCount else { return nil }
    return Excess(byteCount: taken, inputByteCount: inputByteCount)
  }
}
