internal import AtollObjects
internal import AtollQuery

/// What observers of one realm are told at one time, and what is found out for it only once.
final class DeliveryRound {
  let context: _RealmContext
  /// The version that is told of.
  let snapshot: Snapshot
  /// Whether observers are told of it: not of a version that stands in for one that cannot be read,
  /// nor of an older one while the newest cannot be read.
  let hasVersion: Bool
  /// What the realm itself has committed since the last time.
  private let ownCommits: [CommittedChanges]
  private var readings: [UInt64: VersionReading] = [:]

  init(_ context: _RealmContext, _ ownCommits: [CommittedChanges] = []) {
    self.context = context
    self.ownCommits = ownCommits
    snapshot = context.snapshot
    hasVersion = !context.isUnsettled
  }

  /// Whether the realm itself made all versions since that one.
  func isOwn(since old: Snapshot) -> Bool {
    let own = ownCommits.count { $0.version > old.version && $0.version <= snapshot.version }
    return UInt64(own) == snapshot.version - old.version
  }

  /// What has changed since a version.
  func difference(from old: Snapshot) -> VersionDifference { reading(from: old).difference }

  /// The same, with what is read of it for queries.
  func reading(from old: Snapshot) -> VersionReading {
    if let known = readings[old.version] { return known }
    let reading = VersionReading(context.file.database.difference(from: old, to: snapshot))
    readings[old.version] = reading
    return reading
  }
}
