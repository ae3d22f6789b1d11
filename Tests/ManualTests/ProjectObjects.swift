import Foundation
import RealmSwift
import TestThreads
import Testing

@MainActor @Suite(.waiting, .hangLimit) struct ProjectObjectsPage {
  // Page begins here
  class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var firstName: String
    @Persisted var employer: Company?
    @Persisted var friends: List<Person>
  }

  class Company: Object {
    @Persisted var city: String
  }

  class Contact: Projection<Person> {
    @Projected(\Person.firstName) var name
    @Projected(\Person.employer?.city) var city
    @Projected(\Person.friends.projectTo.firstName) var friends: ProjectedCollection<String>
  }

  func contacts(in city: String, _ realm: Realm) -> [String] {
    realm.objects(Contact.self).where { $0.city == city }.sorted(by: \.name)
      .map { "\($0.name), a friend of \($0.friends.joined(separator: " and "))" }
  }

  func rename(_ person: Person, to name: String) throws {
    let contact = Contact(projecting: person)
    try person.realm?.write { contact.name = name }
  }
  // Page ends here

  // Page begins here
  func follow(_ contact: Contact, _ tell: @escaping (String) -> Void) -> NotificationToken {
    contact.observe { change in
      switch change {
      case .change(_, let properties):
        for property in properties { tell("\(property.name) is \(property.newValue ?? "nil")") }
      case .deleted:
        tell("deleted")
      case .error:
        break
      }
    }
  }
  // Page ends here

  @Test func contactsShowWhatTheyProject() async throws {
    let realm = try Manual.realm()
    try realm.write {
      let ann = realm.create(Person.self, value: [1, "Ann", ["Oslo"]])
      ann.friends.append(realm.create(Person.self, value: [2, "Bob", ["Rome"]]))
      ann.friends.append(realm.create(Person.self, value: [3, "Eve"]))
    }
    #expect(contacts(in: "Oslo", realm) == ["Ann, a friend of Bob and Eve"])
    let ann = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
    var told: [String] = []
    let token = follow(Contact(projecting: ann)) { told.append($0) }
    try rename(ann, to: "Anne")
    while told.isEmpty { await _Concurrency.Task.yield() }
    #expect(told == ["name is Anne"])
    token.invalidate()
  }
}
