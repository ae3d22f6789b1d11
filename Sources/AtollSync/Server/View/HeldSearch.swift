internal import AtollQuery

/// Lists the objects that a client holds, in order, a part in each tick, for a catch-up that visits
/// all of them.
///
/// What comes in meanwhile has changed since the catch-up began, whose last batch has it.
struct HeldSearch {
  private(set) var objects: [ObjectNumber] = []
  /// Objects that the client does not hold, and of whose moves some never arrived.
  ///
  /// The catch-up settles them, since `ConfirmedMoves` forgets after it which moves these are. They
  /// are not among `objects`: their count may depend on hidden data.
  private(set) var stale: [ObjectNumber] = []
  /// The key of the record that is next.
  private var next: [UInt8]?

  /// How many records are read between two looks at the clock.
  private static let stride = 64

  /// Goes on with the search.
  ///
  /// - Returns: Whether all were found; false: the budget is spent.
  mutating func advance(
    _ members: Membership, within budget: QueryBudget
  ) throws(ServerStoreError) -> Bool {
    var rest: [UInt8]?
    var count = 0
    try members.forEach(from: next) { (key, object, stored) throws(ServerStoreError) in
      if count > 0, count % Self.stride == 0, budget.isSpent {
        rest = key
        return false
      }
      count += 1
      var member = stored
      member.settle(members.moves, of: object)
      if member.isHeld {
        objects.append(object)
      } else if member != stored {
        stale.append(object)
      }
      return true
    }
    next = rest
    return rest == nil
  }
}
