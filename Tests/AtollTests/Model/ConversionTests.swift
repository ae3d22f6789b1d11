import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

/// A type with another text form, as `URL` is in many applications.
private struct Web: FailableCustomPersistable, Hashable {
  let url: URL

  init?(persistedValue: String) {
    guard let url = URL(string: persistedValue), url.scheme != nil else { return nil }
    self.url = url
  }

  var persistableValue: String { url.absoluteString }
}

private class Link: Object {
  @Persisted var url: Web?
  @Persisted var urls: List<Web?>
}

/// Of a string with two letters at least.
private struct Badge: FailableCustomPersistable, Hashable {
  let text: String

  init?(persistedValue: String) {
    guard persistedValue.count >= 2 else { return nil }
    text = persistedValue
  }

  init(_ text: String) { self.text = text }
  var persistableValue: String { text }
}

private class Page: Object {
  @Persisted var name: String
  @Persisted var badge = Badge("default")
  @Persisted var optional: Badge?
  @Persisted var badges: List<Badge?>
  @Persisted var size: Size?
  @Persisted var sizes: List<Size?>
  @Persisted var code: Code?
  @Persisted var friends: List<Page>
  @Persisted var owner: Page?
  @Persisted var tags: List<String>
  @Persisted var others: Map<String, Page?>
  @Persisted var set: MutableSet<Page>
  @Persisted(originProperty: "friends") var fans: LinkingObjects<Page>
}

private class Wallet: Object {
  @Persisted var badges: List<Badge>
  @Persisted var kinds: MutableSet<Badge>
  @Persisted var byName: Map<String, Badge>
}

private class RawPage: Object {
  @Persisted var name: String
  @Persisted var badge: String
  @Persisted var optional: String?
  override class func _realmObjectName() -> String? { "Page" }
}

private class Stamped: Object, Codable {
  @Persisted var date: Date
  @Persisted var data: Data
  @Persisted var optionalDate: Date?
  @Persisted var optionalData: Data?
  @Persisted var dates: List<Date>
  @Persisted var datas: List<Data>
  @Persisted var dateSet: MutableSet<Date>
  @Persisted var dataMap: Map<String, Data>
  @Persisted var inner: StampedPart?
  @Persisted var parts: List<StampedPart>
  @Persisted var number: Double
}

private class StampedPart: EmbeddedObject, Codable {
  @Persisted var date: Date
  @Persisted var data: Data
}

@Suite(.waiting) struct ConversionTests {
  @Test func whatMeansNoneOfATypesValuesIsNil() throws {
    let realm = try makeRealm()
    let page = Page(value: [
      "badge": "ab", "optional": "x", "badges": ["abc", "y", nil] as [String?], "size": "huge",
      "sizes": ["small", "huge"], "code": "c",
    ])
    func check() {
      #expect(page.badge.text == "ab" && page.optional == nil && page.size == nil)
      #expect(page.badges.map { $0?.text } == ["abc", nil, nil] && page.code?.text == "c")
      #expect(Array(page.sizes) == [.small, nil])
    }
    check()
    try realm.write { realm.add(page) }
    check()
    try realm.write {
      page["optional"] = "xyz"
      page["size"] = "large"
      page.setValue("pq", forKey: "badge")
    }
    #expect(page.optional?.text == "xyz" && page.size == .large && page.badge.text == "pq")
    try realm.write {
      page["optional"] = "x"
      page["size"] = "huge"
    }
    #expect(page.optional == nil && page.size == nil)
  }

  @Test func conditionsNameWhatIsStored() throws {
    let realm = try makeRealm()
    try realm.write {
      let value = realm.create(Everything.self)
      value.optSize = .large
      value.optCode = Code(persistedValue: "code")
      value.sizes.append(objectsIn: [.small, .medium])
      realm.create(Everything.self)
    }
    let all = realm.objects(Everything.self)
    #expect(all.where { $0.optSize.rawValue == "large" }.count == 1)
    #expect(all.where { $0.optSize.rawValue.starts(with: "la") }.count == 1)
    #expect(all.where { $0.optSize.rawValue == nil }.count == 1)
    #expect(all.where { $0.optCode.persistableValue == "code" }.count == 1)
    #expect(all.where { $0.sizes.rawValue.contains("small") }.count == 1)
    #expect(all.where { $0.sizes.rawValue == "huge" }.isEmpty)
  }

  /// No value of theirs stands for the default of what the file keeps.
  @Test func collectionsOfATypeWithoutADefaultAreAskedFor() throws {
    let realm = try makeRealm()
    try realm.write {
      let wallet = realm.create(Wallet.self)
      wallet.badges.append(objectsIn: [Badge("gold"), Badge("blue")])
      wallet.kinds.insert(Badge("round"))
      wallet.byName["first"] = Badge("gold")
    }
    let all = realm.objects(Wallet.self)
    #expect(all.where { $0.badges.contains(Badge("gold")) }.count == 1)
    #expect(all.where { $0.kinds.contains(Badge("gold")) }.isEmpty)
    #expect(all.where { $0.byName["first"] == Badge("gold") }.count == 1)
    #expect(all.where { $0.badges.count == 2 }.count == 1)
    #expect(_name(for: \Wallet.badges) == "badges" && _name(for: \Wallet.byName) == "byName")
  }

  @Test func aTextIsConvertedToACustomType() throws {
    let link = Link(value: ["url": "https://a.b/c", "urls": ["https://a.b", "none"]])
    #expect(link.url?.url.host() == "a.b" && link.urls.count == 2 && link.urls[1] == nil)
    link["url"] = "http://d"
    #expect(link.url?.url.scheme == "http")
    let realm = try makeRealm()
    let made = try realm.write { realm.create(Link.self, value: ["url": "https://a.b/c"]) }
    #expect(
      made.url?.url.path() == "/c" && realm.objects(Link.self).where { $0.url != nil }.count == 1)
  }

  @Test func aStoredValueWithoutMeaningReadsAsTheDefault() throws {
    let folder = TemporaryFolder()
    func open(_ type: ObjectBase.Type) throws -> Realm {
      try Realm(
        configuration: .init(
          fileURL: URL(filePath: folder.path(of: "a.realm")), objectTypes: [type]))
    }
    do {
      let realm = try open(Page.self)
      try realm.write { realm.create(Page.self, value: ["name": "a"]) }
    }
    do {
      let realm = try open(RawPage.self)
      try realm.write {
        realm.objects(RawPage.self)[0].badge = "b"
        realm.objects(RawPage.self)[0].optional = "c"
      }
    }
    let page = try open(Page.self).objects(Page.self)[0]
    #expect(page.badge.text == "default" && page.optional == nil)
  }

  @Test func aWrongTypeStillEndsTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = Page(value: ["size": 5]) }
    await #expect(processExitsWith: .failure) { _ = Page(value: ["badge": "x"]) }
  }

  @Test func pathsLeadThroughCollections() {
    #expect(_name(for: \Page.friends[0].name) == "friends.name")
    #expect(_name(for: \Page.friends[3].owner?.name) == "friends.owner.name")
    #expect(_name(for: \Page.friends.first?.name) == "friends.name")
    #expect(_name(for: \Page.fans[0].name) == "fans.name")
    #expect(_name(for: \Page.set[0].name) == "set.name" && _name(for: \Page.tags[0]) == "tags")
    #expect(_name(for: \Page.owner?.friends[1].badge) == "owner.friends.badge")
    #expect(_name(for: \Page.others["a"]) == "others")
  }

  @Test func codingFollowsTheStrategies() throws {
    let date = Date(timeIntervalSince1970: 1_000_000)
    let data = Data([1, 2, 250])
    let value = Stamped()
    value.date = date
    value.data = data
    value.optionalDate = date
    value.optionalData = data
    value.dates.append(date)
    value.datas.append(data)
    value.dateSet.insert(date)
    value.dataMap["a"] = data
    value.inner = StampedPart(value: [date, data])
    value.parts.append(StampedPart(value: [date, data]))
    value.number = .infinity
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.dataEncodingStrategy = .base64
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let coded = try encoder.encode(value)
    let json = String(decoding: coded, as: UTF8.self)
    #expect(json.components(separatedBy: "\"1970-01-12T13:46:40Z\"").count == 7, "\(json)")
    #expect(json.components(separatedBy: "\"AQL6\"").count == 7, "\(json)")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.dataDecodingStrategy = .base64
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let again = try decoder.decode(Stamped.self, from: coded)
    #expect(again.date == date && again.data == data && again.optionalDate == date)
    #expect(again.dates[0] == date && again.datas[0] == data && again.dataMap["a"] == data)
    #expect(again.inner?.date == date && again.parts[0].data == data && again.number == .infinity)
    #expect(again.dateSet.contains(date) && again.optionalData == data)
  }
}
