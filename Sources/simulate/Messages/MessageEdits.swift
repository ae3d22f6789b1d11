internal import TestSupport

/// The edits of a hostile side to its frames, one on each line, as a readable text that a fuzzer
/// makes.
///
///     device              the server is hostile and attacks a device; without it the reverse
///     development         the server allows everything; without it there are rules
///     cut 3 7             frame 3 lacks its last 7 bytes
///     set 3 16 4 255      the 4 bytes at 16 of frame 3 become 255, the lowest first
///     add 3 16 4 -1       the number there becomes less by one
///     insert 3 16 8 0     8 bytes of value 0 come at 16 of frame 3
///     drop 3              frame 3 is not sent
///     twice 3             frame 3 is sent twice
///     late 3              frame 3 is sent behind the next one
///     alter 3 77          one thing that the message of frame 3 says becomes another one
///     forge 3 77          a message follows frame 3 that was never said
///     bomb 3 77           something large follows it
///     raw 3 0900ff        a frame of these bytes follows it
///
/// Frames are counted from 0, over all connections of the side. The numbers after `alter`, `forge`
/// and `bomb` determine the result (`MessageForger`). Invalid lines are ignored, and places beyond
/// the end wrap around to zero, because a fuzzer learns nothing from an input that is refused.
struct MessageEdits {
  private(set) var lines: [[Substring]]

  /// More lines than this are not read.
  private static let lineLimit = 32
  /// A frame gets no more bytes by an insertion.
  private static let insertionLimit = 64 << 10

  init(_ input: [UInt8]) {
    lines = String(decoding: input, as: UTF8.self).split(separator: "\n").prefix(Self.lineLimit)
      .map { $0.split(separator: " ") }
  }

  var isOnDevice: Bool { lines.contains { $0 == ["device"] } }
  var isDevelopment: Bool { lines.contains { $0 == ["development"] } }

  /// A text that a number decides.
  static func text(number: UInt64) -> String {
    var random = SplitMix64(seed: number)
    func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    var lines: [String] = []
    let isOnDevice = number % 2 == 1
    if isOnDevice { lines.append("device") }
    if below(4) == 0 { lines.append("development") }
    for _ in 0...below(3) {
      // The first one is a greeting.
      let frame = below(4) == 0 ? 0 : below(isOnDevice ? 14 : 22)
      let width = [1, 1, 2, 4, 8][below(5)]
      let value = ["0", "1", "-1", "127", "128", "255", "65535", "9223372036854775807"][below(8)]
      switch below(32) {
      case 0: lines.append("cut \(frame) \(1 + below(40))")
      case 1, 2, 3: lines.append("set \(frame) \(below(80)) \(width) \(value)")
      case 4, 5: lines.append("add \(frame) \(below(80)) \(width) \([1, -1, 16, -128][below(4)])")
      case 6: lines.append("insert \(frame) \(below(40)) \([1, 8, 300][below(3)]) \(below(256))")
      case 7: lines.append("drop \(frame)")
      case 8: lines.append("twice \(frame)")
      case 9: lines.append("late \(frame)")
      case 10:
        let bytes = ["00", "ff00", "0a00", "8300aa", "0501", "0100"][below(6)]
        lines.append("raw \(frame) \(bytes)")
      case 11: lines.append("bomb \(frame) \(random.next() >> 1)")
      case 12..<22: lines.append("alter \(frame) \(random.next() >> 1)")
      default: lines.append("forge \(frame) \(random.next() >> 1)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Frames

  /// The replacement of a frame, whether it is sent after the next one, and whether it differs from
  /// the frame.
  func frames(
    inPlaceOf frame: [UInt8], number: Int, _ forger: inout MessageForger
  ) -> (frames: [[UInt8]], isLate: Bool, isChanged: Bool) {
    var frame = frame
    var before: [[UInt8]] = []
    var after: [[UInt8]] = []
    var (isSent, isLate, isChanged) = (true, false, false)
    for line in lines where line.count > 1 && UInt64(line[1]) == UInt64(number) {
      isChanged = true
      switch line[0] {
      case "cut": frame.removeLast(Self.index(line, 2, below: frame.count + 1))
      case "set", "add": Self.change(&frame, line)
      case "insert":
        frame.insert(
          contentsOf: [UInt8](
            repeating: UInt8(truncatingIfNeeded: Self.number(line, 4)),
            count: Self.index(line, 3, below: Self.insertionLimit)),
          at: Self.index(line, 2, below: frame.count + 1))
      case "drop": isSent = false
      case "twice": after.append(frame)
      case "late": isLate = true
      case "alter":
        let altered = forger.altered(frame, seed: Self.number(line, 2))
        before += altered.dropLast()
        frame = altered.last ?? frame
      case "forge": after += forger.forged(seed: Self.number(line, 2))
      case "bomb": after += forger.bomb(seed: Self.number(line, 2))
      case "raw": after.append(Self.bytes(line.count > 2 ? line[2] : ""))
      default: isChanged = false
      }
    }
    return (before + (isSent ? [frame] : []) + after, isLate, isChanged)
  }

  private static func change(_ frame: inout [UInt8], _ line: [Substring]) {
    guard !frame.isEmpty else { return }
    let start = index(line, 2, below: frame.count)
    let width = max(1, index(line, 3, below: 9))
    let value = number(line, 4)
    var carry = 0
    for offset in 0..<min(width, frame.count - start) {
      let byte = Int(UInt8(truncatingIfNeeded: value >> UInt64(8 * offset)))
      let sum = line[0] == "add" ? Int(frame[start + offset]) + byte + carry : byte
      frame[start + offset] = UInt8(truncatingIfNeeded: sum)
      carry = sum >> 8
    }
  }

  // MARK: Numbers

  private static func number(_ line: [Substring], _ word: Int) -> UInt64 {
    guard word < line.count else { return 0 }
    return UInt64(line[word]) ?? Int64(line[word]).map { UInt64(bitPattern: $0) } ?? 0
  }

  private static func index(_ line: [Substring], _ word: Int, below limit: Int) -> Int {
    limit == 0 ? 0 : Int(number(line, word) % UInt64(limit))
  }

  private static func bytes(_ digits: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = digits
    while rest.count > 1, let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
