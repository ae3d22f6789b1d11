import TestSupport

/// The rooms of a module: its folders, in the order that `Sources/README.md` gives.
struct Rooms {
  let module: String
  let order: [String]
  /// Folders of a room, which need each other: the room by the folder.
  let parts: [String: String]

  /// Makes the rooms of a line of the map.
  ///
  /// `names`: a name that begins with `/` is that of a folder of the room before it.
  init(module: String, names: [String]) {
    var order: [String] = []
    var parts: [String: String] = [:]
    for name in names {
      if name.hasPrefix("/"), let room = order.last {
        parts[room + name] = room
      } else {
        order.append(name)
      }
    }
    (self.module, self.order, self.parts) = (module, order, parts)
  }

  /// All folders that the map names.
  var folders: Set<String> { Set(order).union(parts.keys) }

  /// Reads the table of the map: a module, what it is, its rooms.
  static func all(in map: String) -> [Rooms] {
    map.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimming { $0 == " " } }
      guard line.hasPrefix("| `"), cells.count >= 2, let module = quoted(cells[0]).first else {
        return nil
      }
      return Rooms(module: module, names: quoted(cells.count > 2 ? cells[2] : ""))
    }
  }

  private static func quoted(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// A folder as the map has it; nil for that of the module itself.
  func name(ofFolder folder: String) -> String? {
    let prefix = "Sources/\(module)/"
    guard folder.hasPrefix(prefix) else { return nil }
    return String(folder.dropFirst(prefix.count))
  }

  /// The room that a folder is, or is a part of; nil for files that lie in none.
  private func room(ofFolder folder: String) -> String? {
    name(ofFolder: folder).map { parts[$0] ?? $0 }
  }

  /// Finds the uses of types and members that are declared in a later room.
  ///
  /// - Parameters:
  ///   - sources: The sources of the module.
  ///   - others: Names that modules before it declare: a use may be of theirs.
  /// - Returns: A line for each, with the file and what it uses.
  func arrowsBackwards(_ sources: [SourceCode], others: Set<String> = []) -> [String] {
    let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    let placed = sources.compactMap { source -> PlacedSource? in
      room(ofFolder: source.folder).flatMap { places[$0] }.map {
        PlacedSource(source: source, place: $0)
      }
    }
    return Set(typeArrows(placed) + memberArrows(placed, others)).sorted()
  }

  /// Sources with the place of their room in the order.
  struct PlacedSource {
    let source: SourceCode
    let place: Int
  }

  // MARK: Types

  private func typeArrows(_ sources: [PlacedSource]) -> [String] {
    var declared: [String: Int] = [:]
    for source in sources {
      for line in source.source.lines {
        guard let name = Self.declaredType(line), declared[name] == nil else { continue }
        declared[name] = source.place
      }
    }
    return sources.flatMap { source in
      source.source.lines.flatMap(\.words).compactMap { word in
        guard let place = declared[word.text], place > source.place else { return nil }
        return "\(source.source.path): \(word.text) of \(order[place])"
      }
    }
  }

  private static let declaring: Set = ["class", "struct", "enum", "protocol", "actor", "typealias"]

  /// The type that a line declares at the top level of its file.
  private static func declaredType(_ line: SourceCode.Line) -> String? {
    guard line.indentation == 0, line.beginsWithWord else { return nil }
    let words = line.words.map(\.text)
    guard let keyword = words.firstIndex(where: declaring.contains),
      !words[..<keyword].contains(where: isKeyword),
      let name = words.dropFirst(keyword + 1).first,
      name.drop(while: { $0 == "_" }).first?.isUppercase == true
    else { return nil }
    return name
  }

  /// Whether what follows is no type: `extension`, a function.
  private static func isKeyword(_ word: String) -> Bool {
    ["extension", "func", "let", "var", "import"].contains(word)
  }

  // MARK: Members

  /// The uses of members of which no declaration lies in the room of the use or before it, whatever
  /// the room of their type.
  ///
  /// By name alone: two members of one name in different rooms hide each other.
  private func memberArrows(_ sources: [PlacedSource], _ others: Set<String>) -> [String] {
    var earliest: [String: Int] = [:]
    var members: Set<String> = []
    for source in sources {
      for line in source.source.lines {
        for name in line.declaredNames {
          earliest[name] = min(earliest[name] ?? source.place, source.place)
        }
        if line.indentation == 2, !line.has("private"), !line.has("fileprivate") {
          members.formUnion(line.declaredMembers)
        }
      }
    }
    members.subtract(others.union(Self.standardNames))
    return sources.flatMap { source in
      source.source.lines.flatMap(\.words).compactMap { word in
        guard word.followsPoint, members.contains(word.text), let place = earliest[word.text],
          place > source.place
        else { return nil }
        return "\(source.source.path): .\(word.text) of \(order[place])"
      }
    }
  }

  /// Names that a type of a library has, too, so that a use says nothing of the module's own member.
  private static let standardNames: Set = [
    "add", "append", "boolValue", "contains", "decimalValue", "elementsEqual", "endIndex", "filter",
    "first", "inserted", "isCancelled", "key", "keys", "min", "newValue", "next", "oldValue",
    "resume", "size", "sort", "split", "startIndex", "updateValue", "values", "zero",
  ]
}

extension Substring {
  /// Without characters at both ends.
  fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
    var rest = drop(while: isTrimmed)
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}
