#if Sync
internal import AtollObjects
package import Logging

/// Writes each event as one line: `key=value` pairs, or a JSON object.
///
///     time=2026-03-01T12:00:00.125Z level=info msg="sync connected" user=65f… peer=127.0.0.1:40112
package struct LineLogHandler: LogHandler {
  package enum Form: Sendable { case pairs, json }

  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  private let form: Form
  /// Milliseconds since 1970.
  private let now: @Sendable () -> UInt64
  private let write: @Sendable ([UInt8]) -> Void

  /// `write` gets one whole line at a time, from any thread.
  package init(
    level: Logger.Level, form: Form, now: @escaping @Sendable () -> UInt64,
    write: @escaping @Sendable ([UInt8]) -> Void = LogOutput.standardError.write
  ) {
    logLevel = level
    self.form = form
    self.now = now
    self.write = write
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let now = now()
    let time = Timestamp(
      seconds: Int64(clamping: now / 1_000), nanoseconds: Int32(now % 1_000) * 1_000_000)
    var pairs = [
      ("time", time?.description ?? ""), ("level", event.level.rawValue),
      ("msg", event.message.description),
    ]
    var all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
    all.merge(event.metadata ?? [:]) { $1 }
    pairs += all.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
    if let error = event.error { pairs.append(("error", "\(error)")) }
    // What does not fit is cut in the values, so that the line has its form.
    var line = line(pairs)
    for limit in [1_000, 200, 40] where line.count > LogOutput.lineByteLimit {
      line = self.line(pairs.map { ($0.0, Self.cut($0.1, limit)) })
    }
    write(line)
  }

  private func line(_ pairs: [(String, String)]) -> [UInt8] {
    let text =
      switch form {
      case .pairs:
        pairs.map { $0.0 + "=" + (Self.isPlain($0.1) ? $0.1 : Self.quoted($0.1)) }
          .joined(separator: " ")
      case .json:
        "{" + pairs.map { Self.quoted($0.0) + ":" + Self.quoted($0.1) }.joined(separator: ",")
          + "}"
      }
    return Array((text + "\n").utf8)
  }

  private static func cut(_ text: String, _ limit: Int) -> String {
    text.utf8.count <= limit ? text : String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "…"
  }

  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy {
        $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != "=" && $0 != "\\"
      }
  }

  /// A JSON string; what could move a terminal's cursor is an escape in it.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where isControl(scalar):
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
#endif
