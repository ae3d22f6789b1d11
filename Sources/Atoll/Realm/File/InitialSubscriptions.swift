internal import AtollSync

/// What the initial subscriptions of a file have come to in this process.
struct InitialSubscriptions {
  /// Whether they have run since this process opened the file, or did not have to.
  var haveRun = false
  /// The version of the set that they made, when it asks for what was not asked for before; 0 for
  /// none.
  var version: Int64 = 0

  /// Whether what they ask for has not come; true also if the server cannot answer them, which is
  /// an error of each opening.
  func areAwaited(in sets: SubscriptionSets) -> Bool {
    guard version > 0 else { return false }
    return switch sets.state(ofVersion: version) {
    case .pending, .bootstrapping, .error: true
    case .complete, .superseded: false
    }
  }
}
