package import AtollCapture

/// An operation with its place in the outbox.
package struct PendingOperation: Hashable, Sendable {
  package var number: UInt64
  package var index: UInt32
  package var operation: Operation
  /// For a create that was answered: the generation that it made or met.
  package var answered: Cursor?

  package init(number: UInt64, index: UInt32, _ operation: Operation, answered: Cursor? = nil) {
    self.number = number
    self.index = index
    self.operation = operation
    self.answered = answered
  }

  /// The name by which edits refer to a create.
  package var name: Generation { .pending(number: number, index: index) }

  /// The generation that a create makes.
  var madeGeneration: Generation { answered.map { .confirmed($0) } ?? name }
}

extension Operation {
  /// Whether the operation touches all units of its object.
  package var touchesAll: Bool {
    switch action {
    case .create, .delete: true
    case .set, .increment, .insert, .setElement, .moveElement, .removeElement, .setEntry,
      .addMember, .removeEntry, .edit:
      false
    }
  }

  /// Names no create any more, if it names one.
  ///
  /// One that was answered and not accepted leaves its name to edits that wait, and with another
  /// numbering of the outbox that name is another create's. Entries count from 1.
  package mutating func forgetCreation() {
    if case .pending? = generation { generation = .pending(number: 0, index: 0) }
  }

  /// Names `generation` instead of a create that it names now.
  package mutating func rename(_ generations: [Generation: Generation]) -> Bool {
    guard let old = generation, let new = generations[old] else { return false }
    generation = new
    return true
  }
}
