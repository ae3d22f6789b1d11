import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

/// What is read of damaged pages is nothing, and is told; it is read again when the disk is right.
@Suite(.computing) struct FailedReadTests {
  private let file: DamagedFile

  init() throws { file = try DamagedFile() }

  /// The reads of a property of each kind, each of which gives nothing when the file fails.
  private static var reads: [(name: String, isNothing: (Sheet) -> Bool)] {
    [
      ("text", { $0.text.isEmpty }), ("size", { $0.size == 0 }), ("isOpen", { !$0.isOpen }),
      ("weight", { $0.weight == 0 }), ("day", { $0.day == Date(timeIntervalSince1970: 0) }),
      ("bytes", { $0.bytes.isEmpty }), ("note", { $0.note == nil }), ("any", { $0.any == .none }),
      ("next", { $0.next == nil }), ("label", { $0.label == nil }),
      ("words", { Array($0.words).isEmpty }), ("words.count", { $0.words.count == 0 }),
      ("sheets", { Array($0.sheets).isEmpty }), ("sheets.first", { $0.sheets.first == nil }),
      ("numbers", { Array($0.numbers).isEmpty }), ("contains", { !$0.numbers.contains($0.number) }),
      ("byName", { $0.byName.values.isEmpty }), ("byName[n]", { $0.byName["n"] == nil }),
      ("byName.keys", { $0.byName.keys.isEmpty }), ("previous", { Array($0.previous).isEmpty }),
      ("words.sorted", { $0.words.sorted(ascending: true).isEmpty }),
      ("sheets.where", { $0.sheets.where { $0.size > 0 }.isEmpty }),
      ("dynamic", { $0["text"] as? String == "" }),
    ]
  }

  @Test func ofLiveObjects() throws {
    let stones = try file.realm().objects(Stone.self)
    let sheets = Array(try #require(stones.last).sheets)
    try file.damage()
    for (name, isNothing) in Self.reads {
      let sheet = try #require(sheets.first)
      let told = file.told.during { #expect(isNothing(sheet), "\(name)") }
      #expect(told > 0, "\(name)")
      #expect(!sheet.isInvalidated)
    }
    for failure in file.told.all {
      #expect(failure.code == .invalidDatabase && failure.fileURL == file.configuration.fileURL)
    }
    // Nothing of it was kept.
    try file.mend()
    let told = file.told.during {
      for (name, isNothing) in Self.reads { #expect(!isNothing(sheets[1]), "\(name)") }
    }
    #expect(told == 0)
  }

  @Test func ofFrozenObjectsOnManyThreads() throws {
    let stones = try file.realm().freeze().objects(Stone.self)
    let sheets = Array(try #require(stones.last).sheets)
    try file.damage()
    let sheet = sheets[1]
    // What is frozen may be read by any thread.
    nonisolated(unsafe) let read = sheet
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for (name, isNothing) in Self.reads { #expect(isNothing(read), "\(name)") }
    }
    #expect(file.told.count >= 4 * Self.reads.count)
    try file.mend()
    let told = file.told.during {
      for (name, isNothing) in Self.reads { #expect(!isNothing(sheet), "\(name)") }
    }
    #expect(told == 0)
  }

  @Test(arguments: [false, true]) func ofResults(isFrozen: Bool) throws {
    let realm = try isFrozen ? file.realm().freeze() : file.realm()
    let all = realm.objects(Sheet.self)
    try file.damage()
    // All of them, which takes a look at each.
    let some = all.where { $0.text.contains("-") }
    let asked: [(String, () -> Bool)] = [
      ("isEmpty", { some.isEmpty }), ("first", { some.first == nil }),
      ("count", { some.count == 0 }), ("array", { Array(some).isEmpty }),
      ("last", { some.last == nil }), ("where", { some.where { $0.size > 7 }.count == 0 }),
      ("filter", { some.filter("weight > 1").first == nil }),
      ("sorted", { some.sorted(byKeyPath: "text").first == nil }),
      ("distinct", { Array(some.distinct(by: ["text"])).isEmpty }),
      ("sum", { some.sum(ofProperty: "size") == 0 }),
      ("max", { (some.max(ofProperty: "size") as Int?) == nil }),
      ("average", { (some.average(ofProperty: "size") as Double?) == nil }),
      ("index", { some.index(matching: "size == 7") == nil }),
      ("key", { realm.object(ofType: Sheet.self, forPrimaryKey: 7) == nil }),
    ]
    for (name, isNothing) in asked {
      let told = file.told.during { #expect(isNothing(), "\(name)") }
      #expect(told > 0, "\(name)")
    }
    try file.mend()
    let told = file.told.during {
      for (name, isNothing) in asked { #expect(!isNothing(), "\(name)") }
      #expect(all.count == DamagedFile.count && Array(all).count == DamagedFile.count)
    }
    #expect(told == 0)
  }

  /// A loop over fewer elements than the collection has said would end the process.
  @Test(arguments: [false, true])
  func aCollectionWhoseElementsCannotBeReadHasElementsOfItsOwnKind(isFrozen: Bool) throws {
    let realm = try isFrozen ? file.realm().freeze() : file.realm()
    let all = realm.objects(Sheet.self)
    #expect(all.count == DamagedFile.count)
    try file.damage()
    let elements = Array(all)
    #expect(elements.count == DamagedFile.count && file.told.count > 0)
    let sheet = try #require(elements.first)
    let told = file.told.during {
      #expect(!sheet.isInvalidated && sheet.realm != nil)
      #expect(sheet.text.isEmpty && sheet.size == 0 && sheet.next == nil && sheet.words.isEmpty)
      #expect(sheet.previous.isEmpty && sheet.byName.count == 0 && sheet.label == nil)
      #expect(sheet == sheet && sheet != elements[1] && !sheet.isSameObject(as: elements[1]))
      #expect(sheet.description.contains("Sheet"))
      #expect(sheet.freeze().text.isEmpty && sheet.freeze().isFrozen)
    }
    #expect(told == 0)
    try file.mend()
    #expect(Array(all).last?.size == DamagedFile.count)
    #expect(sheet.text.isEmpty)
  }

  /// An index was right if the number of elements could be read.
  @Test func whatFollowsFromAFailureIsNoMisuse() throws {
    let realm = try file.realm()
    let sheet = try #require(realm.objects(Stone.self).first?.sheets.first)
    try file.damage()
    #expect(sheet.words.count == 0 && file.told.count > 0)
    #expect(sheet.words[1].isEmpty && sheet.sheets[0].text.isEmpty && sheet.numbers[0] == 0)
    #expect(sheet.words[0..<2].count == 2 && sheet.words[0..<2][1].isEmpty)
    #expect(realm.objects(Sheet.self).where { $0.size > 0 }[3].size == 0)
    #expect(sheet.previous[0].text.isEmpty)
  }

  @Test func theHealthyClassGoesOn() throws {
    let realm = try file.realm()
    let stones = realm.objects(Stone.self)
    try file.damage()
    let told = file.told.during {
      #expect(stones.where { $0.number > 5 }.count == 5)
      #expect(stones.map(\.text).contains("stone 7"))
      #expect(stones[4].sheets.count == 5)
    }
    #expect(told == 0)
    try realm.write { realm.create(Stone.self, value: ["number": 11, "text": "new"]) }
    #expect(stones.count == 11 && file.told.count == 0)
  }
}
