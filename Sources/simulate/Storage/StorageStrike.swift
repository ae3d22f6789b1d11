/// Something that befalls a run at a place that is chosen, not random.
struct StorageStrike: Equatable, Sendable, CustomStringConvertible {
  enum Kind: Int, CaseIterable, Sendable {
    case powerCut, death, failedSync, failedWrite
  }

  var kind: Kind
  /// How many operations of the kind it strikes succeed before: writes, synchronisations and
  /// resizes for a power cut and a death.
  ///
  /// Counted from the start or, for all but the first of a run, from where the one before struck.
  var operationCount: Int

  var description: String {
    switch kind {
    case .powerCut: "power cut after \(operationCount) operations"
    case .death: "death of the process after \(operationCount) operations"
    case .failedSync: "failed sync after \(operationCount) syncs"
    case .failedWrite: "failed write after \(operationCount) writes"
    }
  }
}
