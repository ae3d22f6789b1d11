import Foundation
import RealmSwift
import TestThreads
import Testing

@Suite(.computing) struct DefineModelsPage {
  // Page begins here
  enum Size: String, PersistableEnum {
    case small, medium, large
  }

  class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted var city: String?
  }

  class Person: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted(indexed: true) var name: String
    @Persisted var born: Date?
    @Persisted var address: Address?
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<Dog>
  }

  class Dog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = "Rex"
    @Persisted var size: Size
    @Persisted var owner: Person?
    @Persisted var nicknames: List<String>
    @Persisted(indexed: .fullText) var story: String

    /// Not stored: it has no `@Persisted`.
    var isAwake = false
  }
  // Page ends here

  // Page begins here
  class Appointment: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var doctor: String
    @Persisted var time: Date
    @Persisted var patient: String?

    override class func indexes() -> [Index] {
      [
        Index(\Appointment.doctor, \Appointment.time, isUnique: true),
        Index(\Appointment.patient, \Appointment.time),
      ]
    }
  }

  func next(of patient: String, after time: Date, in realm: Realm) -> Appointment? {
    realm.objects(Appointment.self).where { $0.patient == patient && $0.time > time }
      .sorted(by: \.time).first
  }

  func book(_ doctor: String, at time: Date, for patient: String, in realm: Realm) throws -> Bool {
    do {
      try realm.write {
        realm.create(
          Appointment.self, value: ["doctor": doctor, "time": time, "patient": patient])
      }
      return true
    } catch Realm.Error.notUnique {
      return false
    }
  }
  // Page ends here

  // Page begins here
  class Visit: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var reason: String

    override class func _realmObjectName() -> String? { "visits" }

    override class func propertiesMapping() -> [String: String] {
      ["reason": "visit_reason"]
    }
  }
  // Page ends here

  // Page begins here
  struct Weight: CustomPersistable, Hashable {
    var grams: Int

    init(grams: Int) { self.grams = grams }
    init(persistedValue: Int) { grams = persistedValue }
    var persistableValue: Int { grams }
  }

  class Parcel: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var weight = Weight(grams: 500)
    @Persisted var tara: Weight?

    convenience init(number: Int, grams: Int) {
      self.init()
      self.number = number
      weight = Weight(grams: grams)
    }
  }
  // Page ends here

  @Test func everyKindOfPropertyIsStored() throws {
    let realm = try Manual.realm()
    let person = Person(value: ["name": "Ada", "address": ["street": "Main Street 1"]])
    try realm.write {
      realm.add(person)
      realm.create(
        Dog.self,
        value: ["size": Size.large, "owner": person, "nicknames": ["R"], "story": "He barks."])
    }
    let dog = try #require(person.dogs.first)
    #expect(dog.name == "Rex" && dog.size == .large && dog.nicknames.first == "R")
    #expect(dog.owner?.address?.street == "Main Street 1" && person.address?.city == nil)
    #expect(realm.objects(Dog.self).filter("story TEXT 'barks'").count == 1)
    #expect(!dog.isAwake)
  }

  @Test func oneDoctorHasOneAppointmentAtATime() throws {
    let realm = try Manual.realm()
    let hours = (0..<3).map { Date(timeIntervalSinceReferenceDate: Double($0) * 3600) }
    for hour in hours { #expect(try book("Ada", at: hour, for: "Max", in: realm)) }
    #expect(try !book("Ada", at: hours[1], for: "Eva", in: realm))
    #expect(try book("Bob", at: hours[1], for: "Eva", in: realm))
    #expect(next(of: "Max", after: hours[0], in: realm)?.time == hours[1])
    #expect(next(of: "Max", after: hours[2], in: realm) == nil)
  }

  @Test func namesInTheFileAreThoseOfTheMapping() throws {
    let realm = try Manual.realm()
    try realm.write { realm.create(Visit.self, value: ["reason": "tooth"]) }
    #expect(realm.dynamicObjects("visits").first?["visit_reason"] as? String == "tooth")
    #expect(realm.objects(Visit.self).filter("reason == 'tooth'").count == 1)
    #expect(realm.objects(Visit.self).filter("visit_reason == 'tooth'").count == 1)
  }

  @Test func aCustomTypeIsStoredAsANumber() throws {
    let realm = try Manual.realm()
    try realm.write { realm.add(Parcel(number: 7, grams: 900)) }
    let parcel = try #require(realm.object(ofType: Parcel.self, forPrimaryKey: 7))
    #expect(parcel.weight.grams == 900 && parcel.tara == nil)
    #expect(realm.objects(Parcel.self).where { $0.weight.persistableValue > 800 }.count == 1)
  }
}
