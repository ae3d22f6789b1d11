package import AtollCapture

/// The answer to one entry of the outbox.
///
/// Kept by the server until the device confirms its number. The answer to a large transaction stays
/// small: equal verdicts that follow each other are one run.
package struct Answer: Hashable, Sendable {
  package struct Run: Hashable, Sendable {
    package var verdict: Verdict
    /// At least 1.
    package var count: UInt32

    package init(verdict: Verdict, count: UInt32) {
      self.verdict = verdict
      self.count = count
    }
  }

  package var number: UInt64
  /// Of all operations of a transaction, in order; one verdict for a set or a schema.
  package private(set) var runs: [Run]

  package init(number: UInt64, runs: [Run] = []) {
    self.number = number
    self.runs = runs
  }

  package init(number: UInt64, verdicts: some Sequence<Verdict>) {
    self.init(number: number)
    for verdict in verdicts { append(verdict) }
  }

  package mutating func append(_ verdict: Verdict) {
    if let last = runs.indices.last, runs[last].verdict == verdict, runs[last].count < .max {
      runs[last].count += 1
    } else {
      runs.append(Run(verdict: verdict, count: 1))
    }
  }

  package var verdictCount: UInt64 { runs.reduce(0) { $0 + UInt64($1.count) } }

  /// The verdicts one by one.
  package var verdicts: some Sequence<Verdict> {
    runs.lazy.flatMap { repeatElement($0.verdict, count: Int($0.count)) }
  }
}

/// The verdict on one operation.
package enum Verdict: Hashable, Sendable {
  /// Took effect as it was sent. For a create: the generation that it made or met.
  case applied(generation: Cursor?)
  /// The same, under another name of the entry: it is removed without being applied, and its values
  /// come in batches.
  case known(generation: Cursor?)
  /// Came too late.
  case outdated(Lateness)
  /// Is not allowed.
  case refused(Refusal)

  /// Why the operation is not allowed; nil when it is.
  var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }

  package enum Lateness: UInt8, Hashable, Sendable, CaseIterable {
    /// A newer clock had written the unit. Makes no entry in the inbox.
    case newerClock = 0
    /// The object, or the element, had been deleted.
    case deletion = 1
  }
}

/// Why something is not allowed.
package struct Refusal: Hashable, Sendable {
  package var reason: Reason
  /// A sentence for people; empty for the usual one.
  package var text: String
  /// Of a subscription set: its members that the server cannot answer, ascending.
  package var members: [RefusedMember]

  package init(_ reason: Reason, text: String = "", members: [RefusedMember] = []) {
    self.reason = reason
    self.text = text
    self.members = members
  }

  package struct Reason: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The object does not match the subscription set in force, or was not held.
    package static let outsideView = Reason(rawValue: 1)
    /// The role of the user forbids it.
    package static let forbidden = Reason(rawValue: 2)
    /// The server does not have the class or the property.
    package static let unknownSchema = Reason(rawValue: 3)
    /// The value does not fit the property.
    package static let typeMismatch = Reason(rawValue: 4)
    /// A class or property differs from the server's in type, optionality or key.
    package static let schemaConflict = Reason(rawValue: 5)
    /// A subscription has a query that the server cannot answer.
    package static let invalidQuery = Reason(rawValue: 6)
    /// Larger than the server takes.
    package static let tooLarge = Reason(rawValue: 7)
    /// The list has, or had, another element with the id of one that is inserted.
    package static let duplicateElement = Reason(rawValue: 8)
    /// The objects that the user has made take as much on the server as they may.
    package static let quotaExceeded = Reason(rawValue: 9)
  }
}

/// A member of a subscription set that the server cannot answer.
package struct RefusedMember: Hashable, Sendable {
  /// The place of the member in the ascending order of the set.
  package var index: UInt32
  /// Why, in a sentence for people.
  package var text: String

  package init(index: UInt32, text: String) {
    self.index = index
    self.text = text
  }
}
