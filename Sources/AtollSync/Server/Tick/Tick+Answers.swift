internal import AtollCapture

// Answers are kept until the device confirms them (R10). One that never does would fill the disk, and
// gets all of them in one message when it connects: so what it sends waits while there are many.

extension Tick {
  /// Keeps the answer to an entry until it is confirmed.
  func keep(
    _ record: [UInt8], to number: UInt64, of client: UInt64
  ) throws(ServerStoreError) {
    try store.set(record, for: AnswerRecord.key(client, number), in: .answers)
    guard let id = server.clients[client], let connection = server.connections[id] else { return }
    let byteCount = Self.byteCount(ofAnswer: record)
    connection.answerByteCount += byteCount
    if number > connection.countedAnswer { connection.unconfirmedByteCount += byteCount }
  }

  /// Whether an entry has to wait until the device has confirmed answers to those before it.
  ///
  /// A device that announces to have confirmed, and never does, is turned away.
  func owesConfirmation(
    before message: SyncMessage, _ connection: Connection
  ) throws(ServerStoreError) -> Bool {
    switch message {
    case .push, .sets, .schema: break
    default: return false
    }
    let limit = server.options.unconfirmedByteLimit
    guard connection.phase == .confirmed, connection.unconfirmedByteCount > limit else {
      return false
    }
    guard connection.answerByteCount <= server.options.keptAnswerByteLimit else {
      try end(connection, ErrorMessage(.retry, .tooBusy, text: "the device confirms too little"))
      return true
    }
    // It may have done so behind the entry, which may name what the answers tell: so they stay.
    let announced = connection.announcedAnswer
    if announced > connection.countedAnswer, announced <= connection.client.pushed {
      let counted = try answers(of: connection, after: connection.countedAnswer, upTo: announced)
      connection.unconfirmedByteCount -= counted.byteCount
      connection.countedAnswer = announced
    }
    return connection.unconfirmedByteCount > limit
      && connection.countedAnswer < connection.client.pushed
  }

  func forgetAnswers(upTo number: UInt64, _ connection: Connection) throws(ServerStoreError) {
    let counted = connection.countedAnswer
    if number > counted {
      connection.unconfirmedByteCount -=
        try answers(of: connection, after: counted, upTo: number).byteCount
      connection.countedAnswer = number
    }
    let confirmed = try answers(of: connection, after: 0, upTo: number)
    for key in confirmed.keys { try store.set(nil, for: key, in: .answers) }
    connection.answerByteCount -= confirmed.byteCount
    connection.client.answered = number
    connection.told = max(connection.told, number)
  }

  /// Counts the answers that a device has not confirmed when it connects.
  func countAnswers(_ connection: Connection) throws(ServerStoreError) {
    connection.countedAnswer = connection.client.answered
    connection.answerByteCount = try answers(
      of: connection, after: connection.client.answered, upTo: .max
    ).byteCount
    connection.unconfirmedByteCount = connection.answerByteCount
  }

  /// The kept answers behind one number, up to another, and what they take.
  private func answers(
    of connection: Connection, after first: UInt64, upTo last: UInt64
  ) throws(ServerStoreError) -> (keys: [[UInt8]], byteCount: Int) {
    let start = AnswerRecord.key(connection.clientID, first)
    let end = AnswerRecord.key(connection.clientID, last)
    var keys: [[UInt8]] = []
    var byteCount = 0
    try store.forEach(
      in: .answers, from: start, prefix: AnswerRecord.prefix(connection.clientID)
    ) { key, bytes in
      guard key == end || key.lexicographicallyPrecedes(end) else { return false }
      // The last number has no next one to begin at.
      guard key != start else { return true }
      keys.append(key)
      byteCount += Self.byteCount(ofAnswer: bytes)
      return true
    }
    return (keys, byteCount)
  }

  /// What an answer takes, with its key.
  private static func byteCount(ofAnswer record: some Collection<UInt8>) -> Int {
    record.count + 16
  }
}
