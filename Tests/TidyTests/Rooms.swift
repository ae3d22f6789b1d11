import TestSupport

/// The rooms of a module: its folders, in the order that `Sources/README.md` gives.
struct Rooms {
  let module: String
  let order: [String]
  /// The type that every room may name: it holds the parts of a whole, which belong to all rooms.
  static let hub = "_RealmContext"

  /// Reads the table of the map: a module, what it is, its rooms.
  static func all(in map: String) -> [Rooms] {
    map.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimming { $0 == " " } }
      guard line.hasPrefix("| `"), cells.count >= 2, let module = quoted(cells[0]).first else {
        return nil
      }
      return Rooms(module: module, order: quoted(cells.count > 2 ? cells[2] : ""))
    }
  }

  private static func quoted(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// The room of a file: its folder in the module; nil for a file that lies in none.
  func room(_ text: SourceTree.Text) -> String? {
    let prefix = "Sources/\(module)/"
    guard text.folder.hasPrefix(prefix) else { return nil }
    return String(text.folder.dropFirst(prefix.count))
  }

  /// The uses of a type that is declared in a later room.
  func arrowsBackwards(_ texts: [SourceTree.Text]) -> [String] {
    var declared: [Substring: String] = [:]
    for text in texts {
      for line in text.lines {
        guard let name = Self.declaredType(line), declared[name] == nil else { continue }
        declared[name] = room(text)
      }
    }
    let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    var found: Set<String> = []
    for text in texts {
      guard let own = room(text).flatMap({ places[$0] }) else { continue }
      for line in text.lines {
        for word in Self.words(line) {
          guard word != Self.hub, let place = declared[word].flatMap({ places[$0] }), place > own
          else { continue }
          found.insert("\(text.path): \(word) of \(order[place])")
        }
      }
    }
    return found.sorted()
  }

  private static let declaring: Set<Substring> = [
    "class", "struct", "enum", "protocol", "actor", "typealias",
  ]
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "final", "indirect", "open",
  ]

  /// The type that a line declares at the top level of its file.
  private static func declaredType(_ line: Substring) -> Substring? {
    guard let first = line.first, first.isLetter || first == "@" else { return nil }
    let words = line.split(separator: " ").drop { modifiers.contains($0) || $0.hasPrefix("@") }
    guard let keyword = words.first, declaring.contains(keyword) else { return nil }
    return words.dropFirst().first.map { $0.prefix { $0.isLetter || $0.isNumber || $0 == "_" } }
  }

  /// The words of a line that may name a type, without those of comments and texts.
  private static func words(_ line: Substring) -> [Substring] {
    var code = line
    if let comment = code.firstRange(of: "//") { code = code[..<comment.lowerBound] }
    let parts = code.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 0 }
    return parts.flatMap { part in
      part.element.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        .filter { $0.first { $0 != "_" }?.isUppercase == true }
    }
  }
}

extension Substring {
  /// Without characters at both ends.
  fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
    var rest = drop(while: isTrimmed)
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}
