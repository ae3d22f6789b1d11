extension Transaction {
  /// Makes the changes that the participant has put off, so that what they change can be read.
  package func writeDeferred() throws(ObjectError) {
    if hasDeferredWrites { try participant?.writeDeferred() }
  }

  /// Gives a writer the witness that the participant wants it to have.
  func attachWitness(to writer: TableWriter) { writer.witness = participant?.witness(of: writer) }

  /// Asks the participant again which writers are to have a witness.
  package func attachWitnesses() {
    for writer in writers.values { attachWitness(to: writer) }
  }

  /// Refuses changes that ought to be recorded where nothing takes part that records them: they
  /// would stay in this file, and nobody would know.
  ///
  /// All writers are flushed. What only repeats another file was recorded when it was written.
  ///
  /// - Throws: `.notRecorded`.
  func checkRecording() throws(ObjectError) {
    guard participant == nil, !isReplaying, schema.tables.contains(where: \.isSynced) else {
      return
    }
    // An embedded object may belong to any class.
    for table in schema.tables where table.isSynced || table.isEmbedded {
      guard writers[table.id]?.isChanged != true, !redefinedTables.contains(table.id) else {
        throw .notRecorded(className: table.name)
      }
    }
  }
}
