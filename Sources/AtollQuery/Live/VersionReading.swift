package import AtollObjects

/// What live queries read of two versions: leaves that one has opened are open for the next.
///
/// Nothing is read before it is asked for. Used by one thread, and not kept: it holds both versions.
package final class VersionReading {
  package let difference: VersionDifference
  private var knownOld: Execution?
  private var knownNew: Execution?

  package init(_ difference: VersionDifference) { self.difference = difference }

  /// Where the older version is read, without arguments of any query.
  var old: Execution {
    if let knownOld { return knownOld }
    let execution = Execution(source: difference.old, arguments: [])
    knownOld = execution
    return execution
  }

  /// Where the newer version is read, without arguments of any query.
  var new: Execution {
    if let knownNew { return knownNew }
    let execution = Execution(source: difference.new, arguments: [])
    knownNew = execution
    return execution
  }
}
