internal import TestSupport

/// Tells when a case takes much memory beyond what the process had before.
struct MemoryMeter {
  /// How much a case may take, whatever it is given: caches, a database of its own.
  static let baseByteCount = (64 << 20) * ProcessLimits.scale
  /// How many bytes more it may take for each byte that it is given.
  ///
  /// A term of a query has 7 bytes at least, and its syntax tree, what it is bound to and its test
  /// take some 600.
  static let factor = 100 * ProcessLimits.scale

  /// That a case took more.
  struct Excess: Error, CustomStringConvertible {
    let byteCount: Int
    let inputByteCount: Int

    var description: String { "takes \(byteCount) bytes of memory for \(inputByteCount)" }
  }

  private let peakByteCount: () -> Int
  private var peak: Int

  /// `peakByteCount`: the most memory that the process ever had.
  init(peakByteCount: @escaping () -> Int = { ProcessLimits.peakByteCount }) {
    self.peakByteCount = peakByteCount
    peak = peakByteCount()
  }

  /// Asked after each case, with how much it was given.
  mutating func excess(inputByteCount: Int) -> Excess? {
    let now = peakByteCount()
    let allowance = Self.factor * inputByteCount
    defer {
      // The memory that was taken stays with the process: what was allowed for the input at once, the
      // rest little by little.
      peak = max(peak, min(now, peak + max(allowance, Self.baseByteCount / 4)))
    }
    return now > peak + Self.baseByteCount + allowance
      ? Excess(byteCount: now - peak, inputByteCount: inputByteCount) : nil
  }
}
