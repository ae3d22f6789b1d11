internal import AtollStorage
internal import TestSupport

/// Damage to the bytes of a file as they lie there: what disks and foreign programs do.
///
/// Nothing is sealed again, so every kind must be detected by a checksum or change no answer.
enum RawDamage: CaseIterable {
  case randomBytes
  case bitFlips
  case oneByte
  case zeroedBlocks
  case copiedBlock
  case swappedBlocks
  case movedBytes
  case truncation
  case appendedBytes

  static func apply(to bytes: inout [UInt8], _ random: inout SplitMix64) {
    for _ in 0..<(number(4, &random) == 0 ? 2 : 1) {
      guard bytes.count > 64 else { return }
      (allCases.randomElement(using: &random) ?? .oneByte).damage(&bytes, &random)
    }
  }

  private static func number(_ limit: Int, _ random: inout SplitMix64) -> Int {
    Int.random(in: 0..<max(1, limit), using: &random)
  }

  private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let blockCount = max(1, bytes.count / Block.byteCount)
    func block(_ random: inout SplitMix64) -> Range<Int> {
      let start = Self.number(blockCount, &random) * Block.byteCount
      return start..<min(bytes.count, start + Block.byteCount)
    }
    switch self {
    case .randomBytes:
      let start = Self.number(bytes.count, &random)
      let end = min(bytes.count, start + 1 + Self.number(200, &random))
      bytes.replaceSubrange(start..<end, with: noise(end - start, &random))
    case .bitFlips:
      for _ in 0...Self.number(8, &random) {
        bytes[Self.number(bytes.count, &random)] ^= 1 << UInt8(Self.number(8, &random))
      }
    case .oneByte:
      // Half of them where a page or a slot begins.
      let offset =
        Self.number(2, &random) == 0
        ? Self.number(bytes.count, &random)
        : min(bytes.count - 1, block(&random).lowerBound + Self.number(64, &random))
      bytes[offset] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
    case .zeroedBlocks:
      let run = block(&random)
      bytes.replaceSubrange(run, with: repeatElement(0, count: run.count))
    case .copiedBlock:
      let (source, target) = (block(&random), block(&random))
      let count = min(source.count, target.count)
      bytes.replaceSubrange(
        target.lowerBound..<target.lowerBound + count,
        with: Array(bytes[source.lowerBound..<source.lowerBound + count]))
    case .swappedBlocks:
      let (first, second) = (block(&random), block(&random))
      guard first.count == second.count else { return }
      let (a, b) = (Array(bytes[first]), Array(bytes[second]))
      bytes.replaceSubrange(first, with: b)
      bytes.replaceSubrange(second, with: a)
    case .movedBytes:
      let start = Self.number(bytes.count - 16, &random)
      let count = min(bytes.count - start, 1 + Self.number(64, &random))
      let target = Self.number(bytes.count - count, &random)
      bytes.replaceSubrange(target..<target + count, with: Array(bytes[start..<start + count]))
    case .truncation:
      let cut =
        Self.number(2, &random) == 0
        ? Self.number(bytes.count, &random) : bytes.count - Self.number(9000, &random)
      bytes.removeLast(bytes.count - max(0, cut))
    case .appendedBytes:
      let count = 1 + Self.number(9000, &random)
      bytes +=
        Self.number(2, &random) == 0
        ? noise(count, &random) : [UInt8](repeating: 0, count: count)
    }
  }
}
