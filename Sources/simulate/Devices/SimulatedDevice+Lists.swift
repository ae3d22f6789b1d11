#if Sync
internal import Atoll
internal import TestSupport

// Many operations on one list in a commit.

extension SimulatedDevice {
  /// The sheets whose lists get many operations: few, so that devices meet.
  private static let listKeys = ["x0", "x1", "x2"]

  /// Changes the lines of a sheet up to so many times; returns what was done.
  ///
  /// `value`: the value of the edit with a place in the commit, `first` being that of the first.
  func editList(
    _ realm: Realm, upTo count: Int, first: Int, except changed: Set<String>,
    _ value: (Int) -> String
  ) -> [DeviceEdit] {
    guard let key = Self.listKeys.randomElement(using: &random), !changed.contains(key),
      let sheet = realm.object(ofType: Sheet.self, forPrimaryKey: key)
    else { return [] }
    var edits: [DeviceEdit] = []
    for _ in 0..<Int.random(in: 1...count, using: &random) {
      editOnce(realm, sheet, key, &edits) { value(first + $0) }
    }
    edits.append(.order(key: key, values: Array(sheet.lines)))
    return edits
  }

  private func editOnce(
    _ realm: Realm, _ sheet: Sheet, _ key: String, _ edits: inout [DeviceEdit],
    _ value: (Int) -> String
  ) {
    let lines = sheet.lines
    let count = lines.count
    let place = Int.random(in: 0...count, using: &random)
    // Longer lists lose more than they get.
    let choice = Int.random(in: (count > 10 ? 5 : 0)..<16, using: &random)
    func insert(at index: Int) {
      lines.insert(value(edits.count), at: index)
      edits.append(.insert(key: key))
    }
    func remove(at index: Int) {
      edits.append(.remove(key: key, old: lines[index]))
      lines.remove(at: index)
    }
    func replace(at index: Int) {
      let old = lines[index]
      lines[index] = value(edits.count)
      edits.append(.replace(key: key, old: old))
    }
    switch choice {
    case 0, 1:
      lines.append(value(edits.count))
      edits.append(.insert(key: key))
    case 5...7 where place < count: remove(at: place)
    case 8...9 where place < count: replace(at: place)
    case 10 where place + 1 < count:
      replace(at: place)
      replace(at: place + 1)
    case 11 where place < count:
      remove(at: place)
      insert(at: place)
    case 12 where place < count:
      insert(at: place)
      replace(at: place + 1)
    case 13 where place < count:
      edits.append(.move(key: key, value: lines[place]))
      lines.move(from: place, to: Int.random(in: 0..<count, using: &random))
    case 14 where place < count:
      let other = Int.random(in: 0..<count, using: &random)
      edits.append(.move(key: key, value: lines[place]))
      edits.append(.move(key: key, value: lines[other]))
      lines.swapAt(place, other)
    case 15 where count > 0: assign(realm, sheet, key, &edits, value)
    default: insert(at: place)
    }
  }

  /// Assigns the list as a whole: some elements stay, in their order, and one is new.
  private func assign(
    _ realm: Realm, _ sheet: Sheet, _ key: String, _ edits: inout [DeviceEdit],
    _ value: (Int) -> String
  ) {
    var new: [String] = []
    for line in sheet.lines {
      if Int.random(in: 0..<4, using: &random) == 0 {
        edits.append(.remove(key: key, old: line))
      } else {
        new.append(line)
      }
    }
    new.insert(value(edits.count), at: Int.random(in: 0...new.count, using: &random))
    edits.append(.insert(key: key))
    realm.create(Sheet.self, value: ["key": key, "lines": new], update: .modified)
  }
}
#endif
