internal import Observation
internal import Synchronization

/// Finds out whether the thread is in a block of `withObservationTracking`.
///
/// The module Observation does not tell. But what is read in such a block it puts into a set, for
/// which it asks the hash of the key path, and so that of a value that the path holds: the probe
/// reads a property of its own, and looks whether the hash was asked for. Where another thread
/// tracks at the same time the answer may be yes for nothing, and never no for nothing.
///
/// A realm has one of its own: what waits at its registrar ends with the realm.
///
/// Cost: some 7 ns outside of such a block, which every read of a property pays.
final class ReadProbe {
  let registrar = ObservationRegistrar()
  private let path: KeyPath<ProbedValue, Int> = \ProbedValue.[AskedHash()]

  /// Whether what is read now is to be noted.
  @inline(__always)
  var isTracking: Bool {
    let before = AskedHash.count.load(ordering: .relaxed)
    registrar.access(ProbedValue(), keyPath: path)
    return AskedHash.count.load(ordering: .relaxed) != before
  }
}

/// What a probe reads.
private struct ProbedValue: Observable {
  subscript(_ asked: AskedHash) -> Int { 0 }
}

/// Counts how often its hash is asked for.
private struct AskedHash: Hashable, Sendable {
  static let count = Atomic<Int>(0)

  static func == (a: AskedHash, b: AskedHash) -> Bool { true }

  func hash(into hasher: inout Hasher) { Self.count.add(1, ordering: .relaxed) }
}
