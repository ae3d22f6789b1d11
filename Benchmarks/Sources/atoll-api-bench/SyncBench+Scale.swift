internal import Atoll
internal import Foundation

/// Costs that grow with the number of devices, or with the changes that a device has missed.
extension SyncBench {
  /// A device that was away while others changed the same objects again and again.
  ///
  /// Its batch depends on the number of changed objects, not of changes.
  func measureCatchUp(_ first: Realm, _ second: Realm) async throws {
    try await subscribe(second)
    second.refresh()
    let objects = Array(first.objects(Sample.self).prefix(min(10_000, rowCount)))
    second.syncSession?.suspend()
    var operationCount = 0
    var round = 0
    while operationCount < rowCount {
      round += 1
      try first.write {
        for object in objects { object.count = round + object._id }
      }
      operationCount += objects.count
    }
    try await first.syncSession?.wait(for: .upload)
    let before = try await server.metric("atoll_sent_bytes_total")
    let start = ContinuousClock.now
    second.syncSession?.resume()
    try await second.syncSession?.wait(for: .download)
    let milliseconds = start.duration(to: .now).milliseconds
    let bytes = try await server.metric("atoll_sent_bytes_total") - before
    second.refresh()
    let seen = second.objects(Sample.self).where { $0.count >= round }.count
    let row = "catch-up on \(operationCount) operations on \(objects.count) objects"
    try report(row, milliseconds, "ms", goal: 300, checksum: seen)
    try report(
      row + ", for an object", Double(bytes) / Double(objects.count), "bytes", goal: nil)
  }

  /// Many idle devices, each with five subscriptions, and one that receives changes.
  func measureClients(_ count: Int, _ first: Realm) async throws {
    guard count > 0 else { return }
    let before = try server.residentKilobytes()
    var clients: [Realm] = []
    var user = user
    for number in 0..<count {
      // A user may have so many connections at a time.
      if number % 50 == 0 { user = try await register("user\(number / 50)") }
      let client = try await device("client \(number)", of: user)
      let subscriptions = client.subscriptions
      try await subscriptions.update {
        for part in 0..<5 {
          let wanted = -1 - number * 5 - part
          subscriptions.append(QuerySubscription<Sample> { $0.count == wanted })
        }
      }
      clients.append(client)
    }
    let after = try server.residentKilobytes()
    try report(
      "memory of the server for each of \(count) idle devices",
      Double(after - before) / Double(count), "kilobytes", goal: 30, checksum: clients.count)
    let reader = try await device("reader")
    try await subscribe(reader)
    try await measureLatency(
      from: first, to: reader, "write to other device beside \(count) idle ones")
    for client in clients { client.invalidate() }
    reader.invalidate()
  }
}
