extension Transaction {
  /// Gives a writer its recorder, if changes of its class are to be recorded.
  func attachRecorder(to writer: TableWriter) {
    let isWanted =
      origin != .sync
      && (writer.schema.isSynced
        || writer.schema.isEmbedded && schema.tables.contains(where: \.isSynced))
    if !isWanted {
      writer.recorder = nil
    } else if writer.recorder == nil {
      writer.recorder = Recorder(self)
    }
  }

  /// Makes an entry of the classes and properties of which the server has not been told.
  ///
  /// To be called before any entry that may name them: a server takes the outbox in order.
  package func recordSchema() throws(ObjectError) {
    guard origin != .sync, schema.recordedTables != recordedSchema.recordedTables else { return }
    try capture.append(.schema)
    recordedSchema = schema
  }

  /// Makes operations of what the app changed in synced classes.
  func recordOperations() throws(ObjectError) {
    try recordSchema()
    var recording: Recording?
    for table in schema.tables where table.isSynced {
      guard let writer = existingWriter(id: table.id), let recorder = writer.recorder,
        !recorder.isEmpty
      else { continue }
      var current: Recording
      if let recording { current = recording } else { current = try Recording(self) }
      for key in recorder.order {
        if let note = recorder.notes[key] { try current.record(note, key, writer) }
        // What is sent and not kept has done its work.
        if table.isAsymmetric { try doom(ObjectLink(table: table.id, key: key)) }
      }
      recorder.removeAll()
      recording = current
    }
    // Those of embedded objects have told what belongs to their owners.
    for table in schema.tables where table.isEmbedded {
      existingWriter(id: table.id)?.recorder?.removeAll()
    }
    try recording?.finish(milliseconds: database.clock())
  }

  /// The key that an object of a synced class had before, while it is confirmed; nil when it had
  /// none.
  func keptKey(_ primaryKey: Value, _ writer: TableWriter) throws(ObjectError) -> UInt64? {
    if let key = writer.recorder?.deletedKeys[primaryKey] { return key }
    let address = ObjectAddress(className: writer.schema.name, primaryKey: primaryKey)
    guard let key = try capture.generations(of: address).localKey?.rawValue,
      try !writer.contains(key)
    else { return nil }
    return key
  }
}

extension Schema {
  /// The classes that a server has to know: the synced ones, and what they may embed.
  fileprivate var recordedTables: [TableSchema] {
    guard tables.contains(where: \.isSynced) else { return [] }
    return tables.filter { $0.isSynced || $0.isEmbedded && !$0.isHidden }
  }
}
