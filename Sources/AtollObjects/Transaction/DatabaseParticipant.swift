/// A layer above that keeps trees of its own in a database, in step with the objects.
///
/// A database that is opened without one pays nothing, and takes no change of a synced class. What an
/// earlier one left is then byte strings in internal trees: checked as trees, copied by salvage and
/// compaction, changed by nothing.
package protocol DatabaseParticipant: Sendable {
  /// Takes part in a transaction that begins.
  func join(_ transaction: Transaction) -> any TransactionParticipant

  /// Verifies the layer's trees against each other and against the objects.
  ///
  /// - Returns: What is wrong, in words.
  func check(_ snapshot: Snapshot) -> [String]

  /// Makes what a salvaged copy has of the layer's trees fit together, and fit its objects.
  ///
  /// - Parameter transaction: The copy, complete, in which no participant takes part yet.
  /// - Throws: when the copy cannot be written.
  func mend(_ transaction: Transaction) throws(ObjectError)
}

/// What a layer above does in one transaction.
///
/// Belongs to the transaction and is used by its thread.
package protocol TransactionParticipant: AnyObject {
  /// What is to be told of the changes of a class; nil: nothing is.
  ///
  /// Asked when the class is first used, and again when the schema has changed: the writer then has
  /// the witness of the one before it.
  func witness(of writer: TableWriter) -> (any ChangeWitness)?

  /// The schema changed: no writer from before is used again.
  func didChangeSchema()

  /// Makes the changes that were put off: called where `Transaction.hasDeferredWrites` says that
  /// there are any, before something reads what they change.
  func writeDeferred() throws(ObjectError)

  /// The transaction is about to be committed: no row of a deleted object is left.
  ///
  /// May change objects and trees; an error ends the commit.
  func willCommit() throws(ObjectError)

  /// Finds the key that an object of a synced class had before and gets back.
  ///
  /// - Returns: Nil when it had none.
  func keptKey(_ primaryKey: Value, _ writer: TableWriter) throws(ObjectError) -> UInt64?

  /// The rows of deleted objects of a class are about to go.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects, ascending.
  ///   - table: The class.
  /// - Throws: when the layer's trees cannot be changed.
  func willRemove(_ keys: [UInt64], of table: TableSchema) throws(ObjectError)
}
