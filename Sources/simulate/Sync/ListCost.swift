internal import AtollObjects
internal import AtollSync
internal import TestSupport

/// What an append to a list costs, on the device and on the server: as much as a leaf, however long
/// the list is.
final class ListCost {
  private static let shortCount = 1_000
  private static let longCount = 6_000
  /// One commit may do more, as when a leaf is split.
  private static let sampleCount = 5
  /// Longer lists have deeper trees.
  private static let tolerance = 16 << 10

  private let device: SyncDevice
  private let host: SyncServerHost
  private let connection: ConnectionID
  private var milliseconds: UInt64 = 1_700_000_000_000

  init(seed: UInt64, lists: ListHistory) throws {
    device = try SyncDevice(
      index: 0, seed: seed, milliseconds: milliseconds, isProgressive: false,
      lists: lists)
    host = try SyncServerHost(seed: ~seed, milliseconds: milliseconds)
    connection = host.server.connect(user: "user", now: milliseconds)
  }

  /// What is wrong with the cost; nil when it does not grow with the list.
  func problem() throws -> String? {
    try device.subscribe(to: [.all])
    let short = try makeList(Self.shortCount)
    let long = try makeList(Self.longCount)
    // Commits first: where these are too dear, a server needs minutes.
    let commits = try (leastOnDevice(short), leastOnDevice(long))
    if let problem = Self.problem(commits, "device") { return problem }
    try deliver(device.client.open(now: milliseconds))
    return Self.problem(try (leastOnServer(short), leastOnServer(long)), "server")
  }

  private static func problem(_ bytes: (short: Int, long: Int), _ place: String) -> String? {
    guard bytes.long > bytes.short + tolerance else { return nil }
    return "an append to \(shortCount) elements writes \(bytes.short) bytes on a \(place), and to "
      + "\(longCount) it writes \(bytes.long)"
  }

  private func makeList(_ count: Int) throws -> ObjectKey {
    try write { transaction in
      let key = try transaction.create("Item", ["_id": .string("\(count) elements")])
      for number in 0..<count {
        // Of many bits, so that no compression hides what is written.
        let value = Int64(truncatingIfNeeded: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        try transaction.append("Item", key, "numbers", .int(value))
      }
      return key
    }
  }

  private func leastOnDevice(_ key: ObjectKey) throws -> Int {
    var least = Int.max
    for _ in 0..<Self.sampleCount {
      let before = device.disk.counters.writtenByteCount
      try append(to: key)
      least = min(least, device.disk.counters.writtenByteCount - before)
    }
    return least
  }

  private func leastOnServer(_ key: ObjectKey) throws -> Int {
    var least = Int.max
    for _ in 0..<Self.sampleCount {
      try append(to: key)
      let before = host.disk.counters.writtenByteCount
      try deliver([])
      least = min(least, host.disk.counters.writtenByteCount - before)
    }
    return least
  }

  private func append(to key: ObjectKey) throws {
    try write { try $0.append("Item", key, "numbers", .int(1)) }
  }

  private func write<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    let transaction = try device.database.beginWrite()
    defer { transaction.cancel() }
    let result = try body(transaction)
    try transaction.commit()
    return result
  }

  /// All that both sides have to say.
  private func deliver(_ frames: [[UInt8]]) throws {
    var frames = frames
    while true {
      milliseconds += 1
      frames += try device.client.outgoing(now: milliseconds)
      var outputs: [SyncServer.Output] = []
      for frame in frames {
        outputs += host.server.receive(frame, from: connection, now: milliseconds)
      }
      outputs += try host.server.advance(now: milliseconds)
      guard !frames.isEmpty || !outputs.isEmpty else { return }
      frames = []
      for case .send(_, let frame) in outputs {
        frames += try device.client.receive(frame, now: milliseconds)
      }
    }
  }
}
