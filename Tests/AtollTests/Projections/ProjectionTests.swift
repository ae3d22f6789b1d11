import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Views of objects that show some of their properties.
@Suite(.waiting) struct ProjectionTests {
  private let queue = DispatchQueue(label: "projections")
  private let configuration: Realm.Configuration
  private let realm: Realm

  init() throws {
    let tenants = try TenantRealm()
    (configuration, realm) = (tenants.configuration, tenants.realm)
  }

  private func tenant(_ id: Int) throws -> Tenant {
    try #require(realm.object(ofType: Tenant.self, forPrimaryKey: id))
  }

  @Test func aProjectionShowsAndSetsWhatItsKeyPathsLeadTo() throws {
    let view = TenantProjection(projecting: try tenant(0))
    #expect(view.title == "Ada" && view.years == 20 && view.city == "C0")
    #expect(view.friendName == "Bob")
    #expect(Array(view.friends) == ["Cem", "Bob", "Cem"])
    #expect(view.friends.count == 3 && view.friends[1] == "Bob" && view.friends.last == "Cem")
    #expect(Array(view.rivalAges) == [21])
    let links = LinkProjection(projecting: view.rootObject)
    let city = CityProjection(projecting: try #require(links.home))
    try realm.write {
      view.title = "Eve"
      view.years += 1
      city.city = "Rome"
      links.friend = try tenant(2)
    }
    #expect(try tenant(0).name == "Eve")
    #expect(view.years == 21 && view.city == "Rome" && view.friendName == "Cem")
    #expect(links.admirers.isEmpty && links.initials == "E")
    #expect(LinkProjection(projecting: try tenant(2)).admirers.map(\.name) == ["Eve"])
    #expect(view.realm == realm && !view.isFrozen && !view.isInvalidated)
  }

  @Test func aProjectionOfAnUnmanagedObjectIsPlain() {
    let view = TenantProjection(projecting: Tenant())
    view.title = "x"
    #expect(view.rootObject.name == "x" && view.realm == nil && view.city == nil)
    #expect(!view.isFrozen && !view.isInvalidated && view.friends.isEmpty)
    #expect(view.friends.realm == nil && !view.friends.isFrozen && !view.friends.isInvalidated)
    view.rootObject.friends.append(view.rootObject)
    #expect(Array(view.friends) == ["x"])
    #expect(view.id == TenantProjection(projecting: view.rootObject).id)
  }

  @Test func theDescriptionNamesThePropertiesOfTheProjection() throws {
    let view = TenantProjection(projecting: try tenant(0))
    let text = view.description
    #expect(text.hasPrefix("TenantProjection {\n\ttitle = Ada;\n\tyears = 20;\n\tcity = C0;\n"))
    #expect(text.contains("\tfriends = ProjectedCollection<String> (\n\t\t[0] Cem,\n"))
    #expect(!text.contains("note"))
    #expect("\(ShapeProjection(projecting: view.rootObject))".contains("shape = round;"))
    #expect("\(realm.objects(NameProjection.self))".contains("[1] NameProjection {"))
    try realm.write { realm.delete(view.rootObject) }
    #expect(view.description == "TenantProjection [invalidated]")
  }

  @Test func resultsOfProjectionsAreAskedByThePropertiesOfTheirObjects() throws {
    let views = realm.objects(TenantProjection.self)
    #expect(views.map(\.title) == ["Ada", "Bob", "Cem"])
    #expect(views.filter("age > 20").map(\.title) == ["Bob", "Cem"])
    #expect(views.filter(NSPredicate(format: "home.city == %@", "C2")).map(\.years) == [22])
    #expect(views.sorted(byKeyPath: "name", ascending: false).first?.title == "Cem")
    #expect(views.index(of: views[1]) == 1)
    #expect(views.index(matching: "name == 'Cem'") == 2)
    #expect(Array(views.freeze()).map(\.title) == ["Ada", "Bob", "Cem"])
    #expect(views.value(forKey: "age") as? [Int] == [20, 21, 22])
    #expect((views.value(forKey: "self") as? [TenantProjection])?.last?.title == "Cem")
    #expect(views.value(forKeyPath: "home.city") as? [String] == ["C0", "C1", "C2"])
    #expect(views.value(forKeyPath: "@sum.age") as? Int == 63)
    #expect(views.max(ofProperty: "age") == 22)
    try realm.write { views.setValue(9, forKey: "age") }
    #expect(views.map(\.years) == [9, 9, 9])
  }

  @Test func resultsOfProjectionsAreAskedByThePropertiesOfTheProjection() throws {
    let views = realm.objects(TenantProjection.self)
    #expect(views.where { $0.years > 21 || $0.title == "Ada" }.map(\.title) == ["Ada", "Cem"])
    #expect(views.where { $0.city == "C1" }.map(\.title) == ["Bob"])
    #expect(views.where { $0.friendName.starts(with: "B") }.map(\.title) == ["Ada"])
    #expect(
      realm.objects(LinkProjection.self).where { $0.friend.age == 21 }.map(\.initials) == ["A"])
    #expect(views.sorted(by: \.years, ascending: false).map(\.title) == ["Cem", "Bob", "Ada"])
    let order = [
      Atoll.SortDescriptor(keyPath: \TenantProjection.friendName),
      Atoll.SortDescriptor(keyPath: \TenantProjection.years, ascending: false),
    ]
    #expect(views.sorted(by: order).map(\.title) == ["Ada", "Cem", "Bob"])
    #expect(views.distinct(by: [\.title]).count == 3)
    #expect(views.distinct(by: [\.friendName]).map(\.title) == ["Ada"])
  }

  @Test func projectionsOfOneObjectAreEqual() throws {
    let (one, other) = (
      TenantProjection(projecting: try tenant(0)), TenantProjection(projecting: try tenant(0))
    )
    #expect(one == other && one.hashValue == other.hashValue && one.id == other.id)
    let bob = TenantProjection(projecting: try tenant(1))
    #expect(one != bob && one.id != bob.id)
    #expect(one as NameProjection != NameProjection(projecting: one.rootObject))
    #expect(Set(realm.objects(TenantProjection.self)).contains(one))
  }

  @Test func frozenProjectionsStay() throws {
    let view = TenantProjection(projecting: try tenant(0))
    let (frozen, friends) = (view.freeze(), view.friends.freeze())
    #expect((view as NameProjection).freeze() is TenantProjection)
    try realm.write {
      view.title = "x"
      view.rootObject.friends.removeAll()
    }
    #expect(frozen.isFrozen && frozen.title == "Ada" && Array(frozen.friends).count == 3)
    #expect(friends.isFrozen && Array(friends) == ["Cem", "Bob", "Cem"])
    #expect(frozen.thaw()?.title == "x" && friends.thaw()?.isEmpty == true)
    try realm.write { realm.delete(view.rootObject) }
    #expect(view.isInvalidated && frozen.thaw() == nil && friends.thaw() == nil)
    #expect(frozen.title == "Ada")
  }

  @Test func projectionsGoToOtherThreads() throws {
    let view = TenantProjection(projecting: try tenant(0))
    let reference = ThreadSafeReference(to: view)
    let friends = ThreadSafeReference(to: view.friends)
    @ThreadSafe var held = view
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      #expect(realm.resolve(reference)?.title == "Ada")
      #expect(realm.resolve(friends).map { Array($0) } == ["Cem", "Bob", "Cem"])
    }
    try queue.sync {
      try held?.realm?.write { held?.title = "Eve" }
    }
    realm.refresh()
    #expect(view.title == "Eve" && held?.title == "Eve")
    let gone = ThreadSafeReference(to: view)
    try realm.write { realm.delete(view.rootObject) }
    #expect(realm.resolve(gone) == nil && held == nil)
  }

  @Test func misuseEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      TenantProjection(projecting: Tenant()).city = "Rome"
    }
    await #expect(processExitsWith: .failure) {
      let realm = try TenantRealm().realm
      _ = realm.objects(CityProjection.self)
    }
    await #expect(processExitsWith: .failure) {
      let realm = try TenantRealm().realm
      _ = realm.objects(ShapeProjection.self).sorted(by: \.shape)
    }
    await #expect(processExitsWith: .failure) {
      _ = TenantProjection(projecting: Tenant()).friends.thaw()
    }
  }
}
