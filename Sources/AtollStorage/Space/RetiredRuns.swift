/// A run of blocks whose page was part of some versions and is part of no new one.
package struct RetiredRun: Hashable, Sendable {
  package var run: BlockRun
  /// The transaction that wrote the page.
  package var birth: UInt64
  /// The first version without the page.
  package var death: UInt64
}

/// Runs that wait until no reader can see their page.
///
/// A page born at b and dead at d is visible to the readers of versions in
/// [b, d). It is reclaimed as soon as no pinned reader lies there, even while
/// an older reader lives: what a long-lived reader holds back is bounded by the
/// size of its own version, not by the commits made since.
///
/// Runs that a pin holds back are kept under that pin and looked at again only
/// when it is gone, so the cost of a commit follows its own change.
struct RetiredRuns {
  private var fresh: [RetiredRun] = []
  private var heldByPin: [UInt64: [RetiredRun]] = [:]

  var all: [RetiredRun] {
    (fresh + heldByPin.values.joined()).sorted { $0.run.start < $1.run.start }
  }

  var blockCount: UInt64 { all.reduce(0) { $0 + $1.run.count } }

  /// Blocks held back by each pinned version.
  var blockCountByPin: [UInt64: UInt64] {
    heldByPin.mapValues { $0.reduce(0) { $0 + $1.run.count } }
  }

  mutating func insert(_ retired: RetiredRun) { fresh.append(retired) }

  /// Removes and returns the runs that no pin can see.
  ///
  /// `pins`: the pinned versions, in ascending order, without the newest one
  /// (every retired page is dead there).
  mutating func reclaim(pins: [UInt64]) -> [RetiredRun] {
    var candidates = fresh
    fresh = []
    for pin in heldByPin.keys where !pins.contains(pin) {
      candidates += heldByPin.removeValue(forKey: pin) ?? []
    }
    var reclaimed: [RetiredRun] = []
    for candidate in candidates {
      if let pin = Self.firstPin(in: pins, from: candidate.birth), pin < candidate.death {
        heldByPin[pin, default: []].append(candidate)
      } else {
        reclaimed.append(candidate)
      }
    }
    return reclaimed
  }

  private static func firstPin(in pins: [UInt64], from birth: UInt64) -> UInt64? {
    let low = binarySearch(0..<pins.count) { pins[$0] < birth }
    return low < pins.count ? pins[low] : nil
  }
}
