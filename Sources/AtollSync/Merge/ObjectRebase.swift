package import AtollCapture

/// The rebase of one object, for the units that a batch meets or whose operations it answers.
///
/// Pure: reads and writes nothing. See `Algebra.swift`, "A device".
package struct ObjectRebase: Sendable {
  /// The confirmed units afterwards.
  package private(set) var confirmed: UnitState
  /// The units of head afterwards.
  package private(set) var head: UnitState
  /// The units of which an image stays, with the value of `confirmed`.
  package private(set) var imaged: Set<UnitPath>

  /// Computes the units of `confirmed.scope`, which has to hold existence.
  ///
  /// - Parameters:
  ///   - confirmed: The confirmed units before: the images, where there are some, else head.
  ///   - sent: Operations of the object that were answered and applied as sent, in order.
  ///   - change: The object's change in the batch.
  ///   - pending: Operations that are left, in order: at least those that touch a unit.
  ///   - shape: The defaults of the class.
  package init(
    confirmed: UnitState, sent: [PendingOperation], change: ObjectChange.Change?,
    pending: [PendingOperation], shape: ClassShape
  ) {
    var state = confirmed
    for operation in sent { state.replay(operation, shape: shape) }
    if let change { state.apply(change, shape: shape) }
    state.forgetCreates()
    self.confirmed = state
    imaged = []
    for operation in pending { state.replay(operation, shape: shape) }
    state.forgetCreates()
    head = state
    let units = confirmed.scope ?? Set(confirmed.values.keys).union(state.values.keys)
    for operation in pending {
      imaged.formUnion(UnitState.touched(by: operation.operation, of: units))
    }
    imaged.formIntersection(units.union([.existence]))
  }

  /// The units below existence that a change of an object carries, `known` being those there may
  /// be.
  package static func met(
    by change: ObjectChange.Change, known: some Sequence<UnitPath>
  ) -> Set<UnitPath> {
    switch change {
    case .leave: Set(known)
    case .full(_, let units): Set(known).union(units.map(\.path))
    case .update(let units): Set(units.map(\.path))
    }
  }
}
