internal import TestSupport

/// Tells when a case takes much memory beyond what the process had before.
struct MemoryMeter {
  /// How much a case may take.
  static let byteLimit = (256 << 20) * ProcessLimits.scale

  /// That a case took more.
  struct Excess: Error, CustomStringConvertible {
    let byteCount: Int

    var description: String { "takes \(byteCount) bytes of memory" }
  }

  private let peakByteCount: () -> Int
  private var peak: Int

  /// `peakByteCount`: the most memory that the process ever had.
  init(peakByteCount: @escaping () -> Int = { ProcessLimits.peakByteCount }) {
    self.peakByteCount = peakByteCount
    peak = peakByteCount()
  }

  /// Asked after each case.
  mutating func excess() -> Excess? {
    let now = peakByteCount()
    defer {
      // The memory that was taken stays with the process, and little by little with the peak.
      peak = max(peak, min(now, peak + Self.byteLimit / 4))
    }
    return now > peak + Self.byteLimit ? Excess(byteCount: now - peak) : nil
  }
}
