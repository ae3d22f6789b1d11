import AtollImport
import AtollObjects

extension DatabaseStatus.PinStatus {
  /// A line on a process: what it holds, and since when.
  func text(secondsSince1970 now: UInt64) -> String {
    var text = "  version \(version), process \(processID), "
    text += "since \(DatabaseStatus.ageText(since, now)), "
    text += "holds \(Quantity.bytes(heldByteCount))\n"
    return text
  }

  func json(secondsSince1970 now: UInt64) -> [OutputValue.Entry] {
    [
      .init("version", version), .init("process", Int(processID)),
      .init("seconds", DatabaseStatus.age(since, now)), .init("heldBytes", heldByteCount),
    ]
  }
}

extension DatabaseStatus.ProcessStatus {
  /// A process that has the file open, and whether it writes: without a line's end.
  func text(_ now: UInt64) -> String {
    let openFor = DatabaseStatus.ageText(openSince, now)
    let text = "process \(processID) has had the file open for \(openFor)"
    return writingSince.map {
      text + ", and has been in a transaction for \(DatabaseStatus.ageText($0, now))"
    } ?? text
  }

  func json(_ now: UInt64) -> [OutputValue.Entry] {
    let writingSeconds = writingSince.map { Int64(clamping: DatabaseStatus.age($0, now)) }
    return [
      .init("process", Int(processID)), .init("seconds", DatabaseStatus.age(openSince, now)),
      .init("writingSeconds", writingSeconds.map(OutputValue.int) ?? .null),
    ]
  }
}

extension DatabaseStatus {
  /// The age in seconds; 0 for a time in the future of this clock.
  static func age(_ time: UInt64, _ now: UInt64) -> UInt64 { now > time ? now - time : 0 }

  fileprivate static func ageText(_ time: UInt64, _ now: UInt64) -> String {
    let age = age(time, now)
    switch age {
    case 0: return "less than 1 s"
    case ..<60: return "\(age) s"
    default: return Quantity.duration(seconds: Double(age))
    }
  }
}
