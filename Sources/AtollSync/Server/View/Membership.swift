/// The objects that one client holds.
struct Membership {
  let store: any ServerTransaction
  /// The first part of the keys.
  let number: UInt64
  let moves: ConfirmedMoves

  init(store: any ServerTransaction, number: UInt64, moves: ConfirmedMoves) {
    self.store = store
    self.number = number
    self.moves = moves
  }

  /// The member as it is with what is confirmed by now.
  subscript(object: ObjectNumber) -> MemberRecord {
    get throws(ServerStoreError) {
      var member = try stored(object)
      member.settle(moves, of: object)
      return member
    }
  }

  /// The member as it was written last.
  func stored(_ object: ObjectNumber) throws(ServerStoreError) -> MemberRecord {
    guard let bytes = try store.record(key(object), in: .members) else {
      return MemberRecord(isConfirmed: false)
    }
    return try MemberRecord(bytes)
  }

  func set(_ member: MemberRecord, for object: ObjectNumber) throws(ServerStoreError) {
    try store.set(member.isEmpty ? nil : member.encoded, for: key(object), in: .members)
  }

  /// Visits the records of a membership from a key on; `body` returns false to end it.
  func forEach(
    from key: [UInt8]?,
    _ body: (_ key: [UInt8], _ object: ObjectNumber, MemberRecord) throws(ServerStoreError) -> Bool
  ) throws(ServerStoreError) {
    let prefix = Self.prefix(number)
    try store.forEach(in: .members, from: key ?? prefix, prefix: prefix) {
      (key, bytes) throws(ServerStoreError) in
      guard let object = ObjectNumber(key.dropFirst(prefix.count)) else {
        throw .damaged(.members)
      }
      return try body(key, object, try MemberRecord(bytes))
    }
  }

  /// Removes from a record the moves that never arrived.
  func settle(_ object: ObjectNumber) throws(ServerStoreError) {
    try set(self[object], for: object)
  }

  private static func prefix(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendNumber(number)
    return bytes
  }

  private func key(_ object: ObjectNumber) -> [UInt8] {
    var bytes = Self.prefix(number)
    object.append(to: &bytes)
    return bytes
  }
}
