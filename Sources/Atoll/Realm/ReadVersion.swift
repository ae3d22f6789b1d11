internal import AtollObjects

/// The version that a realm reads, and what it reads while that one is missing.
///
/// Invariant: while the realm is settled, `pinned` is what it has to show. Otherwise each use looks
/// for the newest version, and until that can be read the version before goes on; without one, a
/// version with the same classes and no objects stands in.
struct ReadVersion {
  /// The version that is read; nil after `invalidate()` until the next use.
  private(set) var pinned: Snapshot?
  /// Whether `pinned` may be older than the version that the realm has to show, its own last commit
  /// for one, as no newer one could be read.
  private(set) var isBehind = false
  /// Whether that was told.
  private var isBehindKnown = false
  /// The classes of the last version that was read, for one that stands in.
  private var lastClasses: VersionClasses
  /// A version with no objects, which stands in while none can be read.
  private var standIn: Snapshot?

  /// `isStandIn`: whether it stands in for one that could not be read.
  init(_ snapshot: Snapshot, isStandIn: Bool = false) {
    pinned = snapshot
    lastClasses = snapshot.classes
    if isStandIn { standIn = snapshot }
  }

  /// What is read, where none is to be looked for.
  @inline(__always)
  var settled: Snapshot? { isBehind ? nil : pinned }

  /// Whether a version is to be looked for at each use.
  var isUnsettled: Bool { isBehind || pinned == nil }

  /// Whether a version stands in for one that could not be read.
  var hasStandIn: Bool { standIn != nil }

  /// Reads another version from now on; nil: none, until the next use.
  mutating func pin(_ snapshot: Snapshot?) {
    if let pinned { lastClasses = pinned.classes }
    pinned = snapshot
    noteNewest()
    standIn = nil
  }

  /// Goes on with the version before until the newest one can be read.
  mutating func stayBehind() { (isBehind, isBehindKnown) = (true, false) }

  /// The version that is read is known to be the newest one.
  mutating func noteNewest() { (isBehind, isBehindKnown) = (false, false) }

  /// Takes note that the newest version was looked for and cannot be read.
  ///
  /// - Returns: Whether that is to be told: of the version before all that is read is true, and once
  ///   is enough.
  mutating func noteMissingNewest() -> Bool {
    defer { if pinned != nil { isBehindKnown = true } }
    return pinned == nil || !isBehindKnown
  }

  /// What goes on in the place of the newest version.
  ///
  /// - Throws: When the memory is used up.
  mutating func substitute() throws -> Snapshot {
    if let known = pinned ?? standIn { return known }
    let made = try Database.emptyVersion(with: lastClasses)
    standIn = made
    return made
  }
}
