import AtollObjects

extension Transaction {
  /// Records the objects of a salvaged file whose creation is in no entry that is left.
  ///
  /// Without this they would stay on this device alone. Each is recorded as a creation with all its
  /// values, in entries whose clock marks them as sent again. If the server has the object after
  /// all, because the entry was sent before the damage or the record of its confirmation is lost,
  /// nothing of it is changed there.
  ///
  /// An object that has more than an entry may have stays on this device alone.
  func mendCreations(_ capture: Capture) throws(ObjectError) {
    let lives = try pendingLives(capture)
    var recording = try Recording(self, isMending: true)
    for table in schema.tables where table.isSynced && !table.isEmbedded && !table.isAsymmetric {
      let writer = try writer(id: table.id)
      for key in try keys(of: table) {
        guard let address = try address(of: ObjectLink(table: table.id, key: key)),
          try !mendLife(of: address, lives[address], capture)
        else { continue }
        let size = try recordedSize(of: key, address, writer, capture)
        guard size.byteCount <= Recording.byteCountLimit,
          size.operationCount <= RecordingLimits.judgedOperationCount
        else { continue }
        if size.byteCount > RecordingLimits().byteCount
          || Int(recording.operationCount) + size.operationCount
            > RecordingLimits.judgedOperationCount
        {
          try recording.finish(clock: .retelling)
        }
        try recording.recordAgain(address, key, writer)
        try recording.endEntryIfFull(clock: .retelling)
      }
    }
    try recording.finish(clock: .retelling)
  }

  func keys(of table: TableSchema) throws(ObjectError) -> [UInt64] {
    var keys: [UInt64] = []
    do { try self.table(table.name).forEach { keys.append($0.key.rawValue) } } catch {
      throw ObjectError(any: error)
    }
    return keys
  }

  // MARK: Lives

  /// What the outbox makes of an object in the end.
  private enum PendingLife {
    case created(Generation)
    case deleted
  }

  private func pendingLives(_ capture: Capture)
    throws(ObjectError) -> [ObjectAddress: PendingLife]
  {
    var lives: [ObjectAddress: PendingLife] = [:]
    try capture.forEachEntry { entry throws(ObjectError) in
      guard case .push(let content) = entry.content else { return true }
      for (index, operation) in content.operations.enumerated() {
        switch operation.action {
        case .create:
          lives[operation.object] = .created(
            .pending(number: entry.number, index: UInt32(index)))
        case .delete: lives[operation.object] = .deleted
        default: break
        }
      }
      return true
    }
    return lives
  }

  /// Gives an object that is there the life that the server knows, or will hear of.
  ///
  /// - Returns: False when there is none.
  private func mendLife(
    of address: ObjectAddress, _ pending: PendingLife?, _ capture: Capture
  ) throws(ObjectError) -> Bool {
    var lives = try capture.generations(of: address)
    if case .confirmed? = lives.head { return true }
    let head: Generation
    switch (pending, lives.confirmed) {
    case (.created(let generation), _): head = generation
    case (nil, let confirmed?): head = .confirmed(confirmed)
    case (.deleted, _), (nil, nil): return false
    }
    guard lives.head != head else { return true }
    lives.head = head
    try capture.setGenerations(lives, of: address)
    return true
  }

  // MARK: Size

  /// About how many operations make an object, and how many bytes they have; not fewer.
  private func recordedSize(
    of key: UInt64, _ address: ObjectAddress, _ writer: TableWriter, _ capture: Capture
  ) throws(ObjectError) -> (operationCount: Int, byteCount: Int) {
    // Each operation says what it is, and an element has an id.
    let operationByteCount = 64
    var byteCount = 0
    var operationCount = 0
    for column in writer.schema.columns {
      var values = RecordedWriter()
      let value = try recorded(column, of: key, writer)
      values.append(value)
      byteCount += column.name.utf8.count + values.bytes.count
      byteCount += (value.parts.count + 1) * operationByteCount
      operationCount += value.parts.count + 1
      guard column.layout.collection == .list else { continue }
      for element in try capture.elements(of: address, column.name) {
        byteCount += element.position.bytes.count + operationByteCount
        operationCount += 1
      }
    }
    return (operationCount, byteCount)
  }
}
