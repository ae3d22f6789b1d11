import AtollObjects

extension Transaction {
  /// Makes operations of what the app changed in synced classes.
  func recordOperations() throws(ObjectError) {
    var recording: Recording?
    for table in schema.tables where table.isSynced {
      guard let writer = existingWriter(id: table.id), let recorder = writer.recorder,
        !recorder.isEmpty
      else { continue }
      var current: Recording
      if let recording { current = recording } else { current = try Recording(self) }
      for key in recorder.order {
        if let note = recorder.notes[key] {
          try current.record(note, key, writer)
          try current.endEntryIfFull()
        }
        // What is sent and not kept has done its work.
        if table.isAsymmetric {
          try doom(ObjectLink(table: table.id, key: key), followsRules: false)
        }
      }
      recorder.removeAll()
      recording = current
    }
    // Those of embedded objects have told what belongs to their owners.
    for table in schema.tables where table.isEmbedded {
      existingWriter(id: table.id)?.recorder?.removeAll()
    }
    try recording?.finish()
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
