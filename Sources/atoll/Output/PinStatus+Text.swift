import AtollObjects

extension DatabaseStatus.PinStatus {
  /// A line of who holds what, and since when.
  func text(secondsSince1970 now: UInt64) -> String {
    var text = "  version \(version), process \(processID), "
    text += "since \(Quantity.duration(seconds: Double(age(now)))), "
    text += "holds \(Quantity.bytes(heldByteCount))\n"
    return text
  }

  func json(secondsSince1970 now: UInt64) -> [OutputValue.Entry] {
    [
      .init("version", version), .init("process", Int(processID)), .init("seconds", age(now)),
      .init("heldBytes", heldByteCount),
    ]
  }

  private func age(_ now: UInt64) -> UInt64 { now > since ? now - since : 0 }
}
