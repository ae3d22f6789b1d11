/// What one client holds, object by object.
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

  /// Visits all objects that have a record, in their order.
  func forEach(
    from object: ObjectNumber? = nil,
    _ body: (ObjectNumber, MemberRecord) throws(ServerStoreError) -> Bool
  ) throws(ServerStoreError) {
    let prefix = Self.prefix(number)
    let moves = moves
    try store.forEach(in: .members, from: object.map(key) ?? prefix, prefix: prefix) {
      (key, bytes) throws(ServerStoreError) in
      guard let object = ObjectNumber(key.dropFirst(prefix.count)) else {
        throw .damaged(.members)
      }
      var member = try MemberRecord(bytes)
      member.settle(moves, of: object)
      return try body(object, member)
    }
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
