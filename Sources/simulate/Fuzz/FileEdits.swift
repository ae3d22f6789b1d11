internal import AtollStorage
internal import TestSupport

/// Changes to a sample file as a text, one a line, that a fuzzer makes and a person can read.
///
///     sample 3            the file to change: 0 (the default) and 1 are small, the others those of
///                         `SampleFile`; odd ones are encrypted
///     salvage             salvage it too if it can be opened
///     set 7 16 4 255      page 7: the 4 bytes at 16 of its payload become 255
///     add 7 16 4 -1       page 7: the number there becomes less by one
///     length 7 -16        page 7: the payload becomes shorter by 16 bytes
///     header 7 9 1        page 7: byte 9 of the page becomes 1, as the page lies in the file
///     child 7 2 5         page 7: its reference 2 leads to where its reference 5 leads
///     slot 1 56 8 0       header slot 1: the 8 bytes at 56 of its content become 0
///     raw 8192 4 0        the 4 bytes at 8192 of the file, when all else is done
///
/// All but the last are sealed: the changed page is encrypted, and its checksum and that of every
/// page up to the header are recomputed. (A reference that `child` copies keeps the checksum that
/// it has.) Invalid lines are ignored, and numbers beyond the end wrap around to zero, because a
/// fuzzer learns nothing from an input that is refused.
struct FileEdits {
  private let lines: [[Substring]]

  /// More lines than this are not read.
  private static let lineLimit = 64

  init(_ input: [UInt8]) {
    lines = String(decoding: input, as: UTF8.self).split(separator: "\n").prefix(Self.lineLimit)
      .map { $0.split(separator: " ") }
  }

  static let sampleCount = 2 + SampleFile.count

  /// The number of the file to change.
  var sample: Int {
    lines.last { $0.first == "sample" }.map { Self.index($0, 1, below: Self.sampleCount) } ?? 0
  }

  static func makeSample(_ number: Int) throws -> SampleFile {
    number < 2 ? try .small(isEncrypted: number == 1) : try SampleFile(number: number - 2)
  }

  /// Whether a checksum tells of every change.
  var isTold: Bool {
    lines.allSatisfy { line in
      !["set", "add", "length", "header", "child", "slot"].contains(line.first)
    }
  }

  var isSalvagedAnyway: Bool { lines.contains { $0.first == "salvage" } }

  /// The changed file; nil when a page no longer fits into its blocks.
  func apply(to sample: FileImage) -> [UInt8]? {
    var image = sample
    var changed: Set<Int> = []
    for line in lines {
      switch line.first {
      case "set", "add", "length", "header", "child":
        let page = Self.index(line, 1, below: image.nodes.count)
        Self.edit(line, page, &image)
        changed.insert(page)
      case "slot":
        let slot = Self.index(line, 1, below: image.slots.count)
        image.slotPatches.append(
          .init(
            slot: slot, byteOffset: Self.index(line, 2, below: HeaderSlot.contentByteCount),
            bytes: Self.bytes(line, width: 3, value: 4)))
      default: break
      }
    }
    guard var bytes = image.sealed(changed: changed) else { return nil }
    for line in lines where line.first == "raw" {
      let start = Self.index(line, 1, below: bytes.count)
      for (offset, byte) in Self.bytes(line, width: 2, value: 3).enumerated()
      where start + offset < bytes.count { bytes[start + offset] = byte }
    }
    return bytes
  }

  private static func edit(_ line: [Substring], _ page: Int, _ image: inout FileImage) {
    var node = image.nodes[page]
    switch line[0] {
    case "set", "add":
      let start = index(line, 2, below: node.payload.count)
      var new = bytes(line, width: 3, value: 4).prefix(node.payload.count - start)
      if line[0] == "add" {
        var carry = 0
        for offset in new.indices {
          carry += Int(new[offset]) + Int(node.payload[start + offset])
          new[offset] = UInt8(truncatingIfNeeded: carry)
          carry >>= 8
        }
      }
      node.payload.replaceSubrange(start..<start + new.count, with: new)
    case "length":
      let change = Int(truncatingIfNeeded: number(line, 2)) % 4096
      if change < 0 {
        node.payload.removeLast(min(-change, node.payload.count))
      } else {
        node.payload += [UInt8](repeating: 0, count: change)
      }
      node.header.logicalByteCount = UInt32(node.payload.count)
    case "header":
      node.patch = (
        index(line, 2, below: node.reference.run.byteCount),
        UInt8(truncatingIfNeeded: number(line, 3))
      )
    default:
      let places = image.references(in: page)
      guard !places.isEmpty else { return }
      let target = places[index(line, 2, below: places.count)]
      let source = places[index(line, 3, below: places.count)]
      guard source + PageReference.byteCount <= node.payload.count,
        target + PageReference.byteCount <= node.payload.count
      else { return }
      node.payload.replaceSubrange(
        target..<target + PageReference.byteCount,
        with: Array(node.payload[source..<source + PageReference.byteCount]))
    }
    image.nodes[page] = node
  }

  // MARK: Numbers

  private static func number(_ line: [Substring], _ word: Int) -> UInt64 {
    guard word < line.count else { return 0 }
    return UInt64(line[word]) ?? Int64(line[word]).map { UInt64(bitPattern: $0) } ?? 0
  }

  private static func index(_ line: [Substring], _ word: Int, below limit: Int) -> Int {
    limit == 0 ? 0 : Int(number(line, word) % UInt64(limit))
  }

  /// The one to eight low bytes of a number, the lowest first.
  private static func bytes(_ line: [Substring], width: Int, value: Int) -> [UInt8] {
    let number = number(line, value)
    return (0..<max(1, index(line, width, below: 9))).map {
      UInt8(truncatingIfNeeded: number >> UInt64(8 * $0))
    }
  }
}
