#if Sync
internal import AtollSync

extension ServerConfiguration {
  /// Reads what one user may take of the server; what is not named stays as it is by default.
  static func limits(_ node: ConfigurationNode?) throws(ConfigurationError) -> UserLimits {
    var limits = UserLimits()
    let values = try node?.values(
      of: "limits",
      [
        "connections", "files", "subscriptions", "views", "operationsPerMinute", "bytesPerMinute",
        "storedBytes", "unfinishedBytes",
      ])
    func set(
      _ name: String, _ property: WritableKeyPath<UserLimits, Int>, least: Int = 1,
      most: Int = .max
    ) throws(ConfigurationError) {
      guard let node = values?[name] else { return }
      let number = try node.number("limits.\(name)")
      guard least...most ~= number else {
        throw node.error(
          "limits.\(name): a number "
            + (most == .max
              ? "of at least \(least) is expected" : "from \(least) to \(most) is expected"))
      }
      limits[keyPath: property] = number
    }
    try set("connections", \.connectionCount)
    try set("files", \.fileCount)
    try set("subscriptions", \.subscriptionCount, most: SetLimits.count)
    try set("views", \.viewCount)
    try set("operationsPerMinute", \.operationsPerMinute)
    if let node = values?["bytesPerMinute"] {
      limits.bytesPerMinute = try node.byteCount("limits.bytesPerMinute", least: 1)
    }
    if let node = values?["storedBytes"] {
      limits.storedByteCount = try node.byteCount("limits.storedBytes", least: 0)
    }
    if let node = values?["unfinishedBytes"] {
      // With less, the largest message would never be accepted.
      limits.unfinishedByteCount = try node.byteCount(
        "limits.unfinishedBytes", least: ServerOptions.messageByteLimit)
    }
    return limits
  }
}
#endif
