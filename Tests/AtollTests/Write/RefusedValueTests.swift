import Atoll
import Foundation
import TestThreads
import Testing

private final class Tag: Object {
  @Persisted(primaryKey: true) var name = ""
  @Persisted(indexed: true) var text = ""
  @Persisted var date = Date(timeIntervalSince1970: 0)
  @Persisted var dates: List<Date>
  @Persisted var any: AnyRealmValue
  @Persisted var next: Tag?
  @Persisted var label: TagLabel?
  @Persisted var labels: List<TagLabel>
  @Persisted var byName: Map<String, TagLabel?>
}

private final class TagLabel: EmbeddedObject {
  @Persisted(indexed: true) var text = ""
  @Persisted var number = 0
}

/// Values that no property holds: the write throws, or the process ends with a sentence.
@Suite(.waiting) struct RefusedValueTests {
  private static let long = String(repeating: "x", count: 65_534)
  private static let longest = String(repeating: "x", count: 65_533)

  private static func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Tag.self, TagLabel.self]))
  }

  /// What a write throws; nothing of it remains.
  private static func refusal(_ realm: Realm, _ body: () -> Void) -> String {
    do {
      try realm.write(body)
      return ""
    } catch { return "\(error)" }
  }

  @Test func aWriteThrowsWhenAValueIsTooLongForItsIndex() throws {
    let realm = try Self.realm()
    let tag = Tag()
    tag.name = Self.longest
    tag.text = Self.longest
    try realm.write { realm.add(tag) }
    let limit = "a value of 65534 bytes is too large for Tag.text, which takes 65533 at most"
    let refusedSetting = Self.refusal(realm) {
      tag.text = Self.long
      // It goes on as if nothing had been set.
      #expect(tag.text == Self.longest)
      tag.any = .int(1)
    }
    #expect(refusedSetting.contains(limit))
    #expect(tag.text == Self.longest && tag.any == .none)
    let refusedObject = Self.refusal(realm) {
      let other = Tag(value: ["name": "other", "text": Self.long])
      realm.add(other)
      #expect(other.realm != nil)
    }
    #expect(refusedObject.contains(limit))
    #expect(
      Self.refusal(realm) {
        realm.create(Tag.self, value: ["name": Self.longest, "text": Self.long], update: .all)
      }.contains(limit))
    #expect(realm.objects(Tag.self).count == 1)
    try realm.write { tag.text = "short" }
    #expect(realm.objects(Tag.self).where { $0.text == "short" }.count == 1)
  }

  /// Deletions that are not settled yet, and reads and changes that settle them, come after it.
  @Test func aWriteGoesOnAfterAValueThatIsRefused() throws {
    let realm = try Self.realm()
    let tags = (0..<4).map { Tag(value: ["name": "\($0)"]) }
    try realm.write {
      realm.add(tags)
      tags[0].next = tags[1]
    }
    let refusal = Self.refusal(realm) {
      realm.delete(tags[1])
      tags[0].text = Self.long
      #expect(tags[0].next == nil)
      realm.delete(tags[2])
      #expect(realm.objects(Tag.self).count == 2)
      #expect(realm.objects(Tag.self).where { $0.next != nil }.isEmpty)
      tags[0].next = tags[3]
      realm.create(Tag.self, value: ["name": "4"])
      tags[0].labels.append(TagLabel())
      realm.deleteAll()
      #expect(realm.objects(Tag.self).isEmpty)
    }
    #expect(refusal.contains("Tag.text"))
    #expect(realm.objects(Tag.self).count == 4 && tags[0].next == tags[1])
  }

  @Test func embeddedObjectsAreMadeWithoutTheValueThatIsRefused() throws {
    let realm = try Self.realm()
    let tag = Tag(value: ["name": "a"])
    try realm.write { realm.add(tag) }
    func long() -> TagLabel { TagLabel(value: ["text": Self.long, "number": 7]) }
    let changes: [(Tag) -> TagLabel?] = [
      { tag in
        tag.label = long()
        return tag.label
      },
      { tag in
        tag.labels.append(long())
        return tag.labels.first
      },
      { tag in
        tag.labels.insert(long(), at: 0)
        return tag.labels.first
      },
      { tag in
        tag.byName["k"] = long()
        return tag.byName["k"] ?? nil
      },
      { tag in
        let other = Tag(value: ["name": "b"])
        other.label = long()
        tag.realm?.add(other)
        return other.label
      },
    ]
    for change in changes {
      let refusal = Self.refusal(realm) {
        let label = change(tag)
        #expect(label?.number == 7 && label?.text == "")
      }
      #expect(refusal.contains("TagLabel.text"))
    }
    #expect(tag.label == nil && tag.labels.isEmpty && tag.byName.count == 0)
    #expect(realm.objects(Tag.self).count == 1)
  }

  @Test func aKeyThatIsTooLongEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try RefusedValueTests.realm()
      try realm.write { realm.create(Tag.self, value: ["name": RefusedValueTests.long]) }
    }
  }

  @Test func aDateThatIsNoMomentEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let realm = try RefusedValueTests.realm()
      try realm.write {
        realm.create(Tag.self, value: ["name": "a"]).date = Date(timeIntervalSince1970: .nan)
      }
    }
    await #expect(processExitsWith: .failure) {
      let realm = try RefusedValueTests.realm()
      try realm.write {
        realm.create(Tag.self, value: ["name": "a"]).dates.append(
          Date(timeIntervalSince1970: 9.3e18))
      }
    }
    await #expect(processExitsWith: .failure) {
      let realm = try RefusedValueTests.realm()
      let tag = Tag()
      tag.any = .date(Date(timeIntervalSince1970: -.infinity))
      try realm.write { realm.add(tag) }
    }
  }

  /// All others keep what they are, and a query compares with infinity as with the end of time.
  @Test func datesToTheEndsOfTimeAreKept() throws {
    let realm = try Self.realm()
    for (index, seconds) in [0, -9.2e18, 9.2e18, 1.5, -62_135_596_800.25].enumerated() {
      let date = Date(timeIntervalSince1970: seconds)
      try realm.write {
        realm.create(Tag.self, value: ["name": "\(index)"]).date = date
      }
      let found = try #require(realm.object(ofType: Tag.self, forPrimaryKey: "\(index)")).date
      #expect(found == date)
    }
    let end = Date(timeIntervalSince1970: .infinity)
    #expect(realm.objects(Tag.self).where { $0.date < end }.count == 5)
    #expect(realm.objects(Tag.self).filter("date > %@", end).count == 0)
    #expect(
      realm.objects(Tag.self).filter("date < $0", Date(timeIntervalSince1970: -.infinity)).count
        == 0)
  }

  @Test func aDateThatNoFileHoldsIsFoundNowhere() throws {
    let realm = try Self.realm()
    let moment = Date(timeIntervalSince1970: 0)
    try realm.write {
      let tag = realm.create(Tag.self, value: ["name": "a"])
      tag.dates.append(moment)
      tag.any = .date(moment)
    }
    let tags = realm.objects(Tag.self)
    let dates = tags[0].dates
    for seconds in [Double.infinity, -.infinity, .nan, 9.3e18] {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(dates.index(of: date) == nil)
      #expect(tags.where { $0.date == date }.isEmpty)
      #expect(tags.where { $0.date != date }.count == 1)
      #expect(tags.where { $0.date.in([date]) }.isEmpty)
      #expect(tags.where { $0.dates.contains(date) }.isEmpty)
      #expect(tags.where { $0.any == .date(date) }.isEmpty)
      #expect(tags.where { $0.any != .date(date) }.count == 1)
      #expect(tags.where { $0.any == .fromArray([.date(date)]) }.isEmpty)
    }
    let (end, none) = (Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan))
    #expect(tags.where { $0.date <= end }.count == 1 && tags.where { $0.date >= end }.isEmpty)
    #expect(tags.where { $0.any < .date(end) }.count == 1)
    #expect(tags.where { $0.date <= none }.isEmpty && tags.where { $0.date >= none }.isEmpty)
    #expect(tags.where { $0.date < none }.isEmpty && tags.where { $0.date > none }.isEmpty)
  }
}
