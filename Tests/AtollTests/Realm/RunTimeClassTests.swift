import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

/// A class that is known at run time only: its static type is `Object.Type`.
@Suite(.computing) struct RunTimeClassTests {
  @Test func isUsedAsTheClassItself() throws {
    let realm = try makeRealm()
    let type: Object.Type = Hound.self
    try realm.write {
      for (name, weight) in [("Rex", 30), ("Ace", 10), ("Max", 20)] {
        let made = realm.create(type, value: ["name": name, "weight": weight])
        #expect(made is Hound)
      }
    }
    let all = realm.objects(type)
    #expect(all.count == 3 && all.map { $0["name"] as? String }.count == 3)
    #expect(all.first is Hound && all.last is Hound && all[1] is Hound)
    for object in all { #expect((object as? Hound)?.realm == realm) }
    let sorted = all.sorted(byKeyPath: "weight")
    #expect(sorted.map { $0["weight"] as? Int } == [10, 20, 30])
    #expect((sorted.first as? Hound)?.name == "Ace")
    #expect(all.filter("weight > 15").count == 2 && all.freeze().first is Hound)
    #expect(all.max(ofProperty: "weight") as Int? == 30)
    #expect(all.index(of: sorted[1]) != nil && all.index(matching: "name == 'Max'") != nil)
    #expect(AnyRealmCollection(all)[0] is Hound && all.thaw()?.first is Hound)
    let rex = try #require(realm.object(ofType: type, forPrimaryKey: "Rex"))
    #expect((rex as? Hound)?.weight == 30 && rex.freeze().thaw() is Hound)
    try realm.write {
      all.setValue(5, forKey: "weight")
      realm.create(type, value: ["name": "Rex", "weight": 6], update: .modified)
      realm.add([Hound(value: ["name": "Bo"])] as [Object], update: .all)
    }
    #expect(realm.objects(Hound.self).sum(of: \.weight) == 16)
    #expect(all.description.contains("name = Bo;"))
    try realm.write {
      realm.delete(rex)
      realm.delete(all.filter("name == 'Bo'"))
    }
    #expect(all.count == 2)
    try realm.write { realm.delete(all) }
    #expect(realm.isEmpty && all.first == nil)
  }

  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var counts: [Int] = []
    var token: NotificationToken?
  }

  @Test func isObserved() throws {
    let queue = DispatchQueue(label: "observer")
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let log = Log()
    let type: Object.Type = Hound.self
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      log.token = realm.objects(type).observe { change in
        switch change {
        case .initial(let objects), .update(let objects, _, _, _):
          log.counts.append(objects.filter { $0 is Hound }.count)
        case .error: break
        }
      }
    }
    for _ in 0..<3 { queue.sync {} }
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      try realm.write { realm.create(type, value: ["name": "Rex"]) }
    }
    for _ in 0..<3 { queue.sync {} }
    #expect(log.counts == [0, 1])
    queue.sync { log.token = nil }
  }
}
