package import AtollCapture
package import AtollObjects

/// The common part of the three kinds of messages from the outbox.
///
/// They are sent in the order of numbers on one stream.
package struct EntryHeader: Hashable, Sendable {
  /// The number under the client's present id.
  ///
  /// 0 only for a SCHEMA that WELCOME requested: it has no answer.
  package var number: UInt64
  /// The digest of this entry, chained to the entries before it.
  package var digest: UInt64
  /// The name under which the entry was first recorded, also by another copy of the file.
  package var firstName: EntryName

  package init(number: UInt64, digest: UInt64, firstName: EntryName) {
    self.number = number
    self.digest = digest
    self.firstName = firstName
  }
}

/// SCHEMA: the synced classes of the file.
package struct SchemaEntry: Hashable, Sendable {
  package var header: EntryHeader
  package var classes: [ClassSchema]

  package init(header: EntryHeader, classes: [ClassSchema]) {
    self.header = header
    self.classes = classes
  }
}

/// SETS: a new version of the subscription set.
package struct SetsEntry: Hashable, Sendable {
  package var header: EntryHeader
  package var version: Int64
  package var members: [SetMember]

  package init(header: EntryHeader, version: Int64, members: [SetMember]) {
    self.header = header
    self.version = version
    self.members = members
  }
}

/// PUSH: one transaction of the app, or a part of one.
package struct PushEntry: Hashable, Sendable {
  /// More operations than this a server does not judge.
  ///
  /// It serves nobody meanwhile. Devices begin another entry long before.
  package static let operationLimit = RecordingLimits.judgedOperationCount

  package var header: EntryHeader
  package var transaction: RecordedTransaction
  /// How many operations there are, when they are more than the limit and were not read.
  package var unreadCount = 0

  package init(header: EntryHeader, transaction: RecordedTransaction) {
    self.header = header
    self.transaction = transaction
  }

  /// How many operations the device sent.
  package var operationCount: Int { transaction.operations.count + unreadCount }
}
