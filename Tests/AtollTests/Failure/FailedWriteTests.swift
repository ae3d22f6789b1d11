import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

/// A write that meets a failure throws it at its end, and nothing of it is left.
@Suite(.computing) struct FailedWriteTests {
  private let file: DamagedFile
  private let realm: Realm
  /// Ten objects that cannot be read from the damage on.
  private let sheets: [Sheet]

  init() throws {
    let file = try DamagedFile()
    let realm = try file.realm()
    let stone = try #require(realm.objects(Stone.self).last)
    (self.file, self.realm, sheets) = (file, realm, Array(stone.sheets))
    try file.damage()
  }

  /// The changes of damaged objects, each of which makes its write fail.
  private static var changes: [(name: String, change: (Realm, [Sheet]) -> Void)] {
    [
      ("read", { _, sheets in _ = sheets[0].text }),
      ("set", { _, sheets in sheets[0].text = "new" }),
      ("set in turn", { _, sheets in for sheet in sheets { sheet.size += 1 } }),
      ("increment", { _, sheets in sheets[0].increment(\.size, by: 2) }),
      ("link", { _, sheets in sheets[0].next = sheets[1] }),
      ("key", { _, sheets in sheets[0].number = 1 }),
      ("mixed", { _, sheets in sheets[0].any = .fromArray([.int(1)]) }),
      ("append", { _, sheets in sheets[0].words.append("new") }),
      ("element", { _, sheets in sheets[0].words[1] = "new" }),
      ("remove", { _, sheets in sheets[0].words.remove(at: 1) }),
      ("removeLast", { _, sheets in sheets[0].words.removeLast(2) }),
      ("remove from", { _, sheets in sheets[0].words.removeSubrange(1...) }),
      ("replace", { _, sheets in sheets[0].words.replaceSubrange(0..<2, with: ["x"]) }),
      ("move", { _, sheets in sheets[0].words.move(from: 1, to: 0) }),
      ("swap", { _, sheets in sheets[0].words.swapAt(0, 1) }),
      ("sort", { _, sheets in sheets[0].words.sort() }),
      ("reverse", { _, sheets in sheets[0].words.reverse() }),
      ("offsets", { _, sheets in sheets[0].words.remove(atOffsets: [0, 1]) }),
      ("removeAll", { _, sheets in sheets[0].words.removeAll() }),
      ("assign", { _, sheets in sheets[0].words = List() }),
      ("insert", { _, sheets in sheets[0].numbers.insert(7) }),
      ("remove member", { _, sheets in sheets[0].numbers.remove(1) }),
      ("union", { _, sheets in sheets[0].numbers.formUnion(sheets[1].numbers) }),
      ("entry", { _, sheets in sheets[0].byName["new"] = 7 }),
      ("remove entry", { _, sheets in sheets[0].byName["n"] = nil }),
      ("merge", { _, sheets in sheets[0].byName.merge(sheets[1].byName) { $1 } }),
      ("embed", { _, sheets in sheets[0].label = SheetLabel() }),
      ("embedded", { _, sheets in sheets[0].label?.text = "new" }),
      ("add", { realm, _ in realm.add(Sheet(value: ["number": 1])) }),
      (
        "update",
        { realm, _ in
          realm.create(Sheet.self, value: ["number": 3, "size": 8], update: .modified)
        }
      ),
      (
        "copy",
        { realm, sheets in
          realm.create(Stone.self, value: ["number": 20, "text": sheets[2].text])
        }
      ),
      ("delete", { realm, sheets in realm.delete(sheets[9]) }),
      ("delete results", { realm, _ in realm.delete(realm.objects(Sheet.self)) }),
      ("deleteAll", { realm, _ in realm.deleteAll() }),
      ("key path", { realm, _ in realm.objects(Sheet.self).setValue("x", forKey: "text") }),
    ]
  }

  @Test func eachChangeMakesItsWriteThrow() throws {
    for (name, change) in Self.changes {
      var isEnded = false
      let error = #expect(throws: Realm.Error.self, "\(name)") {
        try realm.write {
          realm.create(Stone.self, value: ["number": 99])
          change(realm, sheets)
          isEnded = true
        }
      }
      #expect(isEnded && error?.code == .invalidDatabase, "\(name)")
      #expect(!realm.isInWriteTransaction && realm.objects(Stone.self).count == 10, "\(name)")
    }
    // Each was thrown, so that nobody is told.
    #expect(file.told.count == 0)
    try realm.write { realm.create(Stone.self, value: ["number": 99]) }
    #expect(realm.objects(Stone.self).count == 11)
    try file.mend()
    // An instance that was given to `delete` is of no use, whatever becomes of the write.
    let kept = sheets.dropLast()
    #expect(sheets[9].isInvalidated && !kept.contains(where: \.isInvalidated))
    #expect(kept.map(\.size) == Array(1...9) && Array(sheets[1].words) == ["a", "2"])
    try realm.write { for sheet in kept { sheet.size += 1 } }
    #expect(kept.map(\.size) == Array(2...10))
    #expect(realm.object(ofType: Sheet.self, forPrimaryKey: 10)?.size == 10)
  }

  /// What cannot be read is changed by nobody, nor linked to.
  @Test func elementsThatCannotBeReadMakeTheWriteThrow() throws {
    let all = realm.objects(Sheet.self)
    #expect(all.count == DamagedFile.count)
    let unreadable = try #require(Array(all).first)
    try file.mend()
    let stone = try #require(realm.objects(Stone.self).first)
    let told = file.told.count
    let changes: [(String, () -> Void)] = [
      ("set", { unreadable.text = "new" }), ("append", { unreadable.words.append("new") }),
      ("entry", { unreadable.byName["a"] = 1 }), ("embed", { unreadable.label = SheetLabel() }),
      ("increment", { unreadable.increment(\.size) }), ("link", { stone.sheet = unreadable }),
      ("list", { stone.sheets.append(unreadable) }),
      ("own list", { unreadable.sheets.append(sheets[0]) }),
      ("mixed", { sheets[0].any = .object(unreadable) }), ("add", { realm.add(unreadable) }),
      ("delete", { realm.delete(unreadable) }), ("read", { stone.text = unreadable.text }),
      ("open range", { unreadable.words.removeSubrange(1...) }),
      ("ask", { _ = unreadable.sheets.where { $0.size > 0 }.count }),
      ("copy", { realm.create(Sheet.self, value: unreadable, update: .error) }),
      ("value", { realm.create(Stone.self, value: ["number": 50, "sheet": unreadable]) }),
    ]
    for (name, change) in changes {
      let error = #expect(throws: Realm.Error.self, "\(name)") { try realm.write { change() } }
      #expect(error?.code == .invalidDatabase, "\(name)")
      #expect(!unreadable.isInvalidated)
    }
    #expect(file.told.count == told && stone.sheet?.number == 1 && stone.sheets.count == 1)
    #expect(all.count == DamagedFile.count)
  }

  /// An object that could not be added is none from the end of the write on.
  @Test func whatCannotBeAddedIsInvalidAfterwards() throws {
    let sheet = Sheet(value: ["number": 3, "text": "new"])
    #expect(throws: Realm.Error.self) {
      try realm.write {
        realm.add(sheet)
        #expect(sheet.realm != nil && !sheet.isInvalidated)
      }
    }
    #expect(sheet.isInvalidated && file.told.count == 0)
  }

  /// What a failure has left half done is not worked on.
  @Test func afterAChangeThatFailedNothingIsChanged() throws {
    let stone = try #require(realm.objects(Stone.self).first)
    #expect(throws: Realm.Error.self) {
      try realm.write {
        stone.text = "before"
        sheets[0].text = "new"
        stone.text = "after"
        realm.delete(stone)
        #expect(stone.text == "before" && !stone.isInvalidated)
      }
    }
    #expect(stone.text == "stone 1" && file.told.count == 0)
  }

  // MARK: Other realms

  @Test func readsOfOtherRealmsInTheWriteMakeItThrowToo() throws {
    let frozen = sheets[0].freeze()
    let told = file.told.during {
      #expect(throws: Realm.Error.self) {
        try realm.write { realm.create(Stone.self, value: ["number": 30, "text": frozen.text]) }
      }
    }
    // The frozen realm has told of it, as it has no write.
    #expect(told == 1 && realm.objects(Stone.self).count == 10)
    // It was the failure of that write.
    try realm.write { realm.create(Stone.self, value: ["number": 30]) }
    _ = frozen.text
    try realm.write { realm.create(Stone.self, value: ["number": 31]) }
    #expect(realm.objects(Stone.self).count == 12)
  }
}
