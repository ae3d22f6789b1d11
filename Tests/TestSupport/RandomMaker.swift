/// Something that makes values as a generator of its own decides.
package protocol RandomMaker {
  var random: SplitMix64 { get set }
}

extension RandomMaker {
  /// A number from 0 up to `limit`, which is left out; 0 when there is none below it.
  package mutating func number(_ limit: Int) -> Int {
    Int.random(in: 0..<max(1, limit), using: &random)
  }

  /// One of `items`, of which there is at least one.
  package mutating func pick<Item>(_ items: [Item]) -> Item { items[number(items.count)] }

  /// Changes one to four places of a text: bytes are removed, doubled, exchanged, cut off, copied
  /// or replaced, or become one of `marks`, which mean something in the text.
  package mutating func damage(_ bytes: inout [UInt8], marks: String) {
    let marks = Array(marks.utf8)
    for _ in 0..<1 + number(4) where !bytes.isEmpty {
      let index = number(bytes.count)
      switch number(8) {
      case 0: bytes.remove(at: index)
      case 1: bytes.insert(bytes[index], at: index)
      case 2: bytes[index] = UInt8(truncatingIfNeeded: number(256))
      case 3: bytes.swapAt(index, number(bytes.count))
      case 4: bytes.removeLast(number(bytes.count))
      case 5: bytes.insert(contentsOf: Array(bytes[index...].prefix(40)), at: number(bytes.count))
      case 6: bytes[index] = pick(marks)
      default: bytes.replaceSubrange(index..<index, with: noise(9, &random))
      }
    }
  }
}
